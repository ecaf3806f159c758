import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct OneTouchSessionTests {
  typealias Meter = SimulatedOneTouchMeter

  static func records(_ numbers: some Sequence<UInt16>) -> [Meter.Stored] {
    numbers.map { Meter.Stored(number: $0, seconds: 700_000_000 + UInt32($0) * 3_600, value: 60 + $0 % 400) }
  }

  static func reading(_ record: Meter.Stored) throws -> TestRecord {
    let bench = try OneTouchBench(Meter(stored: [record]))
    try bench.run()
    return try #require(bench.committed.values.first)
  }

  // MARK: A session

  @Test func readsTheMemoryInTheOrderThatPublicProgramsUse() throws {
    let bench = try OneTouchBench(Meter(stored: Self.records(70...76)))
    try bench.run()
    #expect(bench.finished && bench.numbers == [70, 71, 72, 73, 74, 75, 76] && bench.cursor == 76)
    #expect(
      bench.meter.commands == [[0x20, 2], [0x0a, 2, 6], [0x27, 0]] + (70...76).map { [0xb3, UInt8($0), 0] })
    #expect(bench.meter.acknowledgements == [UInt8](repeating: 0x81, count: 10))
    #expect(hexadecimal(bench.written[0]) == "0102090003200203d492")
    let kinds = bench.actions.map(\.kind)
    #expect(kinds.filter { $0 == MH_DO_READY }.count == 1 && kinds.last == MH_DO_FINISH)
  }

  @Test func otherCommandPrefixAndWriteWithoutResponse() throws {
    let bench = try OneTouchBench(Meter(stored: Self.records(1...2)))
    bench.opening.parameters[MH_PARAM_VENDOR] = 4
    bench.handles[0].properties = 0x04
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2])
    #expect(bench.written.filter { $0.count > 1 }.allSatisfy { $0[4] == 4 })
    #expect(!bench.actions.contains { $0.kind == MH_DO_WRITE })
  }

  @Test func aReading() throws {
    let record = try Self.reading(Meter.Stored(number: 300, seconds: 700_000_000, value: 111))
    #expect(record.kind == MH_KIND_MEASUREMENT && record.flags == 0 && record.sequence == 300)
    #expect(record.timeKind == MH_TIME_CIVIL && record.time == (946_684_799 + 700_000_000) * 1_000_000)
    #expect(record.identityClass == MH_IDENT_STORED && record.identity.count == 15)
    let value = try #require(record.value(MH_METRIC_BLOOD_GLUCOSE))
    #expect(value.raw == 111 && value.value == 111 && value.exponent == 0 && value.unit == UInt16(MH_UNIT_MG_PER_DL))
    #expect(value.qualifier == MH_QUAL_EXACT && record.values.count == 1)
  }

  @Test(
    arguments: [
      (19, 20, MH_QUAL_BELOW), (20, 20, MH_QUAL_EXACT), (600, 600, MH_QUAL_EXACT), (601, 600, MH_QUAL_ABOVE),
      (65535, 600, MH_QUAL_ABOVE), (1, 20, MH_QUAL_BELOW),
    ] as [(UInt16, Int64, UInt32)])
  func valuesOutsideTheRangeAreHighAndLow(value: UInt16, shown: Int64, qualifier: UInt32) throws {
    let record = try Self.reading(Meter.Stored(number: 1, seconds: 700_000_000, value: value))
    #expect(record.values.first?.raw == shown && record.values.first.map { UInt32($0.qualifier) } == qualifier)
    #expect(Array(record.identity[12..<14]) == little(UInt32(value), 2))
    // All bits set may as well be no value: a person decides.
    #expect(record.flags == (value == .max ? MH_REC_HELD : 0))
  }

  @Test(arguments: [1, 2, 255] as [UInt8])
  func controlSolutionIsNobodysValue(flag: UInt8) throws {
    let record = try Self.reading(Meter.Stored(number: 1, seconds: 700_000_000, value: 111, control: flag))
    #expect(record.flags == MH_REC_CONTROL && record.value(MH_METRIC_BLOOD_GLUCOSE) == nil)
    #expect(record.value(MH_METRIC_CONTROL_SOLUTION_GLUCOSE)?.raw == 111)
  }

  @Test func timesThatCannotBeTrusted() throws {
    let unset = try Self.reading(Meter.Stored(number: 1, seconds: 0, value: 111))
    #expect(unset.timeKind == MH_TIME_NONE && unset.flags == MH_REC_CLOCK_SUSPECT)
    let ahead = try Self.reading(Meter.Stored(number: 1, seconds: 800_000_061, value: 111))
    #expect(ahead.timeKind == MH_TIME_CIVIL && ahead.flags == MH_REC_CLOCK_SUSPECT)
    let now = try Self.reading(Meter.Stored(number: 1, seconds: 800_000_060, value: 111))
    #expect(now.flags == 0)
  }

  @Test(arguments: [(86_399, 0), (86_400, MH_REC_CLOCK_SUSPECT), (-86_400, MH_REC_CLOCK_SUSPECT)] as [(Int64, UInt32)])
  func aLostClockIsFlagged(offset: Int64, flags: UInt32) throws {
    let bench = try OneTouchBench(Meter(stored: Self.records(1...1)))
    bench.meter.clock = UInt32(800_000_003 + offset)
    try bench.run()
    #expect(bench.committed.values.first?.flags == flags)
    // A host that does not know the time itself accuses nobody.
    bench.opening.clockTrust = MH_CLOCK_UNKNOWN
    bench.host.state.storage = [:]
    try bench.run()
    #expect(bench.committed.values.first?.flags == 0)
  }

  @Test func anEmptyMeterIsSuccess() throws {
    let bench = try OneTouchBench()
    try bench.run()
    #expect(bench.finished && bench.committed.isEmpty && bench.cursor == nil)
  }

  @Test func eventsAndGapsAreNoReadings() throws {
    var stored = Self.records([4, 5, 7, 8])
    stored[1].value = 0
    stored[1].rest = [1, 2, 3, 4]
    var meter = Meter(stored: stored)
    let bench = try OneTouchBench(meter)
    try bench.run()
    #expect(bench.finished && bench.numbers == [4, 7, 8] && bench.cursor == 8)
  }

  /// The newest is 10, there are eight, and 5 and 7 are none: 1 and 2 are the oldest two.
  @Test func numbersWithoutARecordPushTheOldestDown() throws {
    let bench = try OneTouchBench(Meter(stored: Self.records([1, 2, 3, 4, 6, 8, 9, 10])))
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 6, 8, 9, 10] && bench.cursor == 10)
    #expect(bench.host.state.storage["user/older"]?.isEmpty != false)
  }

  @Test func whatIsAnnouncedAndNowhereIsTold() throws {
    var meter = Meter(stored: Self.records([4, 5, 7, 8]))
    meter.count = 6
    let bench = try OneTouchBench(meter)
    try bench.run()
    #expect(
      bench.numbers == [4, 5, 7, 8] && bench.failure?.code == MH_FAIL_METER_ERROR && bench.failure?.argument == 2)
    try bench.run()
    #expect(bench.finished && bench.numbers == [4, 5, 7, 8])
  }

  @Test func aRecordOfUnknownMeaningStaysInTheMeterAndIsNamed() throws {
    var stored = Self.records(4...8)
    stored[2].rest = [0, 0, 1, 0]
    let bench = try OneTouchBench(Meter(stored: stored))
    try bench.run()
    #expect(bench.numbers == [4, 5, 7, 8] && bench.cursor == 5)
    #expect(bench.failure?.code == MH_FAIL_METER_ERROR && bench.failure?.argument == 1)
    #expect(bench.failure?.text.isEmpty == false)
    // The next session comes back to it, and what is known arrives once.
    try bench.run()
    #expect(bench.numbers == [4, 5, 7, 8] && bench.meter.commands.contains([0xb3, 6, 0]))
  }

  @Test func smallArraysGiveTheSameOutput() throws {
    let ample = try OneTouchBench(Meter(stored: Self.records(3...20)))
    let tiny = try OneTouchBench(Meter(stored: Self.records(3...20)))
    tiny.capacities = .tiny
    try ample.run()
    try tiny.run()
    #expect(ample.committed == tiny.committed && ample.actions == tiny.actions)
    #expect(ample.host.state.storage == tiny.host.state.storage)
  }

  @Test(arguments: [3, 5, 9, 19], [false, true])
  func repliesInFragments(size: Int, countsUp: Bool) throws {
    var meter = Meter(stored: Self.records(70...76))
    meter.fragmentSize = size
    meter.countsFragmentsUp = countsUp
    let bench = try OneTouchBench(meter)
    try bench.run()
    #expect(bench.finished && bench.numbers == [70, 71, 72, 73, 74, 75, 76])
  }

  // MARK: Clock

  @Test(arguments: [0, 7_200, -18_000] as [Int32])
  func theClocksOffsetIsKept(utcOffset: Int32) throws {
    let bench = try OneTouchBench(Meter(stored: Self.records(1...1)))
    bench.opening.utcOffsetSeconds = utcOffset
    bench.meter.clock = UInt32(800_000_003 + Int64(utcOffset) - 42)
    try bench.run()
    let info = try #require(bench.deviceInfo.first)
    #expect(bench.deviceInfo.count == 1 && info.kind == MH_KIND_DEVICE_INFO)
    #expect(info.value(MH_METRIC_CLOCK_OFFSET)?.raw == -42 && info.values.first?.unit == UInt16(MH_UNIT_SECOND))
    #expect(!bench.meter.commands.contains { $0.starts(with: [0x20, 1]) })
  }

  @Test func theClockIsSetLastAndToTheHostsCivilTime() throws {
    let bench = try OneTouchBench(Meter(stored: Self.records(1...3)))
    bench.opening.parameters[MH_PARAM_SET_CLOCK] = 1
    bench.opening.utcOffsetSeconds = 7_200
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3])
    #expect(bench.meter.commands.last == [0x20, 1] + little(UInt32(800_000_003 + 7_200), 4))
    #expect(bench.meter.commands.filter { $0.starts(with: [0x20, 1]) }.count == 1)
    // What it was ahead by, and what it is since it was set.
    #expect(bench.deviceInfo.compactMap { $0.value(MH_METRIC_CLOCK_OFFSET)?.raw }.last == 0)
    #expect(bench.deviceInfo.count == 2)
    try bench.run()
    #expect(!bench.meter.commands.contains { $0.starts(with: [0x20, 1]) })
  }

  @Test func theClockIsLeftAlone() throws {
    let untrusted = try OneTouchBench(Meter(stored: Self.records(1...1)))
    untrusted.opening.parameters[MH_PARAM_SET_CLOCK] = 1
    untrusted.opening.clockTrust = MH_CLOCK_UNKNOWN
    untrusted.meter.clock = 5
    try untrusted.run()
    #expect(untrusted.finished && untrusted.meter.clock == 5 && untrusted.deviceInfo.isEmpty)
    let right = try OneTouchBench(Meter(stored: Self.records(1...1)))
    right.opening.parameters[MH_PARAM_SET_CLOCK] = 1
    try right.run()
    #expect(right.finished && right.meter.clock == 800_000_000)
    let refusing = try OneTouchBench(Meter(stored: Self.records(1...1)))
    refusing.opening.parameters[MH_PARAM_SET_CLOCK] = 1
    refusing.meter.clock = 700_000_000
    var refused = Self.records(1...1)
    refused[0].rest = [1, 0, 0, 0]
    refusing.meter.stored = refused
    try refusing.run()
    #expect(refusing.failure != nil && refusing.meter.clock == 700_000_000)
  }

  // MARK: Purposes

  @Test func pairOnlyPairs() throws {
    let bench = try OneTouchBench(Meter(stored: Self.records(1...1)))
    bench.opening.purpose = MH_PURPOSE_PAIR
    bench.opening.security = 1
    try bench.run()
    #expect(bench.finished && bench.actions.map(\.kind).contains(MH_DO_PAIR) && bench.written.isEmpty)
    bench.opening.security = 2
    try bench.run()
    #expect(bench.actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test(arguments: [MH_PURPOSE_CLOCK, MH_PURPOSE_TEST, 99, 0])
  func otherPurposesAreRefused(purpose: UInt32) throws {
    let host = try TestHost(bundle: "onetouch")
    #expect(host.openStatus(TestOpening(purpose: purpose)) == MH_E_UNSUPPORTED)
  }

  // MARK: An interval

  @Test func anIntervalIsReadNewestFirstAndStopsEarly() throws {
    let bench = try OneTouchBench(Meter(stored: Self.records(1...200)))
    // Record 150's time: everything two days, 48 records, before it is still asked for.
    bench.opening.since = Int64(946_684_799 + 700_000_000 + 150 * 3_600) * 1_000_000
    bench.host.state.storage["user/cursor"] = [1, 2, 3]
    try bench.run()
    #expect(bench.finished && bench.numbers.first == 101 && bench.numbers.last == 200)
    #expect(bench.host.state.storage == ["user/cursor": [1, 2, 3]])
    // A meter whose clock is not set proves nothing by its times.
    let lost = try OneTouchBench(Meter(stored: Self.records(1...200)))
    lost.opening.since = bench.opening.since
    lost.meter.clock = 7
    try lost.run()
    #expect(lost.numbers.count == 200)
  }
}
