import DeliverySupport
import Foundation
import HostPrimitives
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// Format, rate, clock and network of an uploader.
@Suite("Upload settings", .timeLimit(.minutes(60)))
struct UploadSettingTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  let clock = StoppedClock()

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  func uploader(
    _ server: ScriptedServer, at wallClock: Int64 = 0, format: WireFormat = .informV2,
    _ change: (inout DeliverySettings) -> Void = { _ in }
  ) throws -> DeliveryEngine {
    var settings = DeliverySettings()
    change(&settings)
    clock.unixMicroseconds = wallClock
    return DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), format: format, transport: CurlTransport(),
      settings: settings, clock: clock, jitter: { 1 })
  }

  func commit(_ records: [Record]) throws { _ = try store.commit([Fixture.unit(generation, records)]) }

  // MARK: Format

  @Test("the Legacy API gets its own path, token in the body, and its ids are kept")
  func legacy() async throws {
    let server = try ScriptedServer { request, _ in
      request.method == "GET"
        ? .answer(200) : .answer(201, body: #"{"code":201,"message":"Ok","diabetes":{"_id":"L7","blood_glucose":1}}"#)
    }
    let uploader = try uploader(server, format: .legacyV1)
    try commit([Fixture.glucose(1)])
    #expect(await uploader.drain().delivered == 1)
    let sent = try #require(server.posts.first)
    #expect(sent.path == "/v1/organizations/clinic/users/ada/diabetes.json")
    #expect(sent.headers["authorization"] == nil)
    let body = try #require(try JSONSerialization.jsonObject(with: Data(sent.body)) as? [String: Any])
    #expect(body["access_token"] as? String == "sesame-opens-0815")
    let record = try #require(body["diabetes"] as? [String: Any])
    #expect(record["activity_id"] as? String == Fixture.glucose(1).logID.description)
    #expect(record["blood_glucose"] as? Int == 112)
    #expect(try store.queueEntry(Fixture.glucose(1).logID).first?.receiverID == "L7")
  }

  @Test("what the Legacy API cannot carry is a dead letter with the reason, and nothing of it is sent")
  func legacyRefusal() async throws {
    let server = try ScriptedServer { _, _ in .answer(201) }
    let uploader = try uploader(server, format: .legacyV1)
    var draft = Fixture.draft(.cgm, seconds: 3_600)
    draft.channels = [.init("blood_glucose", unit: "mg/dL", points: [.init(Fixture.morning, "100")])]
    let record = try draft.record()
    try commit([record, Fixture.glucose(2)])
    let report = await uploader.drain()
    #expect(report.dead == 1 && report.delivered == 1)
    #expect(server.posts.count == 1)
    let entry = try #require(try store.queueSnapshot(states: [.dead]).first)
    #expect(entry.logID == record.logID && entry.reason == "not_encodable")
    #expect(entry.lastError?.hasPrefix("no_such_type") == true, "\(entry.lastError ?? "")")
  }

  @Test("of a Legacy answer that repeats the token nothing is kept either")
  func legacySecret() async throws {
    let server = try ScriptedServer { request, _ in
      request.method == "GET"
        ? .answer(200) : .answer(400, body: #"{"message":"sesame-opens-0815 said no","errors":{"weight":["no"]}}"#)
    }
    let uploader = try uploader(server, format: .legacyV1)
    try commit([Fixture.glucose(1)])
    _ = await uploader.drain()
    #expect(try store.queueSnapshot().first?.lastError == "HTTP 400 (it repeats the token, and is not kept)")
  }

  @Test(
    "ids in paths lead nowhere else",
    arguments: [
      ("a/b", "a%2Fb"), ("..", "%2E%2E"), (".", "%2E"), ("a.b", "a.b"), ("ä ?#%", "%C3%A4%20%3F%23%25"),
      ("a\nb", "a%0Ab"), ("x~-_9", "x~-_9"),
    ])
  func segments(text: String, segment: String) { #expect(ReceiverEndpoint.segment(text) == segment) }

  // MARK: Rate

  @Test("requests keep their distance, of all kinds together")
  func rate() async throws {
    let pacer = RequestPacer(requestsPerSecond: 2, clock: clock)
    try await pacer.waitForTurn()
    let second = Task { try await pacer.waitForTurn() }
    while clock.sleepers == 0 { await Task.yield() }
    clock.advance(by: .milliseconds(499))
    #expect(clock.sleepers == 1)
    clock.advance(by: .milliseconds(1))
    try await second.value
    clock.advance(by: .seconds(60))
    try await pacer.waitForTurn()
    let fourth = Task { try await pacer.waitForTurn() }
    while clock.sleepers == 0 { await Task.yield() }
    fourth.cancel()
    await #expect(throws: CancellationError.self) { try await fourth.value }
  }

  @Test("a rate and a concurrency outside what is possible become what is", arguments: [-1.0, 0, .nan, 1e12])
  func bounds(rate: Double) {
    var settings = DeliverySettings()
    settings.requestsPerSecond = rate
    settings.concurrency = -7
    #expect(DeliverySettings.rateRange.contains(settings.bounded.requestsPerSecond ?? -1))
    #expect(settings.bounded.concurrency == 1)
  }

  // MARK: Clock

  @Test("a receiver's clock that differs is reported once, and again when it agrees; records stay as they are")
  func skew() async throws {
    let dates = [
      "Sun, 01 Mar 2026 08:00:00 GMT", "Sun, 01 Mar 2026 08:00:05 GMT", "Sun, 01 Mar 2026 07:40:00 GMT", "nonsense",
      "Sun, 01 Mar 2026 07:40:20 GMT", "Sun, 01 Mar 2026 08:00:01 GMT",
    ]
    let server = try ScriptedServer { _, earlier in
      .answer(200, headers: ["Date": dates[min(earlier.count, dates.count - 1)]])
    }
    let uploader = try uploader(server, at: Fixture.morning) { $0.concurrency = 1 }
    let events = await uploader.events()
    for sequence in UInt64(1)...5 {
      try commit([Fixture.glucose(sequence)])
      _ = await uploader.drain()
    }
    #expect(server.posts.count == 5)
    var skews: [Int] = []
    for await case .clockSkew(let skew, let sink) in events {
      #expect(sink == MeterStore.defaultSink && skew.measuredMicroseconds == Fixture.morning)
      skews.append(skew.seconds)
      if skews.count == 2 { break }
    }
    #expect(skews == [-1200, 1])
    #expect(
      try store.clockSkews() == [MeterStore.defaultSink: ClockSkew(seconds: 1, measuredMicroseconds: Fixture.morning)])
    let body = String(decoding: try #require(server.posts.last).body, as: UTF8.self)
    #expect(body.contains("2026-03-01T07:00:00Z"))
  }

  // MARK: Network

  @Test("a change of the network tries at once what has failed, and nothing that the receiver has asked to wait")
  func network() async throws {
    let server = try ScriptedServer { request, earlier in
      let posts = earlier.filter { $0.method == "POST" }.count
      if request.method == "GET" { return .answer(200) }
      return posts == 0 ? .answer(500) : posts == 2 ? .answer(503, headers: ["Retry-After": "900"]) : .answer(201)
    }
    let uploader = try uploader(server) { $0.concurrency = 1 }
    let events = await uploader.events()
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    let task = Task { await uploader.run(networkChanges: changes) }
    var waits: [Duration] = []
    try commit([Fixture.glucose(1)])
    for await event in events {
      if case .retrying(_, let wait, _, _) = event {
        waits.append(wait)
        change.yield()
      }
      if case .recordSubmitted = event { break }
    }
    // The clock stands still: only the change can have caused the second attempt.
    #expect(waits == [.seconds(2)] && clock.now == .boot && server.posts.count == 2)
    try commit([Fixture.glucose(2)])
    for await event in events {
      if case .retrying(_, let wait, _, _) = event {
        #expect(wait == .seconds(902))
        break
      }
    }
    task.cancel()
    await task.value
    await uploader.tryAtOnce()
    #expect(await uploader.drain().delivered == 0)
    clock.advance(by: .seconds(902))
    #expect(await uploader.drain().delivered == 1)
    #expect(server.posts.count == 4)
  }
}
