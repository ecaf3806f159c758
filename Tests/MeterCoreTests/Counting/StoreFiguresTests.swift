import Foundation
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import MeterCore

/// What is counted of a store, and what its numbers are.
@Suite("Numbers of a store", .timeLimit(.minutes(60))) struct StoreFiguresTests {
  private let folder: TemporaryFolder
  private let store: MeterStore
  private let generation: SessionGeneration

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  private func commit(_ records: [Record], _ disposition: Disposition = .pending) throws {
    _ = try store.commit([Fixture.unit(generation, records, disposition: disposition)])
  }

  @Test("an empty folder has no receivers without a session, and numbers all the same") func empty() throws {
    let other = try TemporaryFolder()
    let figures = try MeterStore(folder: other.state).figures(withMeters: true)
    #expect(figures == StoreFigures())
  }

  @Test("deliveries are counted by receiver and state, with the oldest that is still to go") func queue() throws {
    try store.setSink("research", .unknown([1]), token: AccessToken("research-opens-0815"))
    try commit([Fixture.glucose(1)])
    let between = MeterStore.wallClockMicroseconds
    try commit([Fixture.glucose(2), Fixture.glucose(3)])
    try commit([Fixture.glucose(4)], .held(.awaitingConfirmation))
    let tickets = try store.claim(sink: "inform", limit: 1)
    _ = try store.resolve([(tickets[0], .delivered(receiverID: "a"))])
    // The oldest of the others has failed: it stands behind those that have not, and is the oldest all the same.
    let again = try store.claim(sink: "inform", limit: 1)
    _ = try store.resolve([(again[0], .retry(error: "later", nextTryMicroseconds: nil))])
    _ = try store.claim(sink: "research", limit: 1)
    let figures = try store.figures()
    let counts = Dictionary(
      uniqueKeysWithValues: figures.deliveries.map { ("\($0.sink) \($0.state.rawValue)", $0.count) })
    #expect(counts["inform pending"] == 2 && counts["inform held"] == 1 && counts["research held"] == 1)
    #expect(counts["research pending"] == 2 && counts["research inFlight"] == 1)
    #expect(figures.sinks.map(\.name) == ["inform", "research"])
    let oldest = figures.sinks.compactMap(\.oldestMicroseconds)
    #expect(oldest.count == 2 && oldest[0] >= between && oldest[1] <= between)
    #expect(figures.bytes > 0)
  }

  @Test("refused readings are counted by reason") func deadLetters() throws {
    try commit((1...4).map { Fixture.glucose($0) })
    let tickets = try store.claim(sink: "inform", limit: 9)
    _ = try store.resolve(
      tickets.enumerated().map { ($1, .dead(reason: $0 == 0 ? "http-400" : "http-422", error: "no")) })
    let letters = try store.figures().deadLetters
    #expect(letters.map(\.reason) == ["http-400", "http-422"] && letters.map(\.count) == [1, 3])
  }

  @Test("meters that were read are listed where it is asked for") func meters() throws {
    try store.noteMeter(
      MeterSighting(Fixture.meter, peripheral: 1000, address: "C0:FF:EE:00:00:01", addressKind: .public, isRead: true))
    let figures = try store.figures()
    #expect(figures.meters.isEmpty && figures.lastReadMicroseconds != nil)
    let listed = try store.figures(withMeters: true).meters
    #expect(listed.map(\.uuid) == [Fixture.meter.peripheralUUID])
    #expect(listed.map(\.readMicroseconds) == [try #require(figures.lastReadMicroseconds)])
  }

  @Test("a backup that is noted, and a note that cannot be read") func backup() throws {
    #expect(try store.figures().backupMicroseconds == nil)
    try store.setHostSetting(#"{"microseconds":1700000000000000,"hasKey":true}"#, "backup")
    #expect(try store.figures().backupMicroseconds == 1_700_000_000_000_000)
    try store.setHostSetting("{}", "backup")
    #expect(try store.figures().backupMicroseconds == nil)
  }

  @Test("each transaction that changes something is told once, and each reading that is new") func events() throws {
    let heard = Mutex<[CountedEvent]>([])
    store.counted.listen { event in heard.withLock { $0.append(event) } }
    try commit([Fixture.glucose(1), Fixture.glucose(2)])
    try commit([Fixture.glucose(3)], .held(.awaitingConfirmation))
    // What a meter repeats.
    try commit([Fixture.glucose(1)])
    // Context that comes later.
    try commit([Fixture.glucose(2, context: [Fixture.beforeMeal])])
    let filed = heard.withLock(\.self).compactMap { event -> FiledState? in
      guard case .filed(.diabetes, let state) = event else { return nil }
      return state
    }
    #expect(filed == [.pending, .pending, .held, .revised])
    let times = heard.withLock(\.self).compactMap { event -> Duration? in
      guard case .committed(let time) = event else { return nil }
      return time
    }
    #expect((3...4).contains(times.count) && times.allSatisfy { $0 > .zero })
    store.counted.listen(nil)
    try commit([Fixture.glucose(9)])
    #expect(heard.withLock(\.count) == filed.count + times.count)
  }
}
