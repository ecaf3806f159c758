import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing
import VirtualMeter

/// Newest first: what is new is read, nothing is lost or doubled, whatever the meter and the link do meanwhile.
@Suite struct TaiDocResumeTests {
  static func values(_ range: Range<Int>) -> [Int64] { range.map { Int64(50 + $0) } }

  func measure(_ bench: TaiDocBench, _ range: Range<Int>) {
    for record in taidocRecords(range.count, from: range.lowerBound) { bench.memory.measure(.init(record)) }
  }

  @Test func readsOnlyWhatIsNew() throws {
    let bench = try TaiDocBench(.init(), taidocRecords(30))
    try bench.run()
    bench.committed = []
    bench.writesToMeter = []
    try bench.run()
    #expect(bench.finished && bench.measurements.isEmpty)
    #expect(bench.writesToMeter.filter { $0[1] == 0x26 }.count == 2)
    measure(bench, 30..<33)
    try bench.run()
    #expect(bench.finished && bench.readings == Self.values(30..<33))
  }

  @Test func aClearedMemoryIsReadWhole() throws {
    let bench = try TaiDocBench(.init(), taidocRecords(10))
    try bench.run()
    bench.committed = []
    for count in [1, 9, 10, 25] {
      bench.memory = TaiDocMemory(.init(), records: taidocRecords(count, from: 100))
      try bench.run()
      #expect(bench.finished && Set(bench.readings) == Set(Self.values(100..<100 + count)))
    }
    bench.memory = TaiDocMemory(.init(), records: [])
    try bench.run()
    #expect(bench.finished && bench.cursor == nil)
    bench.memory = TaiDocMemory(.init(), records: taidocRecords(4))
    bench.committed = []
    try bench.run()
    #expect(bench.readings == Self.values(0..<4))
  }

  @Test func aFullMemoryLosesItsOldestAndNothingElse() throws {
    let bench = try TaiDocBench(.init(capacity: 20), taidocRecords(20))
    try bench.run()
    measure(bench, 20..<27)
    try bench.run()
    #expect(bench.finished && bench.readings == Self.values(0..<27))
  }

  @Test func anotherKindOrUserOrVersionOfTheCursorReadsAll() throws {
    let bench = try TaiDocBench(.init(), taidocRecords(3))
    try bench.run()
    let cursor = try #require(bench.cursor)
    for (index, value) in [(0, 9), (1, 4), (2, 1)] as [(Int, UInt8)] {
      bench.committed = []
      bench.host.state.storage["user/newest"] = cursor
      bench.host.state.storage["user/newest"]?[index] = value
      try bench.run()
      #expect(bench.readings == Self.values(0..<3))
    }
    bench.host.state.storage["user/newest"] = Array(cursor.dropLast())
    bench.committed = []
    try bench.run()
    #expect(bench.readings == Self.values(0..<3))
  }

  /// A measurement that comes at any reply moves all indices: no value may get another's time.
  @Test(arguments: [450, 20])
  func measurementsWhileReadingAreNeverMixedUp(capacity: Int) throws {
    var replies = 1
    while true {
      let arrivals = taidocRecords(2, from: 20).enumerated().map {
        MeterScript.TaiDoc.Arrival(afterReplies: replies + $0.offset * 3, measurement: $0.element)
      }
      let bench = try TaiDocBench(.init(capacity: capacity, arrivals: arrivals), taidocRecords(20))
      try bench.run()
      let inTime = bench.memory.readings.count > 20 || bench.memory.readings[0] == .init(arrivals[1].measurement)
      try bench.run()
      #expect(bench.finished, "after \(replies)")
      for record in bench.measurements {
        #expect(record.time == 1_709_251_200_000_000 + (record.values[0].raw - 50) * 60_000_000, "after \(replies)")
      }
      // What fell out of a full memory before it was read is the meter's loss.
      let kept = Set(bench.memory.readings.map { Int64($0.value[0]) })
      #expect(kept.isSubset(of: Set(bench.readings)), "after \(replies)")
      #expect(bench.measurements.filter { $0.identity.isEmpty }.isEmpty)
      if !inTime || replies > 400 { break }
      replies += 1
    }
    #expect(replies > 40)
  }

  /// The new measurement equals the newest one to the minute and the value: only the number of readings tells, or, in a
  /// full memory, a reading further down.
  @Test(arguments: [450, 20])
  func aTwinOfTheNewestIsNoticed(capacity: Int) throws {
    let twin = taidocRecords(1, from: 19)[0]
    for replies in 4..<60 {
      let bench = try TaiDocBench(
        .init(capacity: capacity, arrivals: [.init(afterReplies: replies, measurement: twin)]), taidocRecords(20))
      try bench.run()
      #expect(bench.finished)
      for record in bench.measurements {
        #expect(record.time == 1_709_251_200_000_000 + (record.values[0].raw - 50) * 60_000_000, "after \(replies)")
      }
      #expect(Set(bench.readings).isSuperset(of: Self.values(1..<20)), "after \(replies)")
    }
  }

