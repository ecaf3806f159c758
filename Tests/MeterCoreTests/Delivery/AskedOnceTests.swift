import DeliverySupport
import Foundation
import GRDB
import HostPrimitives
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// When a receiver is asked, and when it is asked again: once, then when the wait is over, and then indeed.
@Suite("A receiver is asked once, and again in time", .timeLimit(.minutes(10)))
struct AskedOnceTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let clock = StoppedClock()

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    clock.unixMicroseconds = Fixture.morning
  }

  private func uploader(_ server: ScriptedServer, jitter: Double = 1) throws -> DeliveryEngine {
    DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(), clock: clock,
      jitter: { jitter })
  }

  /// A reading with an image.
  private func commit(_ sequence: UInt64 = 1) throws {
    let (record, generation) = (Fixture.glucose(sequence), try store.currentSession().generation)
    let image = CommitImage(logID: record.logID, image: try Fixture.image(UInt8(sequence)))
    _ = try store.commit([
      CommitUnit(
        generation: generation, records: [CommitRecord(record: record, disposition: .pending)], images: [image])
    ])
  }

  private static let busy = ScriptedServer.Reply.answer(503, headers: ["Retry-After": "60"])

  private static func accepted(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
    .answer(200, body: request.method == "GET" ? "{}" : #"{"data":{"id":"r1"}}"#)
  }

  @Test("what it has answered about a token holds for the deliveries of the session", arguments: [true, false])
  func answer(isSink: Bool) async throws {
    let server = try ScriptedServer { request, earlier in
      earlier.isEmpty ? Self.busy : Self.accepted(request)
    }
    let endpoint = try ReceiverEndpoint(server.base)
    let answer = await endpoint.answer(
      on: Fixture.token, of: Fixture.user, transport: CurlTransport(), clock: clock, jitter: 1)
    #expect(answer.verdict == .unknown(reason: "the receiver answers with status 503"))
    let sink = isSink ? "second" : MeterStore.defaultSink
    if isSink {
      _ = try store.startSession(Fixture.user, token: Fixture.token)
      try store.setSink(sink, .unknown(), token: Fixture.token, after: answer)
    } else {
      _ = try store.startSession(Fixture.user, token: Fixture.token, options: SessionOptions(), answer: answer)
    }
    let wait = try #require(try store.sinkWaits(at: BootClock(clock))[sink])
    #expect(wait.left(at: BootClock(clock)) == .seconds(62) && wait.isAsked(at: BootClock(clock)))
    try commit()
    let uploader = DeliveryEngine(
      store: store, sink: sink, endpoint: endpoint, transport: CurlTransport(), clock: clock, jitter: { 1 })
    #expect(await uploader.drain().nextTry == .seconds(62))
    #expect(server.requests.count == 1)
    clock.advance(by: .seconds(62))
    #expect(await uploader.drain().delivered == 1)
  }

  @Test("a token that it has accepted is not asked about again, and its clock is known")
  func acceptedToken() async throws {
    let server = try ScriptedServer { request, _ in
      .answer(200, headers: ["Date": "Sun, 01 Mar 2026 07:40:00 GMT"], body: #"{"data":{"id":"r1"}}"#)
    }
    let answer = await (try ReceiverEndpoint(server.base)).answer(
      on: Fixture.token, of: Fixture.user, transport: CurlTransport(), clock: clock)
    _ = try store.startSession(Fixture.user, token: Fixture.token, options: SessionOptions(), answer: answer)
    #expect(try store.currentSession().isValidated)
    #expect(try store.clockSkews()[MeterStore.defaultSink]?.seconds == -1200)
    try store.setSink("second", .unknown(), token: Fixture.token, after: answer)
    #expect(try store.furtherSinks().map(\.isValidated) == [true])
    try commit()
    #expect(await (try uploader(server)).drain().delivered == 1)
    #expect(server.requests.filter { $0.method == "GET" }.count == 1)
    // Another token is another question.
    try store.setSink("second", .unknown(), token: Fixture.token)
    #expect(try store.furtherSinks().map(\.isValidated) == [false])
  }

  @Test("an uploader that runs takes up what a new token has brought: an end of its waits, or a wait")
  func newToken() async throws {
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let server = try ScriptedServer { request, earlier in
      earlier.isEmpty ? Self.busy : Self.accepted(request)
    }
    let uploader = try uploader(server)
    try commit()
    #expect(await uploader.drain().nextTry == .seconds(62))
    _ = try store.startSession(Fixture.user, token: AccessToken("a-second-token-0815"))
    #expect(await uploader.drain().delivered == 1)
    let other = try ScriptedServer { _, _ in Self.busy }
    let answer = await (try ReceiverEndpoint(other.base)).answer(
      on: Fixture.token, of: Fixture.user, transport: CurlTransport(), clock: clock, jitter: 1)
    _ = try store.startSession(
      Fixture.user, token: AccessToken("a-third-token-0815"), options: SessionOptions(), answer: answer)
    try commit(2)
    let asked = server.requests.count
    #expect(await uploader.drain().nextTry == .seconds(62))
    #expect(server.requests.count == asked)
  }

  @Test("images do not ask again when readings have just been told to wait")
  func lanes() async throws {
    let isBusy = Mutex(false)
    let server = try ScriptedServer { request, _ in
      if request.path.hasSuffix("/media") { return .answer(503) }
      return isBusy.withLock { $0 } && request.method == "GET" ? Self.busy : Self.accepted(request)
    }
    _ = try store.startSession(Fixture.user, token: Fixture.token, isValidated: true)
    try commit()
    #expect(await (try uploader(server)).drain().waitingImages == 1)
    _ = try store.startSession(Fixture.user, token: AccessToken("another-token-0815"))
    isBusy.withLock { $0 = true }
    let uploader = try uploader(server)
    for _ in 0..<2 {
      let report = await uploader.drain()
      #expect(report.waiting == 0 && report.waitingImages == 1 && report.nextTry == .seconds(62))
    }
    #expect(server.requests.filter { $0.method == "GET" }.count == 1)
  }

  @Test("a wait that is over at once is not slept through, whatever it was for", arguments: [true, false])
  func noWait(ofToken: Bool) async throws {
    _ = try store.startSession(Fixture.user, token: Fixture.token, isValidated: !ofToken)
    let server = try ScriptedServer { request, earlier in
      let before = earlier.filter { $0.path == request.path }.count
      return before == 0 ? .answer(503) : Self.accepted(request)
    }
    let uploader = try uploader(server, jitter: 0)
    let events = await uploader.events()
    try commit()
    let running = Task { await uploader.run() }
    // The clock stands still, and nothing changes in the store.
    for await event in events { if case .recordImageSubmitted = event { break } }
    #expect(clock.now == .boot)
    running.cancel()
    await running.value
  }

  @Test("a store that fails for a moment is asked again at once, too", arguments: ["delivery", "media_delivery"])
  func failingStore(table: String) async throws {
    _ = try store.startSession(Fixture.user, token: Fixture.token, isValidated: true)
    let server = try ScriptedServer { request, _ in Self.accepted(request) }
    let uploader = try uploader(server, jitter: 0)
    let events = await uploader.events()
    try commit()
    try store.transaction { db in
      try db.execute(
        sql: """
          CREATE TRIGGER full BEFORE UPDATE ON \(table) WHEN NEW.state = 'inFlight'
          BEGIN SELECT RAISE(ABORT, 'full'); END
          """)
    }
    let running = Task { await uploader.run() }
    for await event in events { if case .storeFailed = event { break } }
    // No change of the queue: nobody is told.
    try store.transaction { db in try db.execute(sql: "DROP TRIGGER full") }
    while try !store.imageSnapshot().isEmpty { await Task.yield() }
    #expect(clock.now == .boot)
    running.cancel()
    await running.value
  }

  @Test("what a person has had tried, and has failed, is tried again after its own wait, not after the earlier one")
  func flushed() async throws {
    _ = try store.startSession(Fixture.user, token: Fixture.token, isValidated: true)
    let failures: [ScriptedServer.Reply] = [.answer(503, headers: ["Retry-After": "3600"]), .answer(500)]
    let server = try ScriptedServer { request, earlier in
      earlier.count < failures.count ? failures[earlier.count] : Self.accepted(request)
    }
    let uploader = try uploader(server)
    let events = await uploader.events()
    let running = Task { await uploader.run() }
    try commit()
    for await event in events { if case .retrying = event { break } }
    #expect(await uploader.flush().waiting == 1)
    clock.advance(by: .seconds(4))
    for await event in events { if case .recordSubmitted = event { break } }
    #expect(clock.now == .boot + .seconds(4))
    running.cancel()
    await running.value
  }
}
