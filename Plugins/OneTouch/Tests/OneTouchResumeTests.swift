import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

@Suite struct OneTouchResumeTests {
  typealias Meter = SimulatedOneTouchMeter

  static func records(_ numbers: some Sequence<UInt16>) -> [Meter.Stored] { OneTouchSessionTests.records(numbers) }

  static func asked(_ bench: OneTouchBench) -> [UInt16] {
    bench.meter.commands.filter { $0[0] == 0xb3 }.map { UInt16($0[1]) | UInt16($0[2]) << 8 }
  }

  @Test func asksOnlyForTheCursorsRecordAndWhatIsNew() throws {
    let bench = try OneTouchBench(Meter(stored: Self.records(10...20)))
    try bench.run()
    bench.meter.stored += Self.records(21...23)
    try bench.run()
    #expect(Self.asked(bench) == [20, 21, 22, 23] && bench.cursor == 23 && bench.numbers.count == 14)
    try bench.run()
    #expect(bench.finished && Self.asked(bench) == [23])
  }

  @Test func aFullMemoryForgetsTheCursorsRecord() throws {
    let bench = try OneTouchBench(Meter(stored: Self.records(10...20)))
    try bench.run()
    bench.meter.stored = Self.records(25...40)
    try bench.run()
    #expect(bench.finished && Self.asked(bench) == Array(25...40) && bench.cursor == 40)
  }

  @Test func theCursorsRecordIsTheLastOfAnOlderMemory() throws {
    let bench = try OneTouchBench(Meter(stored: Self.records(10...20)))
    try bench.run()
    bench.meter.stored = Self.records(21...22)
    try bench.run()
    #expect(bench.finished && Self.asked(bench) == [21, 22] && bench.cursor == 22)
  }

  /// A counter that started again is seen even where it has passed the cursor since.
  @Test(arguments: [3, 15, 20, 21, 60] as [UInt16])
  func numbersThatStartAgainAreReadWhole(newest: UInt16) throws {
    let bench = try OneTouchBench(Meter(stored: Self.records(10...20)))
    try bench.run()
    bench.committed = [:]
    bench.meter.stored = (1...newest).map { Meter.Stored(number: $0, seconds: 790_000_000 + UInt32($0), value: 99) }
    try bench.run()
    #expect(bench.finished && bench.numbers == (1...UInt64(newest)).map { $0 } && bench.cursor == newest)
  }

  /// Without a time an equal record under the cursor's number is no proof of one memory.
  @Test(arguments: [20, 25] as [UInt16])
  func withoutTimesTheMemoryIsReadWhole(newest: UInt16) throws {
    let life = { (numbers: ClosedRange<UInt16>, value: UInt16) in
      numbers.map { Meter.Stored(number: $0, seconds: 0, value: $0 == 20 ? 111 : value) }
    }
    let bench = try OneTouchBench(Meter(stored: life(10...20, 99)))
    try bench.run()
    bench.committed = [:]
    bench.meter.stored = life(1...newest, 88)
    try bench.run()
    #expect(bench.finished && bench.numbers == (1...UInt64(newest)).map { $0 } && bench.cursor == newest)
  }

  @Test func anErasedMeterWaitsForNewReadings() throws {
    let bench = try OneTouchBench(Meter(stored: Self.records(10...20)))
    try bench.run()
    bench.meter.stored = []
    bench.meter.newest = 20
    try bench.run()
    #expect(bench.finished && Self.asked(bench).isEmpty && bench.cursor == 20)
    bench.meter.newest = nil
    bench.meter.stored = Self.records(21...21)
    try bench.run()
    #expect(bench.numbers.last == 21 && bench.cursor == 21)
  }

  @Test func numbersGoAroundTheCircle() throws {
    let bench = try OneTouchBench(Meter(stored: Self.records([65533, 65534, 65535])))
    try bench.run()
    bench.meter.stored += Self.records([0, 1])
    bench.meter.newest = 1
    try bench.run()
    #expect(bench.finished && Self.asked(bench) == [65535, 0, 1] && bench.cursor == 1 && bench.numbers.count == 5)
  }

