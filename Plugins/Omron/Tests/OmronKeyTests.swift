import CMeterDriver
import Testing

@testable import DriverTestBench

/// The key opens the memory to whoever has it (H107).
@Suite struct OmronKeyTests {
  /// What the bench's host gives for a random key.
  static let random = (0..<16).map { UInt8($0) }

  private func pairing() throws -> OmronBench {
    let bench = try OmronBench()
    bench.opening.purpose = UInt32(MH_PURPOSE_PAIR)
    bench.opening.security = 1
    bench.host.state.storage = [:]
    bench.meter.key = nil
    bench.meter.isPairing = true
    return bench
  }

  @Test func pairingGivesAKeyOfItsOwnAndReadsNothing() throws {
    let bench = try pairing()
    try bench.run()
    #expect(bench.finished && bench.committed.isEmpty && bench.lastActions.first?.kind == MH_DO_PAIR)
    #expect(bench.meter.unlocks == [[2] + [UInt8](repeating: 0, count: 16), [0] + Self.random])
    #expect(bench.meter.key == Self.random && bench.host.state.storage == [OmronBench.keyName: Self.random])
    #expect(bench.meter.commands.map { $0[1] } == [0x00, 0x0F])
    bench.opening = TestOpening(parameters: [OmronBench.layout: 1])
    bench.meter.isPairing = false
    try bench.run()
    #expect(bench.finished && bench.measurements.count == 8)
  }

  /// Wherever the link breaks, no key is with the monitor that the host has not got.
  @Test func theKeyIsStoredBeforeTheMonitorHasIt() throws {
    let events = try pairing().run()
    for limit in 0..<events {
      let bench = try pairing()
      try bench.run(droppingAfter: limit)
      #expect(bench.meter.key == nil || bench.meter.key == bench.host.state.storage[OmronBench.keyName])
      let kept = bench.host.state.storage[OmronBench.keyName]
      try bench.run()
      #expect(bench.finished && (kept == nil || bench.host.state.storage[OmronBench.keyName] == kept))
    }
  }

  @Test func aHostThatCannotKeepAKeyGivesNone() throws {
    let bench = try pairing()
    bench.host.state.refusesStorage = true
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_PAIRING && bench.meter.key == nil)
    #expect(bench.meter.unlocks.map { $0[0] } == [2])
  }

  @Test func aKeyThatTheMonitorAlreadyHoldsOpensIt() throws {
    let bench = try pairing()
    bench.meter.key = OmronBench.key
    bench.host.state.storage = [OmronBench.keyName: OmronBench.key]
    try bench.run()
    #expect(bench.finished && bench.meter.key == OmronBench.key)
    #expect(bench.meter.unlocks.map { $0[0] } == [2, 0, 1])
  }

  @Test func anotherProgramsKeyIsWrongAndStaysWhereItIs() throws {
    let bench = try OmronBench()
    let other = [UInt8](repeating: 7, count: 16)
    bench.meter.key = other
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_KEY_WRONG && bench.failure?.text.contains("-P-") == true)
    #expect(bench.meter.key == other && bench.committed.isEmpty && bench.meter.commands.isEmpty)
    #expect(bench.meter.unlocks.map { $0[0] } == [2, 1])
  }

  @Test func aMonitorThatTakesNoKeyIsNotPaired() throws {
    let bench = try pairing()
    bench.meter.isPairing = false
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_PAIRING)
    #expect(bench.meter.unlocks.map { $0[0] } == [2, 2, 2, 2, 2, 0, 1])
  }

  @Test func aMonitorThatSaysNothingIsNotPaired() throws {
    let bench = try pairing()
    bench.meter.isSilent = { $0.count == 17 }
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_PAIRING && bench.meter.unlocks.count == 5)
    #expect(bench.host.state.storage.isEmpty)
  }

  @Test func aReadingThatNobodyAskedForGivesNoKey() throws {
    let bench = try OmronBench()
    bench.host.state.storage = [:]
    bench.meter.isPairing = true
    bench.opening.purpose = UInt32(MH_PURPOSE_PASSIVE)
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_KEY_MISSING && bench.meter.unlocks.isEmpty)
    bench.opening.purpose = UInt32(MH_PURPOSE_READ)
    try bench.run()
    #expect(bench.finished && bench.meter.key == Self.random && bench.measurements.count == 8)
  }

  @Test func theQuestionBeforeTheKeyNeedsNoAnswerWhereOneIsStored() throws {
    let bench = try OmronBench()
    bench.meter.isSilent = { $0.count == 17 && $0[0] == 2 }
    try bench.run()
    #expect(bench.finished && bench.measurements.count == 8)
  }

  @Test(arguments: [0x05, 0x0F] as [Int32])
  func aLinkThatIsNotPairedIsNamed(status: Int32) throws {
    let bench = try OmronBench()
    let session = try bench.host.open(bench.opening)
    session.commit(OmronBench.services())
    let unit = session.commit(.subscribed(token: 3, status: status))
    #expect(unit.actions.first { $0.kind == MH_DO_FAIL }?.code == MH_FAIL_NOT_PAIRED)
  }
}
