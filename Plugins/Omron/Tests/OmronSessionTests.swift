import CMeterDriver
import TestSupport
import Testing

@testable import DriverTestBench

@Suite struct OmronSessionTests {
  @Test func readsEverySlotOfBothUsersAndChangesNothing() throws {
    let bench = try OmronBench()
    let before = bench.meter.memory
    try bench.run()
    #expect(bench.finished && bench.meter.memory == before && bench.changes.isEmpty)
    #expect(bench.measurements.map { $0.values[0].raw } == OmronBench.allSystolic)
    #expect(bench.measurements.map(\.deviceUser) == [1, 1, 1, 1, 2, 2, 2, 2])
    #expect(bench.measurements.allSatisfy { $0.identityClass == UInt16(MH_IDENT_STORED) && $0.flags == 0 })
    #expect(bench.names.count == 8)
    // Start, clock, 100 slots of two users by four, end.
    #expect(bench.meter.commands.count == 53)
    #expect(bench.meter.commands.first == [8, 0, 0, 0, 0, 0x10, 0, 0x18])
    #expect(bench.meter.commands.last == [8, 0x0F, 0, 0, 0, 0, 0, 7])
    #expect(bench.meter.commands[2] == [8, 1, 0, 2, 0xAC, 56, 0, 0x9F])
    #expect(bench.host.state.storage == [OmronBench.keyName: OmronBench.key])
  }

  @Test func aSecondReadingBringsTheSameNamesWhereverTheRecordsAre() throws {
    let (first, second) = (try OmronBench(), try OmronBench(slots: [98, 41, 2, 1]))
    try first.run()
    let names = first.names
    try first.run()
    try second.run()
    #expect(first.names == names && second.names == names && names.count == 8)
  }

  /// One record, one value and 16 bytes at a time.
  @Test func aFullSinkLosesNothing() throws {
    let (ample, tiny) = (try OmronBench(), try OmronBench())
    tiny.capacities = .tiny
    try ample.run()
    try tiny.run()
    #expect(tiny.finished && tiny.committed == ample.committed && tiny.lastActions == ample.lastActions)
  }

  @Test func slotsThatWereNeverWrittenAreReadOneByOne() throws {
    let bench = try OmronBench(slots: [0, 1, 2, 3])
    // The first user has three readings and nothing else, the second is not registered.
    for index in 0x02AC + 3 * 14..<0x0824 + 1400 { bench.meter.memory[index] = nil }
    try bench.run()
    #expect(bench.finished && bench.measurements.map(\.deviceUser) == [1, 1, 1])
  }

