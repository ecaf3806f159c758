import Foundation
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import MeterCore

/// A sink that takes everything, and whose word is that of a broker or of a receiver.
private final class TakingSink: Sink {
  let capabilities: SinkCapabilities
  private let taken = Mutex<[LogID]>([])

  init(_ acknowledgement: Acknowledgement, keeps: Duration? = nil) {
    capabilities = SinkCapabilities(batchSize: 10, acknowledgement: acknowledgement, keepsContent: keeps)
  }

  var names: [LogID] { taken.withLock(\.self) }

  func check(_ credential: SinkCredential) async -> CredentialReply { CredentialReply(.accepted) }

  func deliver(_ records: [MeterCore.Record], with credential: SinkCredential) async -> [SinkReply] {
    taken.withLock { $0 += records.map(\.logID) }
    return records.map { _ in SinkReply(.delivered(id: "b")) }
  }

  func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply { SinkReply(.delivered()) }
}

@Suite("What only a broker has acknowledged", .timeLimit(.minutes(60)))
struct KeptContentTests {
  private static let week: Int64 = 7 * 86_400 * 1_000_000
  private let folder: TemporaryFolder
  private let clock = StoppedClock()
  private let now = MeterStore.wallClockMicroseconds

  init() throws {
    folder = try TemporaryFolder()
    clock.unixMicroseconds = now
  }

  private func open() throws -> MeterStore {
    let store = try MeterStore(folder: folder.whenFree())
    if try store.currentSession().user == nil { _ = try store.startSession(Fixture.user, token: Fixture.token) }
    return store
  }

  private func engine(
    _ store: MeterStore, _ sink: TakingSink, as name: String = MeterStore.defaultSink
  ) -> DeliveryEngine {
    DeliveryEngine(store: store, sink: name, receiver: sink, clock: clock, jitter: { 1 })
  }

  @discardableResult
  private func commit(_ sequences: ClosedRange<UInt64>, to store: MeterStore) throws -> CommitReceipt {
    let generation = try store.currentSession().generation
    return try store.commit([Fixture.unit(generation, sequences.map { Fixture.glucose($0) })])[0]
  }

