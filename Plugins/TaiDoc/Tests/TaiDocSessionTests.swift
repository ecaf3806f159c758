import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing
import VirtualMeter

@Suite struct TaiDocSessionTests {
  static let commands: Set<UInt8> = [0x22, 0x23, 0x24, 0x25, 0x26, 0x2B, 0x33, 0x50]

  @Test func readsTheWholeMemoryAndSwitchesTheMeterOff() throws {
    let bench = try TaiDocBench(.init(model: 0x4257, clock: taidocTime(2024, 3, 1, 8, 2)), taidocRecords(40))
    try bench.run()
    #expect(bench.finished && bench.readings == (50..<90).map { Int64($0) })
    #expect(bench.memory.isOff && bench.memory.readings.count == 40 && bench.memory.erasures == 0)
    #expect(bench.writesToMeter.map { $0[1] }.prefix(4) == [0x22, 0x24, 0x23, 0x2B])
    #expect(bench.writesToMeter.last == [0x51, 0x50, 0, 0, 0, 0, 0xA3, 0x44])
    #expect(bench.cursor?.count == 14)
  }

  /// Device time minus the host's local time in whole minutes, and the model's digits.
  @Test func tellsTheClocksOffsetAndTheModel() throws {
    let bench = try TaiDocBench(.init(model: 0x4257, clock: taidocTime(2024, 3, 1, 9, 5)), [])
    bench.unixMicroseconds = 1_709_280_030_000_000  // 2024-03-01T08:00:30Z
    bench.opening.utcOffsetSeconds = 3600
    try bench.run()
    let facts = try #require(bench.committed.first)
    #expect(facts.kind == MH_KIND_DEVICE_INFO && facts.texts == [UInt16(MH_METRIC_MODEL): "TD-4257"])
    #expect(facts.value(MH_METRIC_CLOCK_OFFSET)?.raw == 300)
    #expect(facts.value(MH_METRIC_CLOCK_OFFSET)?.unit == UInt16(MH_UNIT_SECOND))
    #expect(bench.finished && bench.cursor == nil && bench.measurements.isEmpty)
  }

  @Test func theMeterIsOffOnlyAfterTheLastReadingIsWritten() throws {
    let bench = try TaiDocBench(.init(), taidocRecords(3))
    let session = try bench.host.open(bench.opening)
    session.commit(TaiDocBench.services())
    var next = session.commit(.subscribed(token: 1)).actions
    var units: [TestUnit] = []
    while let write = next.first(where: { $0.kind == MH_DO_WRITE }) {
      guard let reply = bench.memory.answer(write.value).first else { break }
      units.append(session.commit(.notification(TaiDocBench.handle, reply)))
      next = units[units.count - 1].actions
    }
    let off = try #require(units.firstIndex { unit in unit.actions.contains { $0.value.dropFirst().first == 0x50 } })
    #expect(units[off].records.count == 3 && units[off].writes["user/newest"]?.isEmpty == false)
    #expect(units[..<off].allSatisfy { $0.writes.isEmpty })
  }

  @Test(arguments: [
    (true, true, 3600, true), (true, true, 0, false), (false, true, 3600, false), (true, false, 3600, false),
  ])
  func theClockIsSetOnlyWhenAskedTrustedAndWrong(asked: Bool, trusted: Bool, wrongBy: Int, isSet: Bool) throws {
    let shown = taidocTime(2024, 3, 1, 8 + wrongBy / 3600, 0)
    let bench = try TaiDocBench(.init(clock: shown), taidocRecords(2))
    bench.opening.parameters[MH_PARAM_SET_CLOCK] = asked ? 1 : 0
    bench.opening.clockTrust = UInt32(trusted ? MH_CLOCK_SYNCHRONISED : MH_CLOCK_UNKNOWN)
    try bench.run()
    let commands = bench.writesToMeter.map { $0[1] }
    #expect(commands.contains(0x33) == isSet && bench.finished)
    guard isSet else { return }
    #expect(bench.memory.clock == taidocTime(2024, 3, 1, 8, 0))
    // After the clock was read and the last reading was taken.
    let set = try #require(commands.firstIndex(of: 0x33))
    #expect(set == commands.count - 2 && commands[..<set].contains(0x23))
    #expect(!commands[set...].contains(0x26))
  }

  @Test func aClockThatIsNotReadIsNotSet() throws {
    let bench = try TaiDocBench(.init(ignoredCommands: [0x23]), taidocRecords(2))
    bench.opening.parameters[MH_PARAM_SET_CLOCK] = 1
    bench.opening.clockTrust = UInt32(MH_CLOCK_SYNCHRONISED)
    try bench.run()
    #expect(bench.finished && !bench.writesToMeter.contains { $0[1] == 0x33 })
  }

