import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// Readings without a time of their own that came before the host knew the date.
@Suite("A host that does not know the date")
struct UnsynchronizedClockTests {
  private static let year: Int64 = 365 * 86_400_000_000
  private static let gmt = TimeZone(identifier: "GMT") ?? .current

  private func temperature(_ start: Int64) -> MeterCore.Record {
    MeterCore.Record(
      logID: .live(), identityClass: .live, type: .biometrics,
      time: RecordTime(
        startMicroseconds: start, endMicroseconds: start, civilMicroseconds: nil, utcOffsetSeconds: 0,
        zoneSource: .gateway, kind: .none),
      values: [RecordValue(metric: 1, unit: 2, number: ReportedNumber(mantissa: 112, exponent: 0))],
      source: Fixture.source)
  }

  /// Commits a reading two seconds after it came.
  private func commit(_ store: MeterStore, _ record: MeterCore.Record) throws {
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

  @Test("is corrected from when it came, however long a person took to confirm it")
  func confirmedLate() throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let now = BootClock.now
    let before = min(1_200_000_000, now.bootMicroseconds)
    let arrival = BootClock(
      bootID: now.bootID, bootMicroseconds: now.bootMicroseconds - before, utcMicroseconds: now.utcMicroseconds - before
    )
    let held = CommitRecord(
      record: temperature(arrival.utcMicroseconds), disposition: .held(.hostClockUnsynchronized), arrival: arrival)
    _ = try store.commit([CommitUnit(generation: try store.currentSession().generation, records: [held])])
    let corrected = try store.correctTimes(by: synchronized(after: 3600, shift: Self.year), zone: Self.gmt)
    let error = try #require(corrected.first).time.startMicroseconds - (arrival.utcMicroseconds + Self.year)
    #expect(abs(error) < 1_000_000, "the clocks are read one after the other")
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

  /// Commits a reading without a time that is held for something else.
  private func commitHeld(_ store: MeterStore, _ record: MeterCore.Record, for reason: HoldReason) throws {
    let generation = try store.currentSession().generation
    let item = CommitRecord(record: record, disposition: .held(reason), isUntimed: true)
    _ = try store.commit([CommitUnit(generation: generation, records: [item])])
  }

  @Test("corrects what is held for another reason, too, and delivers it after a person's word only")
  func heldForAnotherReason() throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let record = temperature(BootClock.now.utcMicroseconds)
    try commitHeld(store, record, for: .questionableValue)
    #expect(try store.confirm([record.logID]).isEmpty, "its time is that of a host that did not know the date")
    let corrected = try store.correctTimes(by: synchronized(after: 1, shift: Self.year), zone: Self.gmt)
    #expect(corrected.map(\.logID) == [record.logID])
    #expect(try store.queueSnapshot().map(\.reason) == ["questionable_value"])
    #expect(try store.correctTimes(by: synchronized(after: 2, shift: Self.year)).isEmpty, "once")
    #expect(try store.confirm([record.logID]) == [record.logID])
    let sent = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
    #expect(abs(sent.record.time.startMicroseconds - record.time.startMicroseconds - Self.year) < 1_000_000)
  }

  @Test(
    "delivers nothing with the host's guess, whatever it is held for, before it has a time",
    arguments: [HoldReason.hostClockUnsynchronized, .driverAsks, .unknownOwner, .implausibleValue])
  func needsTime(_ reason: HoldReason) throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let record = temperature(BootClock.now.utcMicroseconds)
    try commitHeld(store, record, for: reason)
    // Of an earlier boot: only a person can know.
    try store.transaction { db in try db.execute(sql: "UPDATE untimed SET boot_id = 'earlier'") }
    #expect(try store.confirm([record.logID]).isEmpty)
    let value = RecordEdit(values: [1: .init(number: ReportedNumber(mantissa: 121, exponent: 0), unit: 2)])
    _ = try #require(try store.edit(record.logID, value))
    #expect(try store.confirm([record.logID]).isEmpty, "another value is no time")
    _ = try #require(try store.edit(record.logID, RecordEdit(startMicroseconds: Fixture.morning)))
    #expect(try store.confirm([record.logID]) == [record.logID])
    #expect(
      try store.claim(sink: MeterStore.defaultSink, limit: 1).map(\.record.time.startMicroseconds) == [Fixture.morning])
  }

  @Test("keeps when a reading came, also when its context comes later and when it comes under another's name")
  func firstArrival() throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let record = temperature(BootClock.now.utcMicroseconds)
    try commitHeld(store, record, for: .implausibleValue)
    try store.transaction { db in try db.execute(sql: "UPDATE untimed SET boot_us = boot_us - 900000000") }
    let later = record.changed(values: record.values + [Fixture.beforeMeal])
    try commitHeld(store, later, for: .implausibleValue)
    let suspect = record.changed(values: [
      RecordValue(metric: 1, unit: 2, number: ReportedNumber(mantissa: 9, exponent: 0))
    ])
    try commitHeld(store, suspect, for: .implausibleValue)
    let own = try #require(try store.nameSuspect(QueueName(record.logID, suspect: 1)))
    #expect(try store.confirm([own]).isEmpty)
    let corrected = try store.correctTimes(by: synchronized(after: 1, shift: 0), zone: Self.gmt)
    #expect(corrected.map(\.logID) == [record.logID, own])
    let error = try #require(corrected.first).time.startMicroseconds - (record.time.startMicroseconds - 900_000_000)
    #expect(abs(error) < 1_000_000)
    #expect(try store.confirm([own]) == [own])
  }

  @Test("has no time out of a recovery file either", arguments: [HoldReason.hostClockUnsynchronized, .unknownOwner])
  func recovered(_ reason: HoldReason) throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let record = temperature(BootClock.now.utcMicroseconds).changed(flags: .clockSuspect)
    try commitHeld(store, record, for: reason)
    let file = try #require(try store.endSession()?.recoveryFile)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    #expect(try store.recover(file).held == [record.logID])
    #expect(try store.correctTimes(by: synchronized(after: 1, shift: 0)).isEmpty, "when it came is not known any more")
    #expect(try store.confirm([record.logID]).isEmpty)
    _ = try #require(try store.edit(record.logID, RecordEdit(startMicroseconds: Fixture.morning)))
    #expect(try store.confirm([record.logID]) == [record.logID])
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
