import CMeterDriver
import TestSupport
import Testing

@testable import DriverTestBench

/// A map that is not the monitor's would show other bytes as readings, or one person's as another's (H106).
@Suite struct OmronMapTests {
  @Test func withoutAMapNothingIsAsked() throws {
    for parameters in [[:], [OmronBench.layout: 0], [OmronBench.layout: 18], [OmronBench.layout: -1]]
      as [[UInt32: Int64]]
    {
      let bench = try OmronBench()
      bench.opening.parameters = parameters
      try bench.run()
      #expect(bench.failure?.code == MH_FAIL_UNSUPPORTED_METER && bench.meter.unlocks.isEmpty)
    }
  }

  /// The rows of other models look for the clock elsewhere, and find none, or bytes that are none.
  @Test(arguments: [7, 2, 3, 4, 5] as [Int64])
  func aMapThatIsNotTheMonitorsReadsNothing(row: Int64) throws {
    let bench = try OmronBench()
    bench.opening.parameters[OmronBench.layout] = row
    bench.meter.put(Array(1...16), at: 0x003C)
    bench.meter.put(Array(1...16), at: 0x028C)
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_UNSUPPORTED_METER && bench.committed.isEmpty)
    #expect(bench.meter.commands.map { $0[1] } == [0, 1])
  }

  @Test func aClocksBlockThatIsBlankOrRefusedIsNone() throws {
    let (blank, refused) = (try OmronBench(), try OmronBench())
    blank.meter.put([UInt8](repeating: 0xFF, count: 10), at: 0x0274)
    try blank.run()
    #expect(blank.failure?.code == MH_FAIL_UNSUPPORTED_METER && blank.committed.isEmpty)
    for index in 0x0274..<0x027E { refused.meter.memory[index] = nil }
    try refused.run()
    #expect(refused.failure?.code == MH_FAIL_NOT_PAIRED && refused.committed.isEmpty)
  }

  /// Every bit of the block that tells the map.
  @Test func aBlockWithOneOtherBitIsNoClock() throws {
    for bit in 0..<80 where bit / 8 != 8 {
      let bench = try OmronBench()
      bench.meter.memory[0x0274 + bit / 8]? ^= 1 << UInt8(bit % 8)
      try bench.run()
      #expect(bench.measurements.isEmpty, "\(bit)")
    }
  }

  @Test(arguments: [1, 6, 7, 8, 17] as [Int64])
  func aMonitorWithoutTheFourChannelsIsNotThisModel(row: Int64) throws {
    let host = try TestHost(bundle: "omron")
    for services in [OmronBench.services(channels: 3), OmronBench.services(mh_uuid16(0xFE4A)), .other(99)] {
      let session = try host.open(TestOpening(parameters: [OmronBench.layout: row]))
      let unit = session.commit(services)
      if case .other = services {
        #expect(unit.status == MH_E_UNSUPPORTED && unit.actions.isEmpty)
      } else {
        #expect(unit.actions.first { $0.kind == MH_DO_FAIL }?.code == MH_FAIL_UNSUPPORTED_METER)
      }
    }
  }

  /// The HEM-7155T has another map with another service: what the monitor offers decides.
  @Test(arguments: [3, 11] as [Int64])
  func theServiceTellsTheMapsOfOneModelApart(row: Int64) throws {
    let host = try TestHost(bundle: "omron")
    let opening = TestOpening(parameters: [OmronBench.layout: row])
    let keyed = try host.open(opening).commit(OmronBench.services())
    #expect(keyed.actions.contains { $0.kind == MH_DO_SUBSCRIBE && $0.handle == 30 })
    let session = try host.open(opening)
    let newest = session.commit(OmronBench.services(mh_uuid16(0xFE4A), channels: 1))
    #expect(newest.actions.contains { $0.kind == MH_DO_MTU && $0.argument >= 27 })
    // An answer of the newest comes in one piece: a short link cannot carry it.
    #expect(session.commit(.timer(1)).actions.first { $0.kind == MH_DO_FAIL }?.code == MH_FAIL_TIMEOUT)
  }
}

/// Answers come in pieces over four channels, late or twice (H108).
@Suite struct OmronPieceTests {
  @Test func piecesBehindTheFirstComeInAnyOrder() throws {
    let bench = try OmronBench()
    bench.onTheAir = { _, pieces in [pieces[0]] + pieces.dropFirst().reversed() }
    try bench.run()
    #expect(bench.finished && bench.measurements.count == 8)
    let other = try OmronBench()
    other.onTheAir = { _, pieces in pieces.reversed() }
    try other.run()
    #expect(other.finished && other.measurements.count == 8)
  }

  /// Lost, doubled, changed, mixed and late pieces: the right readings, or an end that says that they are not all.
  @Test(arguments: 0..<40)
  func aBadLineGivesTheRightReadingsOrNone(seed: Int) throws {
    let bench = try OmronBench()
    let good = try OmronBench()
    try good.run()
    var generator = SeededGenerator(seed: UInt64(seed))
    var late: [(channel: Int, bytes: [UInt8])] = []
    bench.onTheAir = { _, pieces in
      let before = late
      late = []
      let index = Int.random(in: 0..<pieces.count, using: &generator)
      switch Int.random(in: 0..<24, using: &generator) {
      case 0: return before
      case 1: return before + pieces + pieces
      case 2:
        var damaged = pieces
        let byte = Int.random(in: 0..<damaged[index].bytes.count, using: &generator)
        damaged[index].bytes[byte] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        return before + damaged
      case 3:
        var short = pieces
        short[index].bytes.removeLast()
        return before + short
      case 4:
        late = Array(pieces.suffix(from: index))
        return before + pieces.prefix(index)
      case 5:
        late = pieces
        return before + pieces
      case 6: return before + [(Int.random(in: 0..<4, using: &generator), generator.bytes(1...16))] + pieces
      default: return before + pieces
      }
    }
    try bench.run()
    #expect(Set(bench.measurements).isSubset(of: good.measurements))
    #expect(bench.finished ? bench.names == good.names : bench.failure?.text.isEmpty == false)
  }

  /// An answer of another block is whole and right, and still not the one that was asked for.
  @Test func anAnswerToAnotherQuestionIsPassedOver() throws {
    let bench = try OmronBench()
    var last: [(channel: Int, bytes: [UInt8])] = []
    bench.onTheAir = { number, pieces in
      defer { last = pieces }
      return number > 3 ? last + pieces : pieces
    }
    try bench.run()
    #expect(bench.finished && bench.measurements.map { $0.values[0].raw } == OmronBench.allSystolic)
    #expect(bench.measurements.map(\.deviceUser) == [1, 1, 1, 1, 2, 2, 2, 2])
  }
}
