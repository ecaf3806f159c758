import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

@Suite struct GlucoseResumeTests {
  typealias Meter = SimulatedGlucoseMeter

  static func records(_ sequences: [UInt16], contexts: Bool = false) -> [Meter.Stored] {
    sequences.map { Meter.Stored(sequence: $0, hasContext: contexts && $0 % 3 != 0) }
  }

  @Test func asksOnlyForWhatIsNew() throws {
    let bench = try GlucoseBench(Meter(stored: Self.records([7, 8, 9])))
    try bench.run()
    #expect(bench.finished && bench.cursor == 9 && bench.readings == [7, 8, 9])
    bench.meter.stored += Self.records([10, 11])
    bench.committed = [:]
    bench.writesToMeter = []
    try bench.run()
    // From the last one on, which shows that the memory is the same.
    #expect(bench.writesToMeter == [[1, 3, 1, 9, 0]])
    #expect(bench.finished && bench.cursor == 11 && bench.readings == [10, 11])
  }

  @Test func oneWriteAndThreeSubscriptionsReadAMeter() throws {
    let bench = try GlucoseBench(Meter(stored: Self.records([7, 8, 9])))
    try bench.run()
    let kinds = bench.lastActions.map(\.kind)
    #expect(kinds.filter { $0 == MH_DO_SUBSCRIBE }.count == 3)
    #expect(bench.writesToMeter == [[1, 1]])
    #expect(kinds.filter { $0 == MH_DO_READY }.count == 1)
    #expect(kinds.last == MH_DO_FINISH)
    let ready = try #require(kinds.firstIndex(of: UInt32(MH_DO_READY)))
    #expect(kinds[ready + 1] == MH_DO_WRITE)
  }

  @Test(arguments: [4, 9] as [UInt8])
  func aRefusedOperatorFallsBackToAll(refusal: UInt8) throws {
    let bench = try GlucoseBench(Meter(stored: Self.records([7, 8]), refusesFrom: true, refusal: refusal))
    try bench.run()
    bench.meter.stored += Self.records([9])
    bench.committed = [:]
    bench.writesToMeter = []
    try bench.run()
    #expect(bench.writesToMeter == [[1, 3, 1, 8, 0], [1, 1]])
    #expect(bench.finished && bench.cursor == 9 && bench.readings == [9])
  }

  @Test func theRegistryCanSpareTheRefusedRequest() throws {
    let bench = try GlucoseBench(Meter(stored: Self.records([7, 8]), refusesFrom: true))
    bench.opening.parameters[MH_PARAM_RACP_ALL_ONLY] = 1
    try bench.run()
    bench.committed = [:]
    bench.writesToMeter = []
    try bench.run()
    #expect(bench.writesToMeter == [[1, 1]])
    #expect(bench.finished && bench.readings.isEmpty)
  }

  @Test func anEmptyMeterIsSuccess() throws {
    let bench = try GlucoseBench(Meter())
    try bench.run()
    #expect(bench.finished && bench.cursor == nil && bench.committed.isEmpty)
  }

  @Test(arguments: [(false, false), (false, true), (true, false)])
  func aMeterWhoseNumbersStartAgainIsReadWhole(allOnly: Bool, refusesLast: Bool) throws {
    let bench = try GlucoseBench(Meter(stored: Self.records(Array(90...100)), refusesLast: refusesLast))
    if allOnly { bench.opening.parameters[MH_PARAM_RACP_ALL_ONLY] = 1 }
    try bench.run()
    #expect(bench.cursor == 100 && bench.epoch == 0)
    bench.meter.stored = [0, 1, 2].map { Meter.Stored(sequence: $0, day: 2) }
    bench.committed = [:]
    try bench.run()
    #expect(bench.finished && bench.readings == [0, 1, 2] && bench.cursor == 2 && bench.epoch == 1)
    bench.meter.stored.append(Meter.Stored(sequence: 3, day: 2))
    bench.committed = [:]
    try bench.run()
    #expect(bench.readings == [3] && bench.epoch == 1)
  }

