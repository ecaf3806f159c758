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

@Suite struct OneTouchFaultTests {
  typealias Meter = SimulatedOneTouchMeter

  static func bench(_ change: (inout Meter) -> Void) throws -> OneTouchBench {
    var meter = Meter(stored: OneTouchSessionTests.records(1...5))
    change(&meter)
    return try OneTouchBench(meter)
  }

  @Test(arguments: 1...2)
  func damagedRepliesAreAskedForAgain(damages: Int) throws {
    let bench = try Self.bench { $0.damages = damages }
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 5])
    // A damaged reply is never acknowledged.
    #expect(bench.meter.acknowledgements.count == 8 && bench.meter.commands.count == 8 + damages)
  }

  @Test(arguments: 1...2)
  func silenceIsBornTwice(silences: Int) throws {
    let bench = try Self.bench { $0.silences = silences }
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 5])
  }

  @Test func aSilentOrGarblingMeterTimesOut() throws {
    for bench in [try Self.bench { $0.silences = 3 }, try Self.bench { $0.damages = 3 }] {
      try bench.run()
      #expect(bench.failure?.code == MH_FAIL_TIMEOUT && bench.committed.isEmpty)
      #expect(bench.meter.commands.count == 3)
    }
  }

  /// The second copy of a reply comes when the next record was asked for and acknowledged: it must not become that record.
  @Test(arguments: [1, 2])
  func aLateRepeatIsNotTheNextRecord(repeats: Int) throws {
    let bench = try Self.bench { $0.lateRepeats = repeats }
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 5])
    #expect(Set(bench.committed.values.map { $0.values[0].raw }) == [61, 62, 63, 64, 65])
    for record in bench.committed.values { #expect(record.values[0].raw == 60 + Int64(record.sequence)) }
  }

  @Test func aMeterThatSaysTheSameTwiceIsBelieved() throws {
    var twin = Meter.Stored(number: 2, seconds: 700_000_000, value: 99)
    let bench = try Self.bench {
      $0.stored[0] = Meter.Stored(number: 1, seconds: 700_000_000, value: 99)
      $0.stored[1] = twin
      twin.number = 3
    }
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 5])
  }

  @Test(arguments: [0x20, 0x0a, 0x27, 0xb3] as [UInt8], [8, 0x0f, 0, 0xff] as [UInt8])
  func errorsOfTheMeterEndTheSession(command: UInt8, status: UInt8) throws {
    let bench = try Self.bench { $0.refusals[command] = status }
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_METER_ERROR && bench.failure?.argument == UInt64(status))
    #expect(bench.committed.isEmpty)
  }

  // MARK: Pairing

  @Test func pairsOnceWhereTheMeterAnswersPairedHostsOnly() throws {
    let bench = try Self.bench { $0.wantsPairing = true }
    bench.opening.security = 1
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 5])
    #expect(bench.actions.filter { $0.kind == MH_DO_PAIR }.count == 1)
  }

  @Test(arguments: [0x05, 0x0f] as [Int32])
  func pairsOnceWhereTheLinkMustBeEncrypted(error: Int32) throws {
    let bench = try Self.bench { _ in }
    bench.opening.security = 1
    bench.attError = error
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 5])
    #expect(bench.actions.filter { $0.kind == MH_DO_PAIR }.count == 1)
  }

  @Test func notPairedIsSaid() throws {
    // Encrypted, and still 07.
    let refusing = try Self.bench { $0.refusals[0x20] = 7 }
    try refusing.run()
    #expect(refusing.failure?.code == MH_FAIL_NOT_PAIRED && refusing.failure?.argument == 7)
    #expect(!refusing.actions.contains { $0.kind == MH_DO_PAIR })
    // Paired now, and still 07.
    let stubborn = try Self.bench { $0.refusals[0x27] = 7 }
    stubborn.opening.security = 1
    try stubborn.run()
    #expect(stubborn.failure?.code == MH_FAIL_NOT_PAIRED)
    #expect(stubborn.actions.filter { $0.kind == MH_DO_PAIR }.count == 1)
  }

  @Test func anotherErrorIsNotMistakenForPairing() throws {
    let bench = try Self.bench { _ in }
    bench.opening.security = 1
    bench.attError = 0x80
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_COMMUNICATION && bench.failure?.argument == 0x80)
    #expect(!bench.actions.contains { $0.kind == MH_DO_PAIR })
  }

  // MARK: The rest of the contract

  @Test func meterWithoutTheServiceIsNotSupported() throws {
    let session = try TestHost(bundle: "onetouch").open()
    let unit = session.commit(.services([(10, 0x18, 0x2a18)], service: 0x1808))
    #expect(unit.actions.map(\.kind) == [MH_DO_FAIL] && unit.actions[0].code == MH_FAIL_UNSUPPORTED_METER)
  }

  @Test func cancelEndsAtOnce() throws {
    let session = try TestHost(bundle: "onetouch").open()
    session.commit(.vendorServices(OneTouchBench.handles, service: OneTouchBench.service))
    session.commit(.subscribed(token: 1))
    #expect(session.commit(.cancel).actions.last?.kind == MH_DO_FINISH)
    #expect(session.commit(.notification(13, [0x81])).actions.isEmpty)
  }

  @Test func changedServicesStartAgain() throws {
    let bench = try Self.bench { _ in }
    let session = try bench.host.open()
    session.commit(.vendorServices(OneTouchBench.handles, service: OneTouchBench.service))
    session.commit(.subscribed(token: 1))
    session.commit(.servicesChanged)
    #expect(session.commit(.notification(13, [0x81])).actions.isEmpty)
    let unit = session.commit(.vendorServices(OneTouchBench.handles, service: OneTouchBench.service))
    #expect(unit.actions.map(\.kind) == [MH_DO_SUBSCRIBE])
  }

  @Test func aRefusedStorageFailsTheSession() throws {
    let host = try TestHost(bundle: "onetouch")
    host.state.refusesStorage = true
    let session = try host.open()
    session.commit(.vendorServices(OneTouchBench.handles, service: OneTouchBench.service))
    #expect(session.send(.subscribed(token: 1)).status == MH_E_DENIED)
  }

  @Test func othersValuesAreIgnored() throws {
    let session = try TestHost(bundle: "onetouch").open()
    session.commit(.vendorServices(OneTouchBench.handles, service: OneTouchBench.service))
    session.commit(.subscribed(token: 1))
    #expect(session.send(.notification(99, [0x81])) == TestUnit())
    #expect(session.send(.notification(13, [1, 2, 3])).status == MH_E_PROTOCOL)
    #expect(session.send(.notification(13, [0x81])) == TestUnit())
  }

  /// Valid frames around arbitrary payloads, in any order: no crash, and every record is one that the contract takes.
  @Test func hostilePayloadsNeverBecomeImplausibleReadings() throws {
    var generator = SeededGenerator(seed: 0x30)
    for _ in 0..<60 {
      let bench = try Self.bench { meter in
        meter.newest = UInt32.random(in: 0...70_000, using: &generator)
        meter.count = UInt16.random(in: 0...40, using: &generator)
        meter.clock = .random(in: 0...UInt32.max, using: &generator)
        meter.fragmentSize = Int.random(in: 2...20, using: &generator)
        meter.stored = (0..<40).map { index in
          Meter.Stored(
            number: UInt16(truncatingIfNeeded: (meter.newest ?? 0) &- UInt32(index)),
            seconds: .random(in: 0...UInt32.max, using: &generator),
            value: .random(in: 0...UInt16.max, using: &generator) >> UInt16.random(in: 0...9, using: &generator),
            control: UInt8.random(in: 0...1, using: &generator),
            rest: (0..<Int.random(in: 0...6, using: &generator)).map { _ in UInt8.random(in: 0...1, using: &generator) })
        }
      }
      try bench.run()
      #expect(bench.finished != (bench.failure != nil))
      for record in bench.committed.values {
        #expect((20...600).contains(record.values[0].raw) && record.values.count == 1)
      }
    }
  }
}