  @Test func aClockThatIsWrongByMoreThanZonesExplainMakesTimesSuspect() throws {
    for (day, suspect) in [(2, false), (4, true)] {
      let bench = try TaiDocBench(.init(clock: taidocTime(2024, 3, day, 8, 0)), taidocRecords(1))
      bench.opening.clockTrust = UInt32(MH_CLOCK_SYNCHRONISED)
      try bench.run()
      #expect(bench.measurements.map { $0.flags == MH_REC_CLOCK_SUSPECT } == [suspect])
    }
  }

  /// Connect, model and clock are not needed for the readings; a meter may not know them.
  @Test(arguments: [[0x22], [0x24], [0x23], [0x22, 0x24, 0x23, 0x50]] as [[UInt8]])
  func commandsThatTheReadingDoesNotNeedMayStayUnanswered(ignored: [UInt8]) throws {
    let bench = try TaiDocBench(.init(ignoredCommands: ignored), taidocRecords(5))
    try bench.run()
    #expect(bench.finished && bench.readings == [50, 51, 52, 53, 54])
  }

  @Test(arguments: [0x2B, 0x25, 0x26] as [UInt8])
  func aSilentMeterFailsAndSaysSo(ignored: UInt8) throws {
    let bench = try TaiDocBench(.init(ignoredCommands: [ignored]), taidocRecords(5))
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_TIMEOUT && bench.failure?.text.isEmpty == false)
    #expect(bench.readings.isEmpty && bench.cursor == nil && bench.writesToMeter.count < 20)
  }

  @Test(arguments: 1...8)
  func framesMayComeInPieces(size: Int) throws {
    let bench = try TaiDocBench(.init(fragmentSize: size), taidocRecords(20))
    try bench.run()
    #expect(bench.finished && bench.readings == (50..<70).map { Int64($0) })
  }

  /// Garbage before and between, wrong sums, lost, doubled and late packets: nothing wrong, nothing missing.
  @Test(arguments: 0..<24)
  func aBadLineGivesTheRightReadingsOrNone(seed: Int) throws {
    let bench = try TaiDocBench(.init(clock: taidocTime(2024, 3, 1, 8, 0)), taidocRecords(24))
    var generator = SeededGenerator(seed: UInt64(seed))
    var late: [[UInt8]] = []
    bench.onTheAir = { _, packet in
      let before = late
      late = []
      switch Int.random(in: 0..<40, using: &generator) {
      case 0: return before
      case 1: return before + [packet, packet]
      case 2:
        var damaged = packet
        damaged[Int.random(in: 0..<8, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        return before + [damaged]
      case 3: return before + [generator.bytes(1...12), packet]
      case 4: return before + [[0x51] + packet]
      case 5:
        // Comes only when the host has asked again.
        late = [packet]
        return before
      default: return before + [packet]
      }
    }
    try bench.run()
    let expected = (50..<74).map { Int64($0) }
    #expect(bench.finished ? bench.readings == expected : Set(bench.readings).isSubset(of: expected))
    for record in bench.measurements {
      #expect(record.time == 1_709_251_200_000_000 + (record.values[0].raw - 50) * 60_000_000)
    }
    #expect(bench.finished == (bench.cursor != nil))
  }

  @Test func pairingReadsNothing() throws {
    let host = try TestHost(bundle: "taidoc")
    let parameters = [MeterKind.parameter: MeterKind.glucose]
    let session = try host.open(
      TestOpening(purpose: UInt32(MH_PURPOSE_PAIR), security: 1, parameters: parameters))
    #expect(session.commit(TaiDocBench.services()).actions.map(\.kind) == [MH_DO_PAIR])
    #expect(session.commit(.encrypted(2)).actions.map(\.kind) == [MH_DO_FINISH])
    #expect(
      host.openStatus(TestOpening(purpose: 99, parameters: parameters)) == MH_E_UNSUPPORTED)
  }

  @Test func aMeterWithoutTheCharacteristicIsRefused() throws {
    let bench = try TaiDocBench()
    for event in [
      TaiDocBench.services(0x08), TaiDocBench.services(0x10), .services([(20, 0x18, 0x2a18)], service: 0x1808),
      .vendorServices([(20, 0x18, TaiDocBench.characteristic)], service: mh_uuid16(0x1523)),
    ] {
      let session = try bench.host.open(bench.opening)
      #expect(session.commit(event).actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    }
    let refusing = try bench.host.open(bench.opening)
    refusing.commit(TaiDocBench.services())
    #expect(refusing.commit(.subscribed(token: 1, status: 5)).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    let writes = try bench.host.open(bench.opening)
    writes.commit(TaiDocBench.services(0x14))
    #expect(writes.commit(.subscribed(token: 1)).actions.contains { $0.kind == MH_DO_WRITE_NO_RESPONSE })
  }

  @Test func refusedWritesAndImpossibleCountsFail() throws {
    let bench = try TaiDocBench()
    let session = try bench.host.open(bench.opening)
    session.commit(TaiDocBench.services())
    session.commit(.subscribed(token: 1))
    #expect(session.commit(.wrote(token: 2, status: 3)).actions.last?.code == MH_FAIL_COMMUNICATION)
    #expect(session.commit(.notification(20, TaiDocMemory.frame(0x22, [0, 0, 0, 0]))) == TestUnit())
    let many = try TaiDocBench(.init(), taidocRecords(2))
    many.onTheAir = { _, packet in packet[1] == 0x2B ? [TaiDocMemory.frame(0x2B, [0xA1, 0x0F, 0, 0])] : [packet] }
    try many.run()
    #expect(many.failure?.code == MH_FAIL_METER_ERROR && many.readings.isEmpty)
  }

  @Test func aStoreThatRefusesEndsTheSessionWithoutACommit() throws {
    let bench = try TaiDocBench(.init(), taidocRecords(3))
    bench.host.state.refusesStorage = true
    let session = try bench.host.open(bench.opening)
    session.commit(TaiDocBench.services())
    var next = session.commit(.subscribed(token: 1)).actions
    var last = TestUnit()
    while last.status == MH_OK, let write = next.first(where: { $0.kind == MH_DO_WRITE }),
      let reply = bench.memory.answer(write.value).first
    {
      last = session.commit(.notification(TaiDocBench.handle, reply))
      next = last.actions
    }
    #expect(last.status == MH_E_DENIED && last.records.isEmpty && !bench.memory.isOff)
  }

  @Test func aMeterThatSwitchesOffAtOnceIsASuccess() throws {
    let bench = try TaiDocBench(.init(), taidocRecords(3))
    let length = try bench.run()
    let again = try TaiDocBench(.init(), taidocRecords(3))
    try again.run(droppingAfter: length - 2)
    #expect(again.finished && again.readings == [50, 51, 52])
  }

  @Test func changedServicesStartAgain() throws {
    let bench = try TaiDocBench(.init(), taidocRecords(3))
    let session = try bench.host.open(bench.opening)
    session.commit(TaiDocBench.services())
    session.commit(.subscribed(token: 1))
    #expect(session.commit(.servicesChanged).actions.map(\.kind) == [MH_DO_CANCEL_TIMER])
    #expect(session.commit(TaiDocBench.services()).actions.map(\.kind) == [MH_DO_SUBSCRIBE])
    #expect(session.commit(.subscribed(token: 1)).actions.map(\.kind) == [MH_DO_READY, MH_DO_WRITE, MH_DO_TIMER])
    #expect(session.commit(.cancel).actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
  }

  /// 52 erases everything. Whatever meter, host and line do, no frame that is sent is another than the eight commands.
  @Test(arguments: 0..<40)
  func nothingThatIsSentCanEraseTheMemory(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(7000 + seed))
    let clock = generator.bytes(4...4)
    let bench = try TaiDocBench(
      .init(clock: clock, capacity: 30), taidocRecords(Int.random(in: 0...30, using: &generator)))
    bench.opening.parameters[MeterKind.parameter] = Int64.random(in: 1...4, using: &generator)
    bench.opening.parameters[MH_PARAM_SET_CLOCK] = 1
    bench.opening.parameters[MH_PARAM_USER_SLOT] = [0, 1, 0x52].randomElement(using: &generator)
    bench.opening.clockTrust = UInt32(MH_CLOCK_SYNCHRONISED)
    bench.opening.utcOffsetSeconds = Int32.random(in: -64_800...64_800, using: &generator)
    bench.unixMicroseconds = Int64.random(in: -1_000_000_000_000_000...6_000_000_000_000_000, using: &generator)
    if Bool.random(using: &generator) { bench.host.state.storage["user/newest"] = generator.bytes(0...20) }
    let chaos = Int.random(in: 0...12, using: &generator)
    bench.onTheAir = { _, packet in
      guard Int.random(in: 0..<12, using: &generator) < chaos else { return [packet] }
      var other = packet
      other[Int.random(in: 1...5, using: &generator)] = [0x52, 0x50, 0x24, 0xFF].randomElement(using: &generator) ?? 0
      other[7] = other[..<7].reduce(0, &+)
      return [other, packet, generator.bytes(0...20)]
    }
    try bench.run(droppingAfter: 4000)
    #expect(bench.memory.erasures == 0)
    for frame in bench.writesToMeter {
      #expect(frame.count == 8 && frame[0] == 0x51 && frame[6] == 0xA3 && frame[7] == frame[..<7].reduce(0, &+))
      #expect(Self.commands.contains(frame[1]))
    }
  }
}