  @Test func aCounterThatCannotBeAskedForIsRefused() throws {
    var meter = Meter(stored: Self.records(1...3))
    meter.newest = 65536
    let bench = try OneTouchBench(meter)
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_METER_ERROR && bench.failure?.argument == 65536 && bench.committed.isEmpty)
  }

  @Test func aStoredCursorOfAnotherVersionReadsAll() throws {
    let bench = try OneTouchBench(Meter(stored: Self.records(7...8)))
    bench.host.state.storage["user/cursor"] = [9, 9, 9]
    try bench.run()
    #expect(bench.finished && bench.numbers == [7, 8] && bench.cursor == 8)
  }

  /// Sessions broken off at every event, each followed by a clean one: every record arrives once in total, none is
  /// acknowledged before its unit is committed, and the cursor never passes one that is not (rule R25).
  @Test(arguments: [20, 6], [false, true])
  func nothingIsLostOrDoubledWhereverTheLinkDrops(fragmentSize: Int, forgets: Bool) throws {
    var stored = Self.records(60...65)
    stored[1].control = 1
    stored[3].value = 0
    var drop = 0
    var isWhole = false
    while !isWhole {
      var meter = Meter(stored: Array(stored[..<2]))
      meter.fragmentSize = fragmentSize
      let bench = try OneTouchBench(meter)
      try bench.run()
      bench.meter.forgetsAcknowledged = forgets
      bench.meter.stored = stored
      try bench.run(droppingAfter: drop) { Self.check(bench, stored) }
      isWhole = bench.finished
      // What the meter forgot must have been committed; its counters go on.
      bench.meter.newest = 65
      try bench.run { Self.check(bench, stored) }
      #expect(bench.finished, "dropped after \(drop)")
      #expect(bench.numbers == [60, 61, 62, 64, 65], "dropped after \(drop)")
      #expect(bench.committed.count == 5)
      drop += 1
    }
    #expect(drop > 20)
  }

  /// Numbers without a record push the oldest ones down, and a link that breaks before or behind such a number, once or twice, loses
  /// none of what lies below.
  @Test(
    arguments: [
      [1, 2, 3, 4, 6, 8, 9, 10], [3, 9, 10], [1, 4, 7, 10, 13], [5, 6, 7], [1, 20],
      [65_530, 65_531, 65_533, 65_535],
    ] as [[UInt16]])
  func nothingBelowIsLostWhereverTheLinkDrops(numbers: [UInt16]) throws {
    for second in [0, 6, 19, 31] {
      var drop = 0
      var isWhole = false
      while !isWhole {
        let bench = try OneTouchBench(Meter(stored: Self.records(numbers)))
        try bench.run(droppingAfter: drop)
        isWhole = bench.finished
        if second > 0 { try bench.run(droppingAfter: second) }
        for _ in 0..<2 { try bench.run() }
        #expect(bench.finished && bench.numbers == numbers.map { UInt64($0) }, "dropped after \(drop) and \(second)")
        #expect(bench.host.state.storage["user/older"]?.isEmpty != false)
        drop += 1
      }
      #expect(drop > 12)
    }
  }

  /// What is new behind a cursor is no measure of what lies below it.
  @Test func aNewNumberWithoutARecordLeadsNowhere() throws {
    let bench = try OneTouchBench(Meter(stored: Self.records([1, 2, 3, 4, 6, 8, 9, 10])))
    try bench.run(droppingAfter: 40)
    #expect(!bench.finished)
    bench.meter.stored += Self.records([12, 13])
    for _ in 0..<2 { try bench.run() }
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 6, 8, 9, 10, 12, 13])
    bench.meter.stored += Self.records([15])
    try bench.run()
    #expect(bench.finished && Self.asked(bench) == [13, 14, 15])
  }

  /// Whatever the meter has forgotten and whatever the cursor covers is with the host.
  static func check(_ bench: OneTouchBench, _ stored: [Meter.Stored]) {
    let readings = stored.filter { $0.value > 0 }
    for record in readings where !bench.meter.stored.contains(record) {
      #expect(bench.numbers.contains(UInt64(record.number)), "\(record.number) is gone")
    }
    guard let cursor = bench.cursor else { return }
    for record in readings where record.number <= cursor {
      #expect(bench.numbers.contains(UInt64(record.number)), "the cursor passed \(record.number)")
    }
  }
}
