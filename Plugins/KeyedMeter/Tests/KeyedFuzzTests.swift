import CMeterDriver
import TestSupport
import Testing

@testable import DriverTestBench

/// Bytes of any kind at any moment: no crash, no record that the meter has not sealed, no cursor ahead of the records.
@Suite struct KeyedFuzzTests {
  typealias Meter = SimulatedKeyedMeter

  @Test(arguments: 0..<200 as Range<UInt64>)
  func anyEventsInAnyOrderGiveNoRecord(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let purpose = seed % 3 == 0 ? MH_PURPOSE_PAIR : MH_PURPOSE_READ
    let bench = try KeyedBench(purpose: Int32(purpose), cursor: generator.bytes(0...9))
    let before = bench.cursor
    if seed % 2 == 0 { _ = bench.request() }
    for _ in 0..<60 {
      let unit = bench.session.commit(event(&generator, bench))
      #expect([MH_OK, MH_E_PROTOCOL, MH_E_UNSUPPORTED].contains(unit.status), "\(unit.status)")
      #expect(unit.records.isEmpty)
      #expect(unit.actions.count <= 8)
    }
    #expect(bench.cursor == before)
  }

  private func event(_ generator: inout SeededGenerator, _ bench: KeyedBench) -> TestEvent {
    let statuses: [Int32] = [0, 0, 5, 15, -3, .max]
    let status = statuses[Int.random(in: 0..<statuses.count, using: &generator)]
    let token = UInt64.random(in: 0...7, using: &generator)
    return switch UInt8.random(in: 0...13, using: &generator) {
    case 0: Meter.services
    case 1: .read(token: token, generator.bytes(0...20), status: status)
    case 2: .subscribed(token: token, status: status)
    case 3: .wrote(token: token)
    case 4...6: .indication(Meter.control, [UInt8.random(in: 0x80...0x84, using: &generator)] + generator.bytes(0...10))
    case 7...9: .notification(Meter.data, generator.bytes(0...30))
    case 10: .userInput(token: token, generator.bytes(0...16), status: status)
    case 11: .encrypted(status)
    case 12: .servicesChanged
    default: .other(UInt32.random(in: 16...40, using: &generator))
    }
  }

  /// What a meter with the right key may send: any numbers, in any order, broken off anywhere and read again.
  @Test(arguments: 0..<150 as Range<UInt64>)
  func everyReadingComesOnceWhateverBreaksTheRead(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed &+ 0x5eed)
    var sequences: Set<UInt16> = []
    for _ in 0..<Int.random(in: 1...12, using: &generator) {
      sequences.insert(UInt16.random(in: 1...40, using: &generator))
    }
    let memory = sequences.sorted().map { Meter.record($0, tenths: UInt16.random(in: 5...80, using: &generator)) }
    var meter = Meter()
    meter.lastSequence = sequences.max() ?? 0
    var storage: [UInt8]?
    var seen: [[UInt8]: Int] = [:]
    for attempt in 0..<40 {
      let bench = try KeyedBench(meter, cursor: storage)
      let isLast = attempt == 39
      let stop = isLast ? Int.max : Int.random(in: 0...memory.count + 1, using: &generator)
      let first = bench.request().written.map { UInt16($0[1]) | UInt16($0[2]) << 8 } ?? 1
      let due = memory.filter { Meter.sequence($0) >= first }
      var sent = 0
      for record in due {
        guard sent < stop else { break }
        // A packet that the air has eaten, now and then: the meter counts it.
        if !isLast, Int.random(in: 0..<12, using: &generator) == 0 { continue }
        for decoded in bench.send(record).records { seen[decoded.identity, default: 0] += 1 }
        sent += 1
      }
      if sent < stop {
        let end = bench.endReport(UInt16(due.count))
        #expect(!isLast || end.failure == nil, "\(end.failureText)")
      }
      storage = bench.cursor
    }
    #expect(Set(seen.keys) == Set(memory.map { Array($0.prefix(8)) }))
  }
}

extension SimulatedKeyedMeter {
  static func sequence(_ record: [UInt8]) -> UInt16 { UInt16(record[0]) | UInt16(record[1]) << 8 }
}
