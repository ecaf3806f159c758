import DeliverySupport
import Foundation
import HostPrimitives
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// What a receiver is waited for outlives the process that was told of it.
@Suite("Waits for a receiver", .timeLimit(.minutes(60)))
struct SinkWaitTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  let clock = StoppedClock()

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    clock.unixMicroseconds = 1_790_000_000_000_000
  }

  private func advance(by time: Duration) {
    clock.advance(by: time)
    let (seconds, attoseconds) = time.components
    clock.unixMicroseconds += seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// The uploader of another process: it knows what the folder knows.
  private func uploader(_ server: ScriptedServer, concurrency: Int = 1) throws -> DeliveryEngine {
    var settings = DeliverySettings()
    settings.concurrency = concurrency
    return DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(), settings: settings,
      clock: clock, jitter: { 1 })
  }

  private func commit(_ sequences: ClosedRange<UInt64>, images: [RecordImage] = []) throws {
    let unit = Fixture.unit(generation, sequences.map { Fixture.glucose($0) })
    _ = try store.commit([
      CommitUnit(
        generation: unit.generation, meter: unit.meter, family: unit.family, records: unit.records,
        images: images.map { CommitImage(logID: Fixture.glucose(sequences.lowerBound).logID, image: $0) })
    ])
  }

  /// Answers the post with this number, counted from 0, and accepts all others.
  private func server(_ number: Int, _ reply: ScriptedServer.Reply, media: Bool = false) throws -> ScriptedServer {
    try ScriptedServer { request, earlier in
      guard request.method == "POST" else { return .answer(200) }
      let isAsked = request.path.hasSuffix("/media") == media
      let before = earlier.filter { $0.method == "POST" && $0.path.hasSuffix("/media") == media }.count
      return isAsked && before == number ? reply : .answer(201, body: #"{"data":{"id":"r1"}}"#)
    }
  }

  @Test(
    "what the receiver asks for is waited for by the next process, and no longer than is reasonable",
    arguments: [
      ("30", 32), ("90", 92), ("0", 2), ("86400", 86_402), ("999999999999", 86_402),
      ("99999999999999999999999999", 86_402),
    ])
  func retryAfter(field: String, seconds: Int) async throws {
    let server = try server(0, .answer(503, headers: ["Retry-After": field]))
    try commit(1...1)
    _ = await (try uploader(server)).drain()
    #expect(server.posts.count == 1)
    try commit(2...2)
    advance(by: .milliseconds(80))
    let second = await (try uploader(server)).drain()
    #expect(second.delivered == 0 && second.waiting == 2 && server.posts.count == 1)
    #expect(second.nextTry == .seconds(seconds) - .milliseconds(80))
    advance(by: .seconds(seconds) - .milliseconds(81))
    #expect(await (try uploader(server)).drain().delivered == 0)
    advance(by: .milliseconds(1))
    #expect(await (try uploader(server)).drain().delivered == 2)
    #expect(try store.sinkWaits(at: BootClock(clock)).isEmpty)
  }

  @Test("failures are counted on, so that their waits grow from process to process")
  func backoff() async throws {
    let server = try ScriptedServer { _, _ in .answer(500) }
    try commit(1...1)
    for seconds in [2, 4, 8, 16] {
      let report = await (try uploader(server)).drain()
      #expect(report.nextTry == .seconds(seconds), "\(seconds)")
      advance(by: .seconds(seconds))
    }
  }

  @Test("a reading that has failed by itself waits by itself, and the others pass it")
  func alone() async throws {
    let server = try server(0, .answer(500))
    try commit(1...2)
    let first = await (try uploader(server, concurrency: 2)).drain()
    #expect(first.delivered == 1 && first.waiting == 1)
    try commit(3...3)
    advance(by: .seconds(1))
    let second = await (try uploader(server, concurrency: 2)).drain()
    #expect(second.delivered == 1 && second.waiting == 1)
    advance(by: .seconds(1))
    #expect(await (try uploader(server, concurrency: 2)).drain().delivered == 1)
    // A date that went back makes its wait no longer than failures make any.
    let failing = try self.server(0, .answer(500))
    try commit(4...5)
    _ = await (try uploader(failing, concurrency: 2)).drain()
    clock.unixMicroseconds -= 86_400_000_000
    advance(by: .seconds(1))
    let report = await (try uploader(failing, concurrency: 2)).drain()
    #expect(report.delivered == 0 && report.nextTry == .seconds(300))
  }

  @Test("a person who says that the receiver is back is believed, and so is a new token")
  func byHand() async throws {
    let server = try server(0, .answer(503, headers: ["Retry-After": "3600"]))
    try commit(1...1)
    _ = await (try uploader(server)).drain()
    #expect(try store.sinkWaits(at: BootClock(clock)).keys.sorted() == [MeterStore.defaultSink])
    #expect(await (try uploader(server)).flush().delivered == 1)
    #expect(try store.sinkWaits(at: BootClock(clock)).isEmpty)

    let other = try self.server(0, .answer(503, headers: ["Retry-After": "3600"]))
    try commit(2...2)
    _ = await (try uploader(other)).drain()
    #expect(await (try uploader(other)).drain().delivered == 0)
    _ = try store.startSession(Fixture.user, token: AccessToken("another-token-0815"))
    #expect(await (try uploader(other)).drain().delivered == 1)
  }

  @Test("the end of a session ends its waits")
  func sessionEnds() async throws {
    let server = try server(0, .answer(503, headers: ["Retry-After": "3600"]))
    try commit(1...1)
    _ = await (try uploader(server)).drain()
    try store.endSession()
    #expect(try store.sinkWaits(at: BootClock(clock)).isEmpty)
  }

  @Test("an image's wait is kept, too, and holds no reading up")
  func image() async throws {
    let server = try server(0, .answer(503, headers: ["Retry-After": "60"]), media: true)
    try commit(1...1, images: [Fixture.image(1)])
    let first = await (try uploader(server)).drain()
    #expect(first.delivered == 1 && first.waitingImages == 1)
    try commit(2...2)
    let second = await (try uploader(server)).drain()
    #expect(second.delivered == 1 && second.images == 0)
    advance(by: .seconds(62))
    #expect(await (try uploader(server)).drain().images == 1)
  }

  @Test("a network that comes back ends waits for failures, and none that the receiver has asked for")
  func network() async throws {
    let busy = try server(0, .answer(503, headers: ["Retry-After": "60"]))
    try commit(1...1)
    _ = await (try uploader(busy)).drain()
    let next = try uploader(busy)
    await next.tryAtOnce()
    #expect(await next.drain().delivered == 0)
    advance(by: .seconds(62))
    #expect(await (try uploader(busy)).drain().delivered == 1)
    let failing = try server(0, .answer(500))
    try commit(2...2)
    _ = await (try uploader(failing)).drain()
    let back = try uploader(failing)
    await back.tryAtOnce()
    #expect(await back.drain().delivered == 1)
  }

  private func wait(_ pause: Int64, notedAt boot: String, _ bootSeconds: Int64, _ seconds: Int64) -> SinkWait {
    SinkWait(
      noted: BootClock(
        bootID: boot, bootMicroseconds: bootSeconds * 1_000_000, utcMicroseconds: seconds * 1_000_000),
      pause: .seconds(pause), asked: .seconds(pause), rest: .seconds(pause), failures: 1, error: "HTTP 503")
  }

  @Test(
    "is counted by the time since boot, in another boot by the date, and never grows",
    arguments: [
      // The same boot: the date does not matter.
      ("a", 110, 5_000, 20), ("a", 125, 1_000, 5), ("a", 130, 1_000, 0), ("a", 400, 0, 0), ("a", 90, 1_000, 30),
      // Another boot.
      ("b", 10, 1_010, 20), ("b", 10, 1_030, 0), ("b", 10, 9_999, 0),
      // A date that went back, as of a machine without a clock: as long as it was, and no longer.
      ("b", 10, 0, 30), ("b", 10, 999, 30),
    ] as [(String, Int64, Int64, Int64)])
  func counted(boot: String, bootSeconds: Int64, seconds: Int64, left: Int64) {
    let now = BootClock(bootID: boot, bootMicroseconds: bootSeconds * 1_000_000, utcMicroseconds: seconds * 1_000_000)
    let wait = wait(30, notedAt: "a", 100, 1_000)
    #expect(wait.left(at: now) == .seconds(left))
    #expect(wait.isAsked(at: now) == (left > 0) && wait.restLeft(at: now) == .seconds(left))
  }

  @Test("of a folder that says something absurd is bounded", arguments: [Int64.max, .min, 1 << 60])
  func absurd(seconds: Int64) throws {
    let text = #"""
      {"bootID": "a", "notedBootMicroseconds": \#(seconds), "notedMicroseconds": \#(seconds),
       "pauseMicroseconds": \#(seconds), "askedMicroseconds": \#(seconds), "failures": 1, "error": ""}
      """#
    let wait = try JSONDecoder().decode(SinkWait.self, from: Data(text.utf8))
    for boot in ["a", "b"] {
      for moment in [Int64.min, 0, .max] {
        let now = BootClock(bootID: boot, bootMicroseconds: moment, utcMicroseconds: moment)
        #expect((Duration.zero ... .seconds(172_800)).contains(wait.left(at: now)))
        #expect(wait.restLeft(at: now) == .zero, "an earlier version says nothing of a rest")
      }
    }
  }
}