  private func keptFiles() throws -> [URL] {
    let recovery = folder.state.appending(path: "recovery")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: recovery.path)) ?? []
    return names.filter { $0.hasPrefix("kept-until-") }.map { recovery.appending(path: $0) }
  }

  @Test("is delivered, waits for nothing, and stays for a week, also after a restart")
  func restart() async throws {
    let sink = TakingSink(.broker)
    do {
      let store = try open()
      try commit(1...2, to: store)
      let report = await engine(store, sink).drain()
      #expect(report.delivered == 2 && report.waiting == 0)
      #expect(try store.queueSnapshot().isEmpty, "what waits is asked for")
    }
    let store = try open()
    _ = await engine(store, sink).drain()
    #expect(sink.names.count == 2, "a restart sends nothing again")
    #expect(try store.keptCount() == 2 && store.usage().records == 2)
    let entry = try #require(try store.queueSnapshot(states: [.delivered]).first)
    #expect(entry.record == Fixture.glucose(1) && entry.keptUntilMicroseconds == now + Self.week)
    #expect(try commit(1...2, to: store).duplicates.count == 2, "a meter that resends everything causes nothing")
    #expect(try store.forgetKept(nowMicroseconds: now + Self.week - 1) == 0)
    #expect(try store.forgetKept(nowMicroseconds: now + Self.week) == 2)
    #expect(try store.usage().records == 0 && store.tally() == [:])
    #expect(try store.queueEntry(Fixture.glucose(1).logID).map(\.state) == [.delivered], "its trace is remembered")
    #expect(try commit(1...2, to: store).duplicates.count == 2)
  }

  @Test("stays as long as its sink says", arguments: [Duration.zero, .seconds(60)])
  func option(keeps: Duration) async throws {
    let store = try open()
    try commit(1...1, to: store)
    _ = await engine(store, TakingSink(.broker, keeps: keeps)).drain()
    #expect(try store.keptCount() == (keeps == .zero ? 0 : 1))
    try store.forgetKept(nowMicroseconds: now + 60_000_000)
    #expect(try store.usage().records == 0)
  }

  @Test("does not stay where a receiver has it, whichever answers first", arguments: [true, false])
  func stronger(brokerFirst: Bool) async throws {
    let store = try open()
    try store.setSink("broker", .unknown([1]), token: nil)
    try commit(1...1, to: store)
    let own = engine(store, TakingSink(.receiver))
    let broker = engine(store, TakingSink(.broker), as: "broker")
    for engine in brokerFirst ? [broker, own] : [own, broker] {
      #expect(try store.usage().records == 1)
      _ = await engine.drain()
    }
    #expect(try store.usage().records == 0 && store.keptCount() == 0)
  }

  @Test("stays where the receiver that was to have it is removed")
  func removedReceiver() async throws {
    let store = try open()
    try store.setSink("archive", .unknown([1]), token: nil)
    try commit(1...1, to: store)
    _ = await engine(store, TakingSink(.broker)).drain()
    #expect(try store.keptCount() == 0, "it waits for the other one")
    try store.removeSink("archive")
    #expect(try store.keptCount() == 1)
  }

  @Test("is sent again under its own name when a person asks, one or all")
  func again() async throws {
    let (store, sink) = (try open(), TakingSink(.broker))
    try commit(1...3, to: store)
    _ = await engine(store, sink).drain()
    let first = Fixture.glucose(1).logID
    #expect(try store.resubmit([first]) == [first])
    #expect(try store.tally() == [.pending: 1, .delivered: 2])
    _ = await engine(store, sink).drain()
    #expect(sink.names == [1, 2, 3, 1].map { Fixture.glucose($0).logID })
    #expect(try store.resubmitKept() == Set((1...3).map { Fixture.glucose($0).logID }))
    _ = await engine(store, sink).drain()
    #expect(try sink.names.count == 7 && store.keptCount() == 3)
    #expect(try store.resubmitAll().isEmpty, "nothing was refused")
    #expect(try store.discard([first]) == [first] && store.keptCount() == 2, "a person may throw it away")
  }

  @Test("goes into a file of its own at the session's end, which tells of nothing that is left, and comes back from it")
  func sessionEnd() async throws {
    let (store, sink) = (try open(), TakingSink(.broker))
    try commit(1...2, to: store)
    _ = await engine(store, sink).drain()
    let ended = try #require(try store.endSession())
    #expect(ended.unsynced == 0 && ended.recoveryFile == nil)
    let file = try #require(try keptFiles().first)
    #expect(try UnsyncedPage(of: file).entries.map(\.state) == [.delivered, .delivered])
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    #expect(try commit(1...2, to: store).duplicates.count == 2, "it is delivered")
    #expect(try store.recover(file).pending == [1, 2].map { Fixture.glucose($0).logID })
    #expect(try store.recover(file).known.count == 2, "once")
    // What is sent again is left when the session ends before: it is not delivered any more.
    let left = try #require(try store.endSession())
    #expect(left.unsynced == 2)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    #expect(try store.recover(try #require(left.recoveryFile)).pending.count == 2)
    _ = await engine(store, sink).drain()
    #expect(sink.names == [1, 2, 1, 2].map { Fixture.glucose($0).logID })
  }

  @Test("is removed from its file's folder when its time is over, and no other file is")
  func oldFiles() async throws {
    let store = try open()
    try commit(1...1, to: store)
    _ = await engine(store, TakingSink(.broker)).drain()
    try commit(2...2, to: store)
    let left = try #require(try store.endSession()?.recoveryFile)
    store.removeKeptFiles(nowMicroseconds: now + Self.week - 1_000_000)
    #expect(try keptFiles().count == 1)
    store.removeKeptFiles(nowMicroseconds: now + Self.week + 1_000_000)
    #expect(try keptFiles().isEmpty && FileManager.default.fileExists(atPath: left.path))
  }

  @Test("gets its time from when the host knows the date, a week at least", arguments: [nil, 1, 30] as [Int64?])
  func unknownDate(days: Int64?) async throws {
    let store = try open()
    clock.unixMicroseconds = 1_000_000
    try commit(1...1, to: store)
    let uptime = clock.unixMicroseconds
    _ = await engine(store, TakingSink(.broker, keeps: days.map { Duration.seconds($0 * 86_400) })).drain()
    #expect(try store.forgetKept(nowMicroseconds: now) == 0)
    let day = Self.week / 7
    #expect(
      try store.queueSnapshot(states: [.delivered]).first?.keptUntilMicroseconds
        == now + max(Self.week, (days ?? 7) * day + uptime))
    #expect(try store.forgetKept(nowMicroseconds: now + Self.week - day) == 0, "it is put off once")
    #expect(try store.forgetKept(nowMicroseconds: now + 31 * day) == 1)
  }

  @Test("makes room for new readings before they are refused")
  func fullQueue() async throws {
    let store = try open()
    try store.setLimits(QueueLimits(records: 3))
    try commit(1...3, to: store)
    _ = await engine(store, TakingSink(.broker)).drain()
    #expect(try store.keptCount() == 3)
    try commit(4...5, to: store)
    #expect(try store.tally()[.pending] == 2)
    #expect(throws: StoreError.self) { try commit(6...9, to: store) }
    #expect(try store.tally()[.pending] == 2, "and nothing that waits goes for it")
  }
}
