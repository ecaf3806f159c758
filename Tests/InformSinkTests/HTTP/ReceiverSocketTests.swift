import DeliverySupport
import Foundation
import Glibc
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// A receiver that listens at a Unix socket, in whose place no other user can put another one.
@Suite("A receiver's Unix socket", .timeLimit(.minutes(60)))
struct ReceiverSocketTests {
  private func address(_ path: String) -> String {
    ReceiverSocket.scheme + path.replacing("/", with: "%2F") + "/base"
  }

  /// Folders above those of tests are the machine's, which need not be closed.
  private func transport(_ user: ReceiverUser = .own, trusted: Set<UInt32> = [0, geteuid()]) -> CurlTransport {
    var settings = CurlTransport.Settings()
    settings.receiverUser = user
    settings.trustedUsers = trusted
    return CurlTransport(settings: settings)
  }

  @Test("is asked like any other receiver, over connections that are kept")
  func requests() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a b.sock"
    let server = try ScriptedServer(socketPath: path) { _, _ in .answer(200, body: #"{"data":{}}"#) }
    let endpoint = try ReceiverEndpoint(address(path.replacing(" ", with: "%20")))
    let transport = transport()
    for _ in 0..<2 {
      #expect(await endpoint.verdict(on: Fixture.token, of: Fixture.user, transport: transport) == .accepted)
    }
    #expect(server.requests.map(\.path) == ["/base/connect/provider/user", "/base/connect/provider/user"])
    #expect(server.requests.map { $0.headers["host"] } == ["localhost", "localhost"])
    #expect(Set(server.requests.map(\.connection)).count == 1)
  }

  @Test("of another user gets nothing", arguments: [(.own, false), (.also(geteuid()), true)] as [(ReceiverUser, Bool)])
  func stranger(user: ReceiverUser, isServed: Bool) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/s"
    let server = try ScriptedServer(socketPath: path) { _, _ in .answer(200) }
    // Whose folders above are is the machine's business: root's are always fine.
    let trusted: Set<UInt32> = geteuid() == 0 ? [1] : [0]
    let code = await code(address(path), transport(user, trusted: trusted))
    #expect(code == (isServed ? nil : .foreignUser))
    #expect(server.requests.isEmpty == !isServed)
  }

  @Test("whose listener is somebody else's gets nothing, whatever the file says")
  func listener() {
    let rule = LocalPeerRule(users: .also(7), trusted: [0, 5])
    for (user, isFine) in [(0, true), (5, true), (7, true), (8, false)] as [(UInt32, Bool)] {
      #expect((rule.refusal(ofListener: user) == nil) == isFine)
    }
  }

  @Test(
    "is not used in a folder that others can write, and is in a sticky one",
    arguments: [(0o755, true), (0o700, true), (0o775, false), (0o777, false), (0o1777, true)] as [(mode_t, Bool)])
  func folders(mode: mode_t, isUsed: Bool) async throws {
    let folder = try TemporaryFolder()
    let inner = folder.path + "/in"
    #expect(mkdir(inner, 0o700) == 0)
    let server = try ScriptedServer(socketPath: inner + "/s") { _, _ in .answer(200) }
    #expect(chmod(inner, mode) == 0)
    #expect(await code(address(inner + "/s"), transport()) == (isUsed ? nil : .foreignUser))
    // A link leads to the same folder.
    #expect(symlink(inner, folder.path + "/link") == 0)
    #expect(await code(address(folder.path + "/link/s"), transport()) == (isUsed ? nil : .foreignUser))
    #expect(server.requests.isEmpty == !isUsed)
  }

  @Test("that is not there cannot be reached, and a file is none")
  func missing() async throws {
    let folder = try TemporaryFolder()
    #expect(await code(address(folder.path + "/gone"), transport()) == .unreachable)
    try Data().write(to: folder.url.appending(path: "file"))
    #expect(await code(address(folder.path + "/file"), transport()) == .invalidRequest)
  }

  private func code(_ address: String, _ transport: CurlTransport) async -> TransportError.Code? {
    do {
      _ = try await transport.send(HTTPRequest(method: "GET", url: address))
      return nil
    } catch {
      return error.code
    }
  }

  @Test(
    "has an address of one form",
    arguments: [
      ("http+unix://%2Frun%2Fr.sock", "/run/r.sock"), ("HTTP+UNIX://%2frun%2fr.sock/base/", "/run/r.sock"),
      ("http+unix://run%2Fr.sock", nil), ("http+unix://", nil), ("http+unix:///run/r.sock", nil),
      ("http+unix://%2Frun%2F", nil), ("http+unix://%2Fa%00b", nil), ("http+unix://%2Fa%ZZ", nil),
      ("http+unix://user@%2Frun%2Fr.sock", nil), ("http+unix://%2Fr.sock?q", nil), ("http+unix://%2Fr.sock/?q", nil),
      ("http+unix://%2Fr.sock:80/", nil), ("http+unix://%2Fr%0A.sock", nil),
      ("http+unix://%2F" + String(repeating: "a", count: 107), nil),
      ("http+unix://%2F" + String(repeating: "a", count: 106), "/" + String(repeating: "a", count: 106)),
    ])
  func addresses(address: String, path: String?) {
    let endpoint = try? ReceiverEndpoint(address)
    #expect(endpoint.flatMap { ReceiverSocket($0.base)?.path } == path)
  }
}
