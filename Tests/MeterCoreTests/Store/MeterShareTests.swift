import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// What one meter may have waiting, so that others are not refused for it.
@Suite("One meter's share of the queue")
struct MeterShareTests {
  private static let other = MeterIdentity(serial: "other/\"meter\" \u{1F600}", model: nil, systemID: nil, address: "B")

  private func store(_ folder: TemporaryFolder) throws -> (MeterStore, SessionGeneration) {
    let store = try MeterStore(folder: folder.state)
    return (store, try store.startSession(Fixture.user, token: Fixture.token).session.generation)
  }

  /// A reading of a meter, named as a read names it.
  private func reading(_ sequence: UInt64, of meter: MeterIdentity) -> Record {
    let record = Fixture.glucose(sequence)
    return Record(
      logID: .stored(meter: meter, identity: [UInt8(sequence)]), identityClass: .stored, type: record.type,
      time: record.time, deviceSequence: sequence, values: record.values,
      source: RecordSource(
        peripheralID: 1000, manufacturer: nil, model: nil, deviceID: meter.displayName, driverID: "d",
        driverVersion: "1"))
  }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
      try body()
      return nil
    } catch { return (error as? StoreError)?.code }
  }

  @Test("is refused to the meter that has filled it, and to no other one", arguments: [Fixture.meter, other])
  func filled(meter: MeterIdentity) throws {
    let folder = try TemporaryFolder()
    let (store, generation) = try store(folder)
    let quiet = meter == Self.other ? Fixture.meter : Self.other
    let share = MeterShare(records: 3, bytes: .max)
    for sequence in 1...3 as ClosedRange<UInt64> {
      try store.checkRoom(for: meter, share)
      _ = try store.commit([
        CommitUnit(
          generation: generation, meter: meter, family: "f",
          records: [CommitRecord(record: reading(sequence, of: meter), disposition: .pending)])
      ])
    }
    #expect(code { try store.checkRoom(for: meter, share) } == .queueFull)
    try store.checkRoom(for: quiet, share)
    try store.checkRoom(for: meter)
    // Room that delivery makes is the meter's again.
    let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
    #expect(try store.resolve(ticket, .delivered(receiverID: nil)))
    try store.checkRoom(for: meter, share)
  }

  @Test("is one of bytes, too")
  func bytes() throws {
    let folder = try TemporaryFolder()
    let (store, generation) = try store(folder)
    _ = try store.commit([
      CommitUnit(
        generation: generation, meter: Fixture.meter, family: "f",
        records: [CommitRecord(record: reading(1, of: Fixture.meter), disposition: .pending)])
    ])
    #expect(code { try store.checkRoom(for: Fixture.meter, MeterShare(records: .max, bytes: 100)) } == .queueFull)
    try store.checkRoom(for: Fixture.meter, MeterShare(records: .max, bytes: 1 << 20))
  }

  @Test("is a quarter of the queue, and never less than one read may bring")
  func size() {
    let usual = MeterShare(of: QueueLimits())
    #expect(usual == MeterShare(records: 500_000, bytes: 512 << 20))
    #expect(MeterShare(of: QueueLimits(records: 10, bytes: 10)) == MeterShare(records: 20_000, bytes: 32 << 20))
  }
}
