import Foundation
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import MeterCore

/// A sink behind a broker: what is delivered is taken, and the receiver says later what became of it.
private final class BrokerSink: Sink {
  let capabilities = SinkCapabilities(batchSize: 10, confirmsLater: true)
  private let sent = Mutex<[LogID]>([])
  private let (stream, continuation) = AsyncStream.makeStream(of: SinkConfirmation.self)
  /// The receiver is quicker than the sink's own reply.
  private let overtakes: Bool

  init(overtakes: Bool = false) { self.overtakes = overtakes }

  var names: [LogID] { sent.withLock(\.self) }

  func check(_ credential: SinkCredential) async -> CredentialReply { CredentialReply(.accepted) }

  func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] {
    sent.withLock { $0 += records.map(\.logID) }
    if overtakes {
      for record in records {
        continuation.yield(
          SinkConfirmation(logID: record.logID, revision: record.revision, SinkReply(.delivered(id: "r"))))
      }
    }
    return records.map { _ in SinkReply(.unconfirmed(within: .seconds(60))) }
  }

  func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply { SinkReply(.delivered()) }

  func confirmations() async -> AsyncStream<SinkConfirmation> { stream }
}

@Suite("Readings that a receiver has not confirmed", .timeLimit(.minutes(60)))
struct UnconfirmedTests {
  private let folder: TemporaryFolder
  private let clock = StoppedClock()

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> MeterStore {
    let store = try MeterStore(folder: folder.whenFree())
    if try store.currentSession().user == nil { _ = try store.startSession(Fixture.user, token: Fixture.token) }
    return store
  }

  private func engine(_ store: MeterStore, _ sink: BrokerSink) -> DeliveryEngine {
    DeliveryEngine(store: store, receiver: sink, clock: clock, jitter: { 1 })
  }

  private func commit(_ sequences: ClosedRange<UInt64>, to store: MeterStore) throws {
    let generation = try store.currentSession().generation
    _ = try store.commit([Fixture.unit(generation, sequences.map { Fixture.glucose($0) })])
  }

  @Test("are neither delivered nor sent again until their time is over, also after a restart")
  func restart() async throws {
    let sink = BrokerSink()
    do {
      let store = try open()
      try commit(1...2, to: store)
      let report = await engine(store, sink).drain()
      #expect(report.delivered == 0 && report.waiting == 2)
      #expect(report.nextTry.map { $0 <= .seconds(60) } == true)
    }
    let store = try open()
    #expect(try store.tally() == [.inFlight: 2], "a restart takes nothing back that somebody in between has")
    _ = await engine(store, sink).drain()
    #expect(sink.names.count == 2)
    clock.unixMicroseconds += 61_000_000
    clock.advance(by: .seconds(61))
    _ = await engine(store, sink).drain()
    #expect(sink.names == [1, 2, 1, 2].map { Fixture.glucose($0).logID }, "under the same names")
  }

  @Test("are done with when it says so, each as it says")
  func confirmations() async throws {
    let (sink, store) = (BrokerSink(), try open())
    try commit(1...3, to: store)
    let engine = engine(store, sink)
    _ = await engine.drain()
    await engine.take(SinkConfirmation(logID: Fixture.glucose(1).logID, revision: 1, SinkReply(.delivered(id: "r1"))))
    await engine.take(
      SinkConfirmation(logID: Fixture.glucose(2).logID, revision: 1, SinkReply(.refused(reason: "invalid"), text: "no"))
    )
    await engine.take(
      SinkConfirmation(logID: Fixture.glucose(3).logID, revision: 1, SinkReply(.retry(), text: "later")))
    #expect(try store.tally() == [.dead: 1, .pending: 1])
    #expect(try store.queueEntry(Fixture.glucose(1).logID).map(\.receiverID) == ["r1"])
    #expect(try store.sinks().first?.lastSuccessMicroseconds != nil)
  }

  @Test("are not settled by what is said of another revision, of nothing, or twice")
  func strangers() async throws {
    let (sink, store) = (BrokerSink(), try open())
    try commit(1...1, to: store)
    let engine = engine(store, sink)
    _ = await engine.drain()
    let name = Fixture.glucose(1).logID
    await engine.take(SinkConfirmation(logID: name, revision: 2, SinkReply(.delivered(id: "x"))))
    await engine.take(SinkConfirmation(logID: Fixture.glucose(9).logID, revision: 1, SinkReply(.delivered(id: "x"))))
    #expect(try store.tally() == [.inFlight: 1])
    for id in ["first", "second"] {
      await engine.take(SinkConfirmation(logID: name, revision: 1, SinkReply(.delivered(id: id))))
    }
    #expect(try store.queueEntry(name).map(\.receiverID) == ["first"])
  }

  @Test("are settled by a running engine, even by what overtakes the reply that leaves them open")
  func running() async throws {
    let (sink, store) = (BrokerSink(overtakes: true), try open())
    let engine = engine(store, sink)
    let events = await engine.events()
    let running = Task { await engine.run() }
    defer { running.cancel() }
    try commit(1...20, to: store)
    var confirmed = 0
    for await event in events where confirmed < 20 {
      if case .recordSubmitted(_, _, let id, _) = event, id == "r" { confirmed += 1 }
      if confirmed == 20 { break }
    }
    #expect(try store.tally() == [:] && sink.names.count == 20)
  }

  @Test("go out again at once when their sink is set up anew")
  func newSetting() async throws {
    let (sink, store) = (BrokerSink(), try open())
    try commit(1...1, to: store)
    _ = await engine(store, sink).drain()
    _ = try store.startSession(Fixture.user, token: Fixture.token, options: SessionOptions(receiver: .unknown([2])))
    #expect(try store.tally() == [.pending: 1])
  }
}
