import DeliverySupport
import Foundation
import Glibc
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// Another user of this machine, a real one, has the place of a receiver (hazard H50).
@Suite(
  "A receiver's place that another user has", .timeLimit(.minutes(60)),
  .enabled(if: ForeignListener.isPossible, "only root can start a program of another user"))
struct ForeignUserTests {
  @Test("is sent neither the token nor a reading, which stays with the reason", arguments: [true, false])
  func port(isValidated: Bool) async throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(Fixture.user, token: Fixture.token, isValidated: isValidated).session
      .generation
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    let (listener, clock) = (try ForeignListener(), StoppedClock())
    let uploader = DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint("http://127.0.0.1:\(listener.port)"), transport: CurlTransport(),
      clock: clock, jitter: { 1 })
    let report = await uploader.drain()
    #expect(report.delivered == 0 && report.dead == 0 && report.waiting == 1 && !report.sessionEnded)
    let entry = try #require(try store.queueSnapshot().first)
    let wait = try #require(try store.sinkWaits(at: BootClock(clock))[MeterStore.defaultSink])
    for reason in isValidated ? [entry.lastError ?? "", wait.error] : [wait.error] {
      #expect(reason.hasPrefix("foreign_user: ") && reason.contains("user \(ForeignListener.user),"), "\(reason)")
    }
    #expect(entry.state == .pending && entry.record == Fixture.glucose(1))
    let heard = try await onOwnThread { try listener.end() }
    #expect(heard.connections > 0 && heard.bytes == 0)
  }

  @Test("is told by who listens at a Unix socket, whoever its file and folders belong to")
  func socket() async throws {
    let folder = try TemporaryFolder()
    let inner = folder.path + "/in"
    #expect(mkdir(inner, 0o700) == 0 && chmod(inner, 0o777) == 0 && chmod(folder.path, 0o711) == 0)
    let listener = try ForeignListener(socketPath: inner + "/s")
    #expect(chown(inner + "/s", 0, 0) == 0 && chmod(inner, 0o755) == 0)
    let address = ReceiverSocket.scheme + "\(inner)/s".replacing("/", with: "%2F")
    let verdict = await (try ReceiverEndpoint(address)).verdict(
      on: Fixture.token, of: Fixture.user, transport: CurlTransport())
    guard case .unknown(let reason) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(reason.contains("socket on this machine belongs to user \(ForeignListener.user),"), "\(reason)")
    let heard = try await onOwnThread { try listener.end() }
    #expect(heard.connections > 0 && heard.bytes == 0)
  }

  @Test("is told by who listens as long as nobody has accepted the connection")
  func listening() async throws {
    let (descriptor, port) = try listenAtLoopback(backlog: 4)
    defer { close(descriptor) }
    try #require(fchown(descriptor, ForeignListener.user, gid_t.max) == 0)
    await refused(HTTPRequest(method: "GET", url: "http://127.0.0.1:\(port)/"), by: CurlTransport())
  }

  @Test("is looked at again for each request on a connection that is kept")
  func kept() async throws {
    let server = try ScriptedServer { _, _ in .answer(200) }
    let transport = CurlTransport()
    let request = HTTPRequest(
      method: "GET", url: server.base + "/", headers: [("Authorization", "Bearer \(Fixture.token.secret)")])
    for _ in 0..<2 { #expect(try await transport.send(request).status == 200) }
    let connections = Set(server.requests.map(\.connection))
    let connection = try #require(connections.first)
    #expect(connections.count == 1, "it is kept")
    try #require(fchown(Int32(connection), ForeignListener.user, gid_t.max) == 0)
    await refused(request, by: transport)
    #expect(server.requests.count == 2)
  }

  private func refused(_ request: HTTPRequest, by transport: CurlTransport) async {
    do {
      let response = try await transport.send(request)
      Issue.record("\(response.status)")
    } catch {
      #expect(error.code == .foreignUser && error.message.contains("user \(ForeignListener.user),"), "\(error)")
    }
  }
}