  @Test func aDamagedReadingIsToldAndKeepsNoOtherBack() throws {
    let bench = try OmronBench()
    bench.meter.memory[0x02AC + 3 * 14]? ^= 0x10
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_METER_ERROR && bench.failure?.text.contains("damaged") == true)
    var expected = OmronBench.allSystolic
    expected.remove(at: 1)
    #expect(bench.measurements.map { $0.values[0].raw } == expected)
    #expect(bench.meter.commands.last?[1] == 0x0F)
  }

  @Test(arguments: [0x00, 0x01] as [UInt8])
  func aSilentMonitorFailsAndSaysSo(command: UInt8) throws {
    let bench = try OmronBench()
    bench.meter.isSilent = { $0.count < 17 && $0[1] == command }
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_TIMEOUT && bench.failure?.text.isEmpty == false)
    #expect(bench.measurements.isEmpty && bench.meter.commands.count <= 4)
  }

  @Test func aMonitorThatSwitchesItselfOffAtTheEndHasBeenRead() throws {
    let bench = try OmronBench()
    bench.meter.isSilent = { $0.count < 17 && $0[1] == 0x0F }
    try bench.run()
    #expect(bench.finished && bench.measurements.count == 8)
  }

  @Test func theLinkMayBreakAndTheHostMayEndAnywhere() throws {
    let events = try OmronBench().run()
    for limit in stride(from: 0, to: events, by: 5) {
      let (cut, cancelled) = (try OmronBench(), try OmronBench())
      try cut.run(droppingAfter: limit)
      // Behind the end command everything is here.
      let isWhole = cut.measurements.count == 8 && cut.meter.commands.last?[1] == 0x0F
      #expect(isWhole ? cut.finished : cut.failure?.code == MH_FAIL_COMMUNICATION, "\(limit)")
      try cancelled.run(droppingAfter: limit, .cancel)
      #expect(cancelled.finished && Set(cancelled.measurements).isSubset(of: cut.measurements))
      try cut.run()
      #expect(cut.finished && cut.names.count == 8)
    }
  }

  @Test func theClockIsTold() throws {
    let bench = try OmronBench()
    bench.opening.utcOffsetSeconds = 60
    try bench.run()
    let told = try #require(bench.committed.first)
    #expect(told.kind == MH_KIND_DEVICE_INFO && told.value(MH_METRIC_CLOCK_OFFSET)?.raw == 30)
    #expect(bench.committed.count == 9)
  }

  @Test(arguments: [(false, true), (true, false), (true, true)])
  func theClockIsSetOnlyWhenAskedByAHostThatKnowsTheTime(asked: Bool, trusted: Bool) throws {
    let bench = try OmronBench()
    let before = bench.meter.memory
    bench.opening.parameters[MH_PARAM_SET_CLOCK] = asked ? 1 : 0
    bench.opening.clockTrust = UInt32(trusted ? MH_CLOCK_SYNCHRONISED : MH_CLOCK_UNKNOWN)
    try bench.run()
    #expect(bench.finished && bench.measurements.count == 8)
    guard asked, trusted else {
      #expect(bench.meter.memory == before)
      return
    }
    // After the last slot, once, and no byte beside it.
    #expect(bench.changes.count == 1 && bench.meter.commands[52] == bench.changes[0])
    #expect(bench.meter.read(0x029A, 10) == SimulatedOmron.clock([26, 7, 18, 0, 0, 0]))
    for address in before.indices where !(0x029A..<0x02A4).contains(address) {
      #expect(bench.meter.memory[address] == before[address])
    }
  }

  @Test func aClockThatIsNotTakenIsNotWrittenAgain() throws {
    let bench = try OmronBench()
    bench.opening.parameters[MH_PARAM_SET_CLOCK] = 1
    bench.opening.clockTrust = UInt32(MH_CLOCK_SYNCHRONISED)
    bench.meter.isSilent = { $0.count < 64 && $0[1] == 1 && $0[2] == 0xC0 }
    try bench.run()
    #expect(bench.finished && bench.changes.count == 1 && bench.measurements.count == 8)
  }

  @Test func timesOfAClockThatIsDaysWrongAreSuspect() throws {
    let bench = try OmronBench()
    bench.opening.clockTrust = UInt32(MH_CLOCK_SYNCHRONISED)
    bench.meter.put(SimulatedOmron.clock([26, 7, 20, 12, 0, 0]), at: 0x0274)
    try bench.run()
    #expect(bench.finished && bench.measurements.allSatisfy { $0.flags == MH_REC_CLOCK_SUSPECT })
  }

  @Test func hostileBytesEndNothingAndAreNoReading() throws {
    var generator = SeededGenerator(seed: 5)
    let bench = try OmronBench()
    let session = try bench.host.open(bench.opening)
    session.commit(OmronBench.services())
    for _ in 0..<5 { session.commit(.subscribed(token: 3)) }
    session.commit(.notification(OmronBench.lock, [0x82, 0x0F]))
    session.commit(.notification(OmronBench.lock, [0x81, 0x00]))
    for _ in 0..<5000 {
      let handle = ([OmronBench.lock, 99] + OmronBench.fromMeter).randomElement(using: &generator) ?? 0
      #expect(session.commit(.notification(handle, generator.bytes(0...80))).records.isEmpty)
    }
  }
}
