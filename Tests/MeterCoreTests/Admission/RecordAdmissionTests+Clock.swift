import DriverContract
import TestSupport
import Testing

@testable import MeterCore

/// What a host makes of a reading whose clock, or whose number, is none.
extension RecordAdmissionTests {
  @Test("knows that what comes as it is measured is no earlier owner's, whatever the host takes for the date")
  func measuredNow() throws {
    let unset = HostClockReading(utcMicroseconds: 5_000_000, isSynchronized: false)
    let anybody = MeterAssignment(
      slot: nil, sinceMicroseconds: MeterAssignment.unknownMoment, othersMicroseconds: [.min ..< .max])
    func disposition(_ identityClass: DriverIdentityClass, _ change: (inout DriverRecord) -> Void = { _ in }) throws
      -> Disposition
    {
      let record = Self.reported { record in
        record.timeKind = .none
        record.identityClass = identityClass
        change(&record)
      }
      return try commit(record, clock: unset, assignment: anybody).disposition
    }
    #expect(try disposition(.live) == .held(.hostClockUnsynchronized))
    #expect(try disposition(.live) { $0.deviceUser = 3 } == .held(.unknownOwner), "a slot is somebody's")
    #expect(try disposition(.stored) == .held(.unknownOwner), "a memory may be days old")
    // The date has become known meanwhile.
    let live = Self.reported { record in
      record.timeKind = .none
      record.identityClass = .live
    }
    #expect(try commit(live, assignment: anybody).disposition == .pending)
    // With a time of its own it is left, or, of a meter that forgets, held for the one who may have measured it.
    let timed = Self.reported()
    #expect(try admit(timed, clock: unset, assignment: anybody) == .left(.beforeAssignment))
    var forgetful = RecordAdmission(context: Self.context(anybody))
    let kept = try #require(forgetful.admit([timed], clock: unset, meterMayForget: true).first)
    guard case .commit(let record) = kept else { throw NotCommitted() }
    #expect(record.disposition == .held(.unknownOwner))
  }

  @Test(
    "holds what comes as it is measured while the host's clock shows what is no date, whoever vouches for it",
    arguments: [
      Int64.min, -2_240_524_800_000_000, -1, 0, RecordAdmission.earliestBelievable - 1, 253_402_300_800_000_000, .max,
    ])
  func impossibleHostClock(microseconds: Int64) throws {
    let clock = HostClockReading(utcMicroseconds: microseconds, isSynchronized: true)
    let live = Self.reported { record in
      record.timeKind = .none
      record.identityClass = .live
    }
    let kept = try commit(live, clock: clock)
    #expect(kept.disposition == .held(.hostClockUnsynchronized) && kept.isUntimed)
    #expect(RecordTime.writable.contains(kept.record.time.startMicroseconds))
    // A meter that knows the time is not judged by a host that does not.
    #expect(try commit(Self.reported(), clock: clock).disposition == .pending)
  }

  @Test("holds a number that cannot be written out for a receiver", arguments: [Int8.min, -19, 19, .max])
  func unwritableNumber(exponent: Int8) throws {
    for raw in [0, 1] as [Int64] {
      #expect(try commit(Self.reported([Self.glucose(raw, exponent)])).disposition == .held(.notDeliverable))
    }
  }
}
