import DeliverySupport
import Foundation
import HostPrimitives
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import MeterCore

/// Images that are refused, if not for good, or fail alone: each attempt costs megabytes.
@Suite("Refused images", .timeLimit(.minutes(60)))
struct ImageRefusalTests: UploadingTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration
  let clock = StoppedClock()

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token, isValidated: true).session.generation
    clock.unixMicroseconds = Fixture.morning
  }

  private static let page = ScriptedServer.Reply.answer(413, body: "<html>413 Request Entity Too Large</html>")

  private func advance(by time: Duration) {
    clock.advance(by: time)
    clock.unixMicroseconds += Int64(time.milliseconds) * 1000
  }

  /// A record with images, which are told apart by their numbers.
  private func commit(_ sequence: UInt64, images: ClosedRange<UInt8>) throws {
    let record = Fixture.glucose(sequence)
    _ = try store.commit([
      CommitUnit(
        generation: generation, records: [CommitRecord(record: record, disposition: .pending)],
        images: images.map { CommitImage(logID: record.logID, image: try Fixture.image($0)) })
    ])
  }

  /// Answers images with a reply, by their numbers; nil accepts.
  private func server(_ reply: @escaping @Sendable (UInt8) -> ScriptedServer.Reply?) throws -> ScriptedServer {
    try ScriptedServer { request, _ in
      guard request.path.hasSuffix("/media") else { return .answer(200, body: #"{"data":{"id":"r1"}}"#) }
      return reply(request.body.last ?? 0) ?? .answer(201)
    }
  }

  private func images(_ server: ScriptedServer) -> [UInt8] {
    server.posts.filter { $0.path.hasSuffix("/media") }.compactMap(\.body.last)
  }

  /// Delivers as often as there is something to try.
  ///
  /// - Returns: The waits in seconds.
  private func waits(_ uploader: DeliveryEngine, _ count: Int) async throws -> [Int] {
    var waits: [Int] = []
    while waits.count < count {
      let wait = try #require(await uploader.drain().nextTry)
      waits.append(Int(wait.components.seconds))
      if waits.count < count { advance(by: wait) }
    }
    return waits
  }

  @Test(
    "go out ever more rarely, hours apart at last, say so, and wait so in the next process",
    arguments: [
      page, .answer(404, body: #"{"message":"no Route matched with those values"}"#), .answer(404, body: "not found"),
      .answer(200, body: #"{"errors":["no images here"]}"#), .answer(200, body: "<html>app</html>"),
      .answer(403, body: #"{"message":"no"}"#), .answer(405, body: ""), .answer(501), .answer(302),
      .answer(415, body: "no"),
    ] as [ScriptedServer.Reply])
  func rare(reply: ScriptedServer.Reply) async throws {
    let server = try server { _ in reply }
    let first = try uploader(server)
    let events = await first.events()
    try commit(1, images: 1...1)
    let doubled = (1...14).map { 1 << $0 }
    #expect(try await waits(first, 8) == Array(doubled[..<8]))
    #expect(try store.imageSnapshot().first?.lastError?.contains("ever more rarely") == false)
    #expect(try await waits(first, 1) == [256], "before its time nothing is sent")
    #expect(images(server).count == 8)
    advance(by: .seconds(256))
    #expect(try await waits(first, 7) == Array(doubled[8...]) + [21_600])
    #expect(images(server).count == 15)
    let entry = try #require(try store.imageSnapshot().first)
    #expect(entry.state == .pending && entry.attempts == 15)
    #expect(entry.lastError?.contains("ever more rarely") == true)
    for await case .imageRetrying(_, _, let wait, let error, _) in events where wait > .seconds(300) {
      #expect(wait == .seconds(512) && error.contains("ever more rarely"))
      break
    }
    let next = try uploader(server)
    advance(by: .seconds(3600))
    #expect(await next.drain().nextTry == .seconds(18_000))
    // It was not the network that refused it.
    await next.tryAtOnce()
    #expect(await next.drain().nextTry == .seconds(18_000))
    #expect(images(server).count == 15)
    // A person who asks is obeyed.
    _ = await next.flush()
    #expect(images(server).count == 16)
  }

  @Test(
    "are those that an answer refuses: an outage makes no wait longer than five minutes",
    arguments: [500, 502, 503, 429])
  func outage(status: Int) async throws {
    let server = try server { _ in .answer(status) }
    try commit(1, images: 1...1)
    #expect(try await waits(uploader(server), 11) == (1...8).map { 1 << $0 } + [300, 300, 300])
    #expect(try store.imageSnapshot().first?.lastError?.contains("rarely") == false)
  }

  @Test(
    "and those that fail while the receiver takes others hold none of these up", arguments: [page, .answer(500), .drop])
  func alone(reply: ScriptedServer.Reply) async throws {
    let server = try server { $0 <= 2 ? reply : nil }
    let uploader = try uploader(server)
    try commit(1, images: 1...3)
    // Two that fail may be an outage, for once.
    #expect(await uploader.drain().images == 0)
    advance(by: .seconds(2))
    #expect(await uploader.drain().images == 1)
    for number in UInt8(4)...40 {
      advance(by: .seconds(300))
      _ = await uploader.drain()
      try commit(UInt64(number), images: number...number)
      let report = await uploader.drain()
      #expect(report.images == 1 && report.waitingImages == 2, "\(number)")
    }
    let entries = try store.imageSnapshot()
    #expect(entries.count == 2 && entries.allSatisfy { $0.lastError?.contains("ever more rarely") == true })
  }

  @Test(
    "take turns, so that a receiver that takes none is sent few, however many there are and however often a process begins",
    arguments: [nil, Duration.seconds(600)])
  func turns(apart: Duration?) async throws {
    let server = try server { _ in Self.page }
    try commit(1, images: 1...16)
    let end = HostInstant.boot + .seconds(48 * 3600)
    let half = HostInstant.boot + .seconds(24 * 3600)
    var before = 0
    while clock.now < end {
      // Each time in another process, as when a timer starts it: when one is due, or every few minutes.
      let next = try uploader(server)
      let wait = try #require(await next.drain().nextTry)
      if clock.now < half { before = images(server).count }
      advance(by: apart ?? max(wait, .seconds(1)))
    }
    // Each by itself would be sent four times a day.
    let sent = Array(images(server)[before...])
    #expect(sent.count <= 32 && Set(sent).count >= (apart == nil ? 12 : 11), "\(sent)")
  }

  @Test("rest also where others are taken meanwhile, each time by another process")
  func besideTaken() async throws {
    let taken: UInt8 = 200
    let server = try server { $0 == taken ? nil : Self.page }
    func refused() -> Int { images(server).count { $0 != taken } }
    try commit(1, images: 1...6)
    let first = try uploader(server)
    while try store.imageSnapshot().contains(where: { $0.attempts < 13 }) {
      let wait = try #require(await first.drain().nextTry)
      advance(by: max(wait, .seconds(1)))
    }
    // Six, each of which would be sent four times a day by itself.
    var rounds: [Int] = []
    for round in 0..<144 {
      // What a taken image ends is the count of failures, and not the rest of those that were refused.
      try commit(UInt64(1000 + round), images: taken...taken)
      let before = refused()
      #expect(try await uploader(server).drain().images == 1, "\(round)")
      if refused() > before { rounds.append(round) }
      #expect(refused() <= before + 1)
      advance(by: .seconds(600))
    }
    #expect(rounds.count > 6 && zip(rounds, rounds.dropFirst()).allSatisfy { $1 - $0 >= 12 }, "\(rounds)")
  }

  @Test("rest in the next process, though no failure is counted any more")
  func keptRest() throws {
    let lasting = clock.now + .seconds(7200)
    var keeper = WaitKeeper(store, sink: MeterStore.defaultSink, .images, clock: clock)
    try keeper.keep(WaitKeeper.Wait(restUntil: clock.now + .seconds(60), failures: 3))
    try keeper.keep(WaitKeeper.Wait(restUntil: lasting))
    var next = WaitKeeper(store, sink: MeterStore.defaultSink, .images, clock: clock)
    var wait = WaitKeeper.Wait()
    #expect(try next.restore(&wait) && wait.restUntil == lasting && wait.failures == 0)
    advance(by: .seconds(7200))
    try next.keep(wait)
    #expect(try store.sinkWait(MeterStore.defaultSink, .images) == nil)
  }

  @Test("go out at once when one of them is taken")
  func released() async throws {
    let isTaken = Mutex(false)
    let server = try server { _ in isTaken.withLock { $0 } ? nil : Self.page }
    try commit(1, images: 1...3)
    for _ in 0..<60 {
      let next = try uploader(server)
      advance(by: try #require(await next.drain().nextTry))
    }
    isTaken.withLock { $0 = true }
    var taken = 0
    for _ in 0..<50 where taken == 0 {
      advance(by: .seconds(300))
      let next = try uploader(server)
      taken = await next.drain().images
    }
    #expect(taken == 3)
  }
}