  /// Readings without a time, of which a new one may equal the one that the cursor names.
  @Test func withoutTimesTheNumberOfReadingsTellsWhatIsNew() throws {
    let plain = { (value: UInt8) -> [UInt8] in [0, 0, 0, 0, value, 0, 0, 0] }
    let bench = try TaiDocBench(.init(), [60, 70, 100].map(plain))
    try bench.run()
    bench.committed = []
    for value in [90, 100] as [UInt8] { bench.memory.measure(.init(plain(value))) }
    try bench.run()
    #expect(bench.finished && bench.readings == [90, 100])
    // Cleared: fewer readings than the cursor counts, the newest of which equals its own.
    bench.committed = []
    bench.memory = TaiDocMemory(.init(), records: [61, 71, 100].map(plain))
    try bench.run()
    #expect(bench.finished && bench.readings == [61, 71, 100])
  }

  /// The time at which a memory is read is no reading's time: a person has to give it one.
  @Test func withoutAClockEveryReadingIsSuspect() throws {
    let bench = try TaiDocBench(.init(), taidocRecords(20))
    bench.opening.parameters[MH_PARAM_NO_CLOCK] = 1
    try bench.run()
    #expect(bench.finished && bench.measurements.count == 20)
    #expect(
      bench.measurements.allSatisfy { $0.flags & MH_REC_CLOCK_SUSPECT != 0 && $0.timeKind == UInt16(MH_TIME_NONE) })
  }

  /// What was put aside before the memory changed must not come twice.
  @Test func aChangeWhileReadingDoesNotDoubleWhatHasNoTime() throws {
    let records = taidocRecords(41).map { (record: [UInt8]) -> [UInt8] in [0, 0, 0, 0] + Array(record[4...]) }
    for replies in 4..<110 {
      let arrival = MeterScript.TaiDoc.Arrival(afterReplies: replies, measurement: records[40])
      let bench = try TaiDocBench(.init(arrivals: [arrival]), Array(records[..<40]))
      try bench.run()
      #expect(bench.finished)
      // The measurement may come with the last replies of a session, and be the next one's.
      try bench.run()
      try bench.run()
      #expect(bench.readings == Self.values(0..<bench.memory.readings.count), "after \(replies)")
    }
  }

  @Test func aMemoryThatNeverRestsFails() throws {
    let arrivals = (0..<400).map {
      MeterScript.TaiDoc.Arrival(afterReplies: 5 + $0, measurement: taidocRecords(1, from: 30 + $0)[0])
    }
    let bench = try TaiDocBench(.init(arrivals: arrivals), taidocRecords(20))
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_METER_ERROR && bench.cursor == nil && bench.measurements.isEmpty)
  }

  /// Sessions broken off at every event, each followed by a clean one (rule R25). Records without a time have no
  /// identity: they must not come twice either.
  @Test(arguments: [false, true])
  func nothingIsLostOrDoubledWhereverTheLinkDrops(clockIsUnset: Bool) throws {
    let all = taidocRecords(40).map { (record: [UInt8]) -> [UInt8] in
      clockIsUnset && record[4] % 2 == 0 ? [0, 0, 0, 0] + Array(record[4...]) : record
    }
    var drop = 0
    var isWhole = false
    while !isWhole {
      let bench = try TaiDocBench(.init(), Array(all.prefix(6)))
      try bench.run()
      for record in all.dropFirst(6) { bench.memory.measure(.init(record)) }
      isWhole = try bench.run(droppingAfter: drop) < drop
      try bench.run()
      #expect(bench.finished && bench.readings == Self.values(0..<40), "dropped after \(drop)")
      drop += 1
    }
    #expect(drop > 80)
  }

  @Test(arguments: [1, 2, 3, 4] as [Int64])
  func smallArraysGiveTheSameOutput(kind: Int64) throws {
    let records = taidocRecords(37).map { (record: [UInt8]) -> [UInt8] in
      switch kind {
      case 2: Array(record[..<4]) + [record[4] + 60, 0, 60, 70]
      case 3: Array(record[..<4]) + [0x70 - (record[4] - 50), 1, 0, 0]
      default: record
      }
    }
    let ample = try TaiDocBench(.init(clock: taidocTime(2024, 3, 1, 8, 0)), records)
    let tiny = try TaiDocBench(.init(clock: taidocTime(2024, 3, 1, 8, 0)), records)
    for bench in [ample, tiny] { bench.opening.parameters[MeterKind.parameter] = kind }
    tiny.capacities = .tiny
    try ample.run()
    try tiny.run()
    #expect(ample.committed == tiny.committed && ample.lastActions == tiny.lastActions)
    #expect(ample.host.state.storage == tiny.host.state.storage && ample.measurements.count == 37)
  }

  /// Every reading without a time, as many as a memory holds: together with the cursor in one unit.
  @Test func aWholeMemoryWithoutTimesIsHandedOverAtOnce() throws {
    let records = (0..<1000).map { (number: Int) -> [UInt8] in
      let value = 50 + number % 900
      return [0, 0, 0, 0, UInt8(value & 0xFF), UInt8(value >> 8), 0, 0]
    }
    let bench = try TaiDocBench(.init(capacity: 1000), records)
    try bench.run()
    #expect(bench.finished && bench.measurements.count == 1000)
    #expect(bench.measurements.allSatisfy { $0.identity.isEmpty && $0.timeKind == UInt16(MH_TIME_NONE) })
  }
}
