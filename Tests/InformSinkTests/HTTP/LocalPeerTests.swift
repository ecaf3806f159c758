import DeliverySupport
import Foundation
import Glibc
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// A port of this machine belongs to whoever opens it first (hazard H50).
@Suite("The user behind a receiver on this machine", .timeLimit(.minutes(60)))
struct LocalPeerTests {
  /// What this process would be if the server belonged to somebody else.
  private static let stranger: Set<UInt32> = [geteuid() &+ 1]

  private func settings(_ user: ReceiverUser, trusted: Set<UInt32> = stranger) -> CurlTransport.Settings {
    var settings = CurlTransport.Settings()
    settings.receiverUser = user
    settings.trustedUsers = trusted
    return settings
  }

  @Test(
    "gets nothing, not even a request, unless it is root, this user or the named one",
    arguments: [(.own, false), (.also(geteuid()), true), (.also(geteuid() &+ 2), false), (.anybody, true)]
      as [(ReceiverUser, Bool)])
  func port(user: ReceiverUser, isServed: Bool) async throws {
    let server = try ScriptedServer { _, _ in .answer(200) }
    let transport = CurlTransport(settings: settings(user))
    for host in ["127.0.0.1", "localhost"] {
      let request = HTTPRequest(
        method: "POST", url: "http://\(host):\(server.port)/", headers: [("Authorization", "Bearer secret")], body: [1])
      do {
        let response = try await transport.send(request)
        #expect(isServed && response.status == 200)
      } catch {
        #expect(!isServed && error.code == .foreignUser, "\(error)")
        #expect(error.message.contains("user \(geteuid())") && error.message.contains("--receiver-user"))
      }
    }
    #expect(server.requests.isEmpty == !isServed)
  }

  @Test("is no reason to make a connection anew")
  func kept() async throws {
    let server = try ScriptedServer { _, _ in .answer(200) }
    let transport = CurlTransport(settings: settings(.own, trusted: [0, geteuid()]))
    for _ in 0..<3 {
      #expect(try await transport.send(HTTPRequest(method: "GET", url: server.base + "/")).status == 200)
    }
    #expect(Set(server.requests.map(\.connection)).count == 1)
  }

  @Test("delivers nothing to a stranger, and keeps what waits with the reason", arguments: [true, false])
  func delivery(isValidated: Bool) async throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(Fixture.user, token: Fixture.token, isValidated: isValidated).session
      .generation
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    let server = try ScriptedServer { _, _ in .answer(201, body: #"{"id":"1"}"#) }
    let clock = StoppedClock()
    let uploader = DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(settings: settings(.own)),
      clock: clock, jitter: { 1 })
    let report = await uploader.drain()
    #expect(report.delivered == 0 && report.waiting == 1 && server.requests.isEmpty)
    let entry = try #require(try store.queueSnapshot().first)
    let wait = try #require(try store.sinkWaits(at: BootClock(clock))[MeterStore.defaultSink])
    for reason in isValidated ? [entry.lastError ?? "", wait.error] : [wait.error] {
      #expect(reason.hasPrefix("foreign_user: ") && reason.contains("user \(geteuid())"), "\(reason)")
    }
  }

