import CurlHTTP
import DeliverySupport
import Foundation
import MeterCore
import RecordSupport
import TestSupport
import Testing

@testable import WebhookSink

/// The sink with libcurl against servers on real sockets, and the engine that drives it.
@Suite("Webhook sink", .timeLimit(.minutes(60)))
struct WebhookSinkTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  let clock = StoppedClock()

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: WebhookMessageTests.secret).session.generation
  }

  private func sink(_ server: ScriptedServer, _ change: (inout WebhookSinkSetting) throws -> Void = { _ in }) throws
    -> WebhookSink
  {
    var setting = WebhookSinkSetting(address: server.base + "/hook")
    try change(&setting)
    return WebhookSink(try setting.checked(in: SinkPlace(stateFolder: folder.state)), clock: clock)
  }

  private func commit(_ sequences: ClosedRange<UInt64>) throws {
    _ = try store.commit([Fixture.unit(generation, sequences.map { Fixture.glucose($0) })])
  }

  /// Delivers until nothing waits, however often the receiver has to be asked.
  private func deliverAll(_ sink: WebhookSink) async -> DrainReport {
    let engine = DeliveryEngine(store: store, receiver: sink, clock: clock, jitter: { 1 })
    var total = await engine.drain()
    for _ in 0..<400 {
      guard let wait = total.nextTry else { break }
      clock.advance(by: wait + .milliseconds(1))
      total = await engine.drain()
    }
    return total
  }

  /// Whether a request was signed with the secret, at this clock's date.
  private func isSigned(_ request: ScriptedServer.Request) throws -> Bool {
    let id = try #require(request.headers["webhook-id"])
    let moment = try #require(request.headers["webhook-timestamp"])
    let code = try WebhookSecret(WebhookMessageTests.secret).code(of: Array("\(id).\(moment).".utf8) + request.body)
    return request.headers["webhook-signature"] == "v1," + Data(code).base64EncodedString()
  }

  @Test("posts each reading once, signed, to the address alone")
  func once() async throws {
    let server = try ScriptedServer { request, _ in .answer(request.method == "GET" ? 405 : 204, body: "") }
    try commit(1...20)
    let report = await deliverAll(try sink(server))
    #expect(report.waiting == 0 && server.posts.count == 20)
    #expect(Set(server.posts.compactMap { $0.headers["webhook-id"] }).count == 20)
    #expect(try server.posts.allSatisfy { try $0.path == "/hook" && isSigned($0) })
    #expect(server.posts.allSatisfy { $0.headers["content-type"] == "application/json" })
    #expect(
      server.requests.allSatisfy { !$0.headers.values.contains { $0.contains("whsec_") } }, "the secret stays here")
    #expect(try store.currentSession().isValidated, "the first that was taken says that the secret is right")
  }

  @Test("has each reading there once, whatever happens on the way")
  func faults() async throws {
    // What the receiver has, by id: the answers to some of it are lost, torn, or are somebody else's.
    let server = try ScriptedServer { request, earlier in
      guard request.method == "POST" else { return .answer(405) }
      return switch earlier.filter({ $0.method == "POST" }).count % 8 {
      case 0: .drop
      case 1: .answer(503, headers: ["Retry-After": "30"])
      case 2: .answer(200, headers: ["Content-Type": "text/html"], body: "<html>Log in</html>")
      case 3: .tear
      case 4: .answer(401)
      case 5: .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
      default: .answer(204, body: "")
      }
    }
    try commit(1...12)
    let report = await deliverAll(try sink(server))
    #expect(report.waiting == 0 && report.dead == 0)
    #expect(try store.queueSnapshot().isEmpty && store.currentSession().user != nil, "no answer ends a session")
    let wanted = Set((UInt64(1)...12).map { "\(Fixture.glucose($0).logID)" })
    let ids = server.posts.compactMap { $0.headers["webhook-id"] }
    #expect(Set(ids.map { String($0.prefix(36)) }) == wanted && Set(ids).count == 12, "repeats have the same id")
  }

  @Test("puts aside what the receiver refuses, and nothing else")
  func refusal() async throws {
    let bad = "\(Fixture.glucose(3).logID)"
    let server = try ScriptedServer { request, _ in
      guard request.method == "POST" else { return .answer(405) }
      return request.headers["webhook-id"]?.hasPrefix(bad) == true
        ? .answer(422, body: #"{"error":"no"}"#) : .answer(202)
    }
    try commit(1...5)
    _ = await deliverAll(try sink(server))
    let left = try store.queueSnapshot()
    #expect(
      left.map(\.state) == [.dead] && left.first?.reason == "http-422" && left.first?.logID == Fixture.glucose(3).logID)
  }

  @Test("takes what is to be in Authorization from a file, each time anew")
  func authorization() async throws {
    let file = folder.url.appending(path: "authorization")
    try Data("Bearer one\n".utf8).write(to: file)
    let server = try ScriptedServer { request, _ in .answer(request.method == "GET" ? 405 : 204, body: "") }
    let sink = try sink(server) { $0.authorizationFile = file.path }
    let credential = SinkCredential(user: Fixture.user, token: WebhookMessageTests.secret)
    _ = await sink.deliver([Fixture.glucose(1)], with: credential)
    try Data("Bearer two".utf8).write(to: file)
    _ = await sink.deliver([Fixture.glucose(2)], with: credential)
    #expect(server.posts.map { $0.headers["authorization"] } == ["Bearer one", "Bearer two"])
    try Data("two\nlines".utf8).write(to: file)
    let replies = await sink.deliver([Fixture.glucose(3)], with: credential)
    #expect(replies.map(\.outcome) == [.retry()] && server.posts.count == 2, "nothing goes out without it")
  }

  @Test("asks whether something answers, and stores nothing by that")
  func check() async throws {
    let server = try ScriptedServer { _, _ in .answer(405) }
    let credential = SinkCredential(user: Fixture.user, token: WebhookMessageTests.secret)
    let sink = try sink(server)
    #expect(await sink.check(credential).verdict == .cannotSay && server.posts.isEmpty)
    server.stop()
    #expect(await sink.check(credential).verdict == .outOfReach())
  }

  @Test("refuses what no form has a place for, before anything is sent")
  func control() async throws {
    let server = try ScriptedServer { _, _ in .answer(204, body: "") }
    let replies = await (try sink(server)).deliver(
      [Fixture.glucose(1, flags: .control)], with: SinkCredential(user: Fixture.user, token: WebhookMessageTests.secret)
    )
    #expect(replies.map(\.outcome) == [.refused(reason: "control")] && server.requests.isEmpty)
  }
}