  @Test func numbersWrapAround() throws {
    let bench = try GlucoseBench(Meter(stored: Self.records([65533, 65534, 65535])))
    try bench.run()
    #expect(bench.cursor == 65535)
    bench.meter.stored += Self.records([0, 1]).map { Meter.Stored(sequence: $0.sequence, day: 2) }
    bench.committed = [:]
    try bench.run()
    #expect(bench.finished && bench.readings == [0, 1] && bench.cursor == 1 && bench.epoch == 0)
  }

  @Test func aStoredCursorOfAnotherVersionReadsAll() throws {
    let bench = try GlucoseBench(Meter(stored: Self.records([7, 8])))
    bench.host.state.storage["user/cursor"] = [9, 9, 9]
    try bench.run()
    #expect(bench.finished && bench.readings == [7, 8] && bench.cursor == 8)
  }

  @Test func smallArraysGiveTheSameOutput() throws {
    for timing in Meter.ContextTiming.allCases {
      let meter = Meter(stored: Self.records(Array(3...40), contexts: true), timing: timing)
      let ample = try GlucoseBench(meter)
      let tiny = try GlucoseBench(meter)
      tiny.capacities = .tiny
      try ample.run()
      try tiny.run()
      #expect(ample.committed == tiny.committed && ample.lastActions == tiny.lastActions)
      #expect(ample.host.state.storage == tiny.host.state.storage)
    }
  }

  /// Sessions broken off at every event, each followed by a clean one: nothing is lost, and the cursor has never passed
  /// a record that was not committed before (rule R25).
  @Test(arguments: Meter.Order.allCases, Meter.ContextTiming.allCases)
  func nothingIsLostWhereverTheLinkDrops(order: Meter.Order, timing: Meter.ContextTiming) throws {
    var generator = SeededGenerator(seed: UInt64(order.place * 10 + timing.place))
    for _ in 0..<6 {
      let first = [0, 1, 300, 65530].randomElement(using: &generator) ?? 0
      let count = Int.random(in: 1...9, using: &generator)
      let sequences = (0..<count).map { UInt16(truncatingIfNeeded: first + $0) }
      var meter = Meter(stored: Self.records(sequences, contexts: true), order: order, timing: timing)
      meter.refusesFrom = Bool.random(using: &generator)
      let decides = Bool.random(using: &generator)
      var drop = 0
      var isOver = false
      while !isOver {
        let bench = try GlucoseBench(meter)
        if decides { bench.opening.parameters = [MH_PARAM_CONTEXT_DECIDES: 1, MH_PARAM_KETONE_MEAL_CODE: 6] }
        // Half of the memory is known already, so that sessions resume.
        bench.meter.stored = Array(meter.stored.prefix(count / 2))
        try bench.run { Self.check(bench, meter.stored) }
        bench.meter.stored = meter.stored
        // A session that ended by itself was dropped nowhere: every event has had its turn.
        isOver = try bench.run(droppingAfter: drop) { Self.check(bench, meter.stored) } < drop
        try bench.run { Self.check(bench, meter.stored) }
        let withheld = decides && timing == .never
        // A reading whose analyte the meter does not tell stays there, and the person hears of it.
        let isLeft = withheld && meter.stored.contains { $0.hasContext }
        #expect(isLeft ? bench.failure != nil : bench.finished, "\(order) \(timing) dropped after \(drop)")
        let expected = Set(meter.stored.filter { !withheld || !$0.hasContext }.map { UInt64($0.sequence) })
        #expect(bench.readings == expected, "\(order) \(timing) dropped after \(drop)")
        if !withheld { #expect(bench.cursor == sequences.last) }
        if timing != .never, timing != .none {
          for record in bench.committed.values {
            let hasMeal = record.value(MH_METRIC_RELATIONSHIP_TO_MEAL) != nil
            #expect(hasMeal == (record.sequence % 3 != 0))
          }
        }
        drop += 1
      }
    }
  }

  /// Everything up to the cursor, counted around the circle, is committed.
  static func check(_ bench: GlucoseBench, _ stored: [Meter.Stored]) {
    guard let cursor = bench.cursor else { return }
    for record in stored where Int16(bitPattern: record.sequence &- cursor) <= 0 {
      #expect(bench.readings.contains(UInt64(record.sequence)), "cursor \(cursor) passed \(record.sequence)")
    }
  }
}

extension SimulatedGlucoseMeter.Order {
  var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension SimulatedGlucoseMeter.ContextTiming {
  var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