  @Test("of a connection that nobody has accepted yet is the listener's", arguments: [true, false])
  func waiting(isAskedFor: Bool) async throws {
    let port = try Listener()
    let client = try RawHTTP.connect(port: Int(port.number))
    defer { close(client) }
    let connection = LocalConnection(here: try Self.end(of: client), receiver: port.end)
    func owner() -> LocalPeerOwner {
      isAskedFor
        ? connection.owner()
        : LocalPeerOwner(SocketTable.read("/proc/net/tcp") + SocketTable.read("/proc/net/tcp6"), of: connection)
    }
    #expect(owner() == .user(geteuid()))
    let accepted = accept(port.descriptor, nil, nil)
    #expect(owner() == .user(geteuid()))
    close(accepted)
    port.stop()
    #expect(
      LocalConnection(here: LocalConnection.End(address: [127, 0, 0, 1], port: 9), receiver: port.end).owner()
        == .unknown)
  }

  @Test("is read in the kernel's tables: who accepted, else who listens, and root only where a process has the socket")
  func tables() throws {
    let here = LocalConnection.End(address: [127, 0, 0, 1], port: 0xB476)
    let receiver = LocalConnection.End(address: [127, 0, 0, 1], port: 0xE741)
    let connection = LocalConnection(here: here, receiver: receiver)
    func line(_ own: String, _ other: String, _ state: String, _ user: Int, _ inode: Int) -> String {
      "   0: \(own) \(other) \(state) 00000000:00000000 00:00000000 00000000  \(user)        0 \(inode) 1 00 100 0 0 10 0\n"
    }
    let nobody = "00000000:0000"
    let waiting = line("0100007F:E741", "0100007F:B476", "01", 0, 0)
    let accepted = line("0100007F:E741", "0100007F:B476", "01", 1001, 7)
    let mapped = line("0000000000000000FFFF00000100007F:E741", "0000000000000000FFFF00000100007F:B476", "01", 1002, 8)
    let listener = line("0100007F:E741", nobody, "0A", 1003, 9)
    let everywhere = line(
      "00000000000000000000000000000000:E741", "00000000000000000000000000000000:0000", "0A", 1004, 9)
    let client = line("0100007F:B476", "0100007F:E741", "01", 0, 5)
    let cases: [(String, LocalPeerOwner)] = [
      (client + accepted, .user(1001)), (client + mapped, .user(1002)), (client + waiting, .unknown),
      (client + waiting + listener, .user(1003)), (waiting + everywhere, .user(1004)),
      (listener + everywhere, .unknown), (client, .unknown), ("", .unknown),
      (line("0100007F:E742", nobody, "0A", 1003, 9), .unknown),
      (line("0200007F:E741", nobody, "0A", 1003, 9), .unknown),
      ("   0: 0100007F:E741\n zz: x:y z 0A\n 0: 0100007F:GGGG 00000000:0000 0A a b c x 0 z\n" + accepted, .user(1001)),
    ]
    for (table, owner) in cases {
      #expect(LocalPeerOwner(SocketTable.entries(table), of: connection) == owner, "\(table)")
    }
  }

  @Test(
    "is looked for within this machine only",
    arguments: [
      ("127.0.0.1", "127.0.0.1", true), ("127.8.0.1", "127.0.0.1", true), ("::1", "::1", true),
      ("::ffff:127.0.0.1", "::ffff:127.0.0.1", true), ("192.0.2.1", "192.0.2.1", true),
      ("192.0.2.1", "192.0.2.2", false),
      ("2001:db8::1", "2001:db8::2", false), ("fe80::1%eth0", "fe80::1%eth0", true),
    ])
  func places(receiver: String, here: String, isWithin: Bool) throws {
    let connection = LocalConnection(
      here: try #require(LocalConnection.End(here, port: 1)),
      receiver: try #require(LocalConnection.End(receiver, port: 2)))
    #expect(connection.isWithinThisMachine == isWithin)
  }

  @Test("an unknown one is refused with what to do, unless every user is trusted")
  func unknown() {
    for user in [.own, .also(5)] as [ReceiverUser] {
      let error = LocalPeerRule(users: user, trusted: [0]).refusal(of: .unknown)
      #expect(error?.code == .foreignUser && error?.message.contains("http+unix://") == true)
    }
    #expect(LocalPeerRule(users: .anybody, trusted: []).refusal(nil) == nil)
  }

  @Test("is written as a number, or a word", arguments: ["own", "any", "0", "1001", "4294967294"])
  func text(text: String) throws {
    let user = try #require(ReceiverUser(text))
    #expect(user.text == text)
    #expect(try JSONDecoder().decode([ReceiverUser].self, from: JSONEncoder().encode([user])) == [user])
  }

  @Test("is nothing else", arguments: ["", "-1", "4294967295", "ANY", "1 "])
  func noText(text: String) { #expect(ReceiverUser(text) == nil) }

  /// A socket that listens and accepts nothing.
  private final class Listener {
    let descriptor: Int32
    let number: UInt16
    var end: LocalConnection.End { LocalConnection.End(address: [127, 0, 0, 1], port: number) }

    init() throws {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      guard listen(descriptor, 4) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
      number = try LocalPeerTests.end(of: descriptor).port
    }

    func stop() { close(descriptor) }
  }

  private static func end(of descriptor: Int32) throws -> LocalConnection.End {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { throw POSIXError(.EBADF) }
    return LocalConnection.End(address: [127, 0, 0, 1], port: UInt16(bigEndian: address.sin_port))
  }
}
