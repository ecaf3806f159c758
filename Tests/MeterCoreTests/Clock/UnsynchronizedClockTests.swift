import Foundation
import Testing

@testable import MeterCore

/// Readings without a time of their own that came before the host knew the date (C16).
@Suite("A host that does not know the date")
struct UnsynchronizedClockTests {
  private static let year: Int64 = 365 * 86_400_000_000
  private static let gmt = TimeZone(identifier: "GMT") ?? .current

  private func temperature(_ start: Int64) -> Record {
    Record(
      logID: .live(), identityClass: .live, type: .biometrics,
      time: RecordTime(
        startMicroseconds: start, endMicroseconds: start, civilMicroseconds: nil, utcOffsetSeconds: 0,
        zoneSource: .gateway, kind: .none),
      values: [RecordValue(metric: 1, unit: 2, number: ReportedNumber(mantissa: 112, exponent: 0))],
      source: Fixture.source)
  }

  /// Commits a reading two seconds after it came.
  private func commit(_ store: MeterStore, _ record: Record) throws {
    let generation = try store.currentSession().generation
    _ = try store.commit([Fixture.unit(generation, [record], disposition: .held(.hostClockUnsynchronized))])
  }

  /// The clocks of this boot, a while later and with the date that the network told.
  private func synchronized(after seconds: Int64, shift: Int64) -> BootClock {
    let now = BootClock.now
    return BootClock(
      bootID: now.bootID, bootMicroseconds: now.bootMicroseconds + seconds * 1_000_000,
      utcMicroseconds: now.utcMicroseconds + seconds * 1_000_000 + shift)
  }

  @Test("is corrected when it does: same name, next revision, delivered", arguments: [year, -year, 0])
  func corrected(_ shift: Int64) throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let record = temperature(BootClock.now.utcMicroseconds - 2_000_000)
    try commit(store, record)
    let corrected = try store.correctTimes(by: synchronized(after: 3600, shift: shift), zone: Self.gmt)
    #expect(corrected.map(\.logID) == [record.logID] && corrected.map(\.revision) == [2])
    let error = try #require(corrected.first).time.startMicroseconds - (record.time.startMicroseconds + shift)
    #expect(abs(error) < 1_000_000, "the clocks are read one after the other")
    #expect(try store.queueSnapshot().map(\.state) == [.pending])
    #expect(try store.correctTimes(by: synchronized(after: 7200, shift: shift)).isEmpty, "once")
  }

  @Test("keeps what was measured before a restart of the program")
  func restart() throws {
    let folder = try TemporaryFolder()
    let record = temperature(BootClock.now.utcMicroseconds)
    do {
      let store = try MeterStore(folder: folder.state)
      _ = try store.startSession(Fixture.user, token: Fixture.token)
      try commit(store, record)
    }
    let store = try MeterStore(folder: folder.state)
    #expect(try store.correctTimes(by: synchronized(after: 1, shift: Self.year)).count == 1)
  }

  @Test("leaves readings of another boot to a person")
  func otherBoot() throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    try commit(store, temperature(BootClock.now.utcMicroseconds))
    let clock = BootClock(bootID: "another", bootMicroseconds: 5_000_000, utcMicroseconds: Fixture.morning)
    #expect(try store.correctTimes(by: clock).isEmpty)
    #expect(try store.queueSnapshot().map(\.reason) == ["host_clock_unsynchronized"])
  }

  @Test("does not deliver without a session, nor what else is held")
  func stillHeld() throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    try commit(store, temperature(BootClock.now.utcMicroseconds))
    let generation = try store.currentSession().generation
    let other = temperature(BootClock.now.utcMicroseconds)
    _ = try store.commit([Fixture.unit(generation, [other], disposition: .held(.implausibleValue))])
    #expect(try store.correctTimes(by: synchronized(after: 1, shift: Self.year)).count == 1)
    #expect(try Set(store.queueSnapshot().map(\.reason)) == ["no_session", "implausible_value"])
  }

  @Test("leaves the time that a person has given")
  func editedByAPerson() throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let record = temperature(BootClock.now.utcMicroseconds)
    try commit(store, record)
    _ = try #require(try store.edit(record.logID, RecordEdit(startMicroseconds: Fixture.morning)))
    #expect(try store.correctTimes(by: synchronized(after: 1, shift: Self.year)).isEmpty)
    #expect(try store.queueSnapshot().map(\.record?.time.startMicroseconds) == [Fixture.morning])
  }

  @Test("takes the commit for the moment when the date was set in between")
  func steppedInBetween() {
    let clock = BootClock(bootID: "b", bootMicroseconds: 100_000_000, utcMicroseconds: Fixture.morning)
    #expect(clock.bootMicroseconds(of: Fixture.morning - 2_000_000) == 98_000_000)
    #expect(clock.bootMicroseconds(of: 0) == 100_000_000)
    #expect(clock.bootMicroseconds(of: Fixture.morning + 1) == 100_000_000)
    #expect(clock.bootMicroseconds(of: Int64.min) == 100_000_000)
    #expect(clock.utcMicroseconds(ofBoot: 98_000_000) == Fixture.morning - 2_000_000)
  }
}
