import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

@Suite("Weights in the store", .timeLimit(.minutes(60)))
struct WeightTableTests {
  private static func record(_ grams: Int64, _ number: UInt8, origin: ValueOrigin = .device) -> Record {
    let identity = [number]
    return Record(
      logID: .stored(meter: Fixture.meter, identity: identity), identityClass: .stored, type: .weight,
      time: RecordTime(
        startMicroseconds: Fixture.morning + Int64(number) * 60_000_000,
        endMicroseconds: Fixture.morning + Int64(number) * 60_000_000, civilMicroseconds: nil, utcOffsetSeconds: 0,
        zoneSource: .gateway, kind: .utc),
      values: [
        RecordValue(
          metric: 40, unit: 10, number: ReportedNumber(mantissa: grams, exponent: -3), qualifier: .exact,
          isRounded: false)
      ], source: Fixture.source, origin: origin)
  }

  private func commit(_ record: Record, _ store: MeterStore) throws -> Disposition? {
    let session = try store.currentSession()
    let unit = CommitUnit(
      generation: session.generation, meter: Fixture.meter, family: "scale",
      records: [CommitRecord(record: record, disposition: .pending)])
    return try store.commit([unit])[0].new.first?.disposition
  }

  @Test("a weight that is not this person's is held, and a person settles it in one step")
  func held() throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: AccessToken("t"))
    #expect(try commit(Self.record(72_450, 1), store) == .pending)
    let thing = Self.record(2_550, 2)
    #expect(try commit(thing, store) == .held(.unlikeWeight))
    let heavier = Self.record(95_000, 3)
    #expect(try commit(heavier, store) == .held(.unlikeWeight))
    #expect(try store.confirm([heavier.logID]) == [heavier.logID])
    #expect(try commit(Self.record(95_200, 4), store) == .pending)
    #expect(try commit(Self.record(72_400, 5), store) == .held(.unlikeWeight))
  }

  @Test("on a shared scale only a person says whose a weighing is, and others stay excluded")
  func shared() throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: AccessToken("t"))
    try store.noteMeter(
      MeterSighting(Fixture.meter, peripheral: 5000, address: "AA", addressKind: .public, isRead: true))
    _ = try store.changeMeterSettings(of: Fixture.meter.peripheralUUID) { $0.isShared = true }
    let first = Self.record(72_450, 1)
    #expect(try commit(first, store) == .held(.unknownOwner))
    // What has agreed on a scale of one person's is nobody's word.
    _ = try store.changeMeterSettings(of: Fixture.meter.peripheralUUID) { $0.isShared = false }
    #expect(try commit(Self.record(88_000, 7), store) == .pending)
    #expect(try commit(Self.record(88_100, 8), store) == .pending)
    _ = try store.changeMeterSettings(of: Fixture.meter.peripheralUUID) { $0.isShared = true }
    #expect(try commit(Self.record(88_050, 9), store) == .held(.unknownOwner))
    #expect(try commit(Self.record(72_500, 2), store) == .held(.unknownOwner))
    #expect(try store.confirm([first.logID]) == [first.logID])
    #expect(try commit(Self.record(72_300, 3), store) == .pending)
    #expect(try commit(Self.record(90_000, 4), store) == .held(.unlikeWeight))
    #expect(try commit(Self.record(90_100, 5), store) == .held(.unlikeWeight))
    #expect(try commit(Self.record(72_600, 6), store) == .pending)
    #expect(try store.meter(Fixture.meter.peripheralUUID)?.settings.isShared == true)
  }

  @Test("what a person has entered is their weight, and a scale of infants is left alone")
  func settings() throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: AccessToken("t"))
    #expect(try commit(Self.record(60_000, 1, origin: .manual), store) == .pending)
    #expect(try commit(Self.record(80_000, 2), store) == .held(.unlikeWeight))
    try store.noteMeter(
      MeterSighting(Fixture.meter, peripheral: 5000, address: "AA", addressKind: .public, isRead: true))
    _ = try store.changeMeterSettings(of: Fixture.meter.peripheralUUID) { $0.weighsAnybody = true }
    #expect(try commit(Self.record(4_200, 3), store) == .pending)
    #expect(try commit(Self.record(61_000, 4), store) == .pending)
  }
}
