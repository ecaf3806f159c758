import CMeterDriver
import TestSupport
import Testing

import DriverContract
@testable import DriverRuntime

/// The quick look must never pass what the rules refuse.
@Suite struct OutputScanTests {
  /// Values that lie at the edges of the rules.
  private static let times: [Int64] = [
    0, 1, .min, .max, OutputCheck.times.lowerBound, OutputCheck.times.lowerBound - 1, OutputCheck.times.upperBound,
    OutputCheck.times.upperBound + 1, 5_000_000_000_000_000_000, -8_900_000_000_000_000_000,
  ]
  private static let doubles: [Double] = [
    111, 111.000_000_2, -111, 0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
  ]

  private static let plainValue = mh_value(
    metric: 1, unit: 2, exp10: 0, qualifier: 0, flags: 0, value: 111, raw: 111)
  private static let plainRecord = mh_record(
    kind: 1, flags: 0, n_values: 1, n_texts: 0, device_user: 0, time_kind: 1, t_us: 5, end_us: 5, device_seq: 7,
    utc_offset_s: .min, first_value: 0, first_text: 0, group: 0, ident_off: 0, ident_len: 4, ident_class: 1)

  /// Both verdicts about one record with one value and four identity bytes.
  private func verdicts(_ record: mh_record, _ value: mh_value) -> (quick: Bool, rules: Bool) {
    let arena: [UInt8] = [1, 2, 3, 4]
    return withUnsafeBytes(of: record) { record in
      withUnsafeBytes(of: value) { value in
        arena.withUnsafeBufferPointer { arena in
          let output = OutputView(
            records: record.bindMemory(to: mh_record.self), values: value.bindMemory(to: mh_value.self),
            texts: UnsafeBufferPointer(start: nil, count: 0), arena: arena)
          let rules: Bool
          do throws(DriverFault) {
            try OutputCheck(driver: "test").judge(output)
            rules = true
          } catch { rules = false }
          return (OutputScan(output: output).passes, rules)
        }
      }
    }
  }

  @Test func whatIsPlainPassesAtOnce() {
    let verdicts = verdicts(Self.plainRecord, Self.plainValue)
    #expect(verdicts.quick && verdicts.rules)
  }

  @Test(arguments: [(0, true), (1, true), (2, false), (3, false), (0x8000, false)] as [(UInt16, Bool)])
  func ofAValuesFlagsOnlyTheRoundedOneIsKnown(flags: UInt16, isRight: Bool) {
    var value = Self.plainValue
    value.flags = flags
    let verdicts = verdicts(Self.plainRecord, value)
    #expect(verdicts.quick == isRight && verdicts.rules == isRight)
  }

  @Test func everyPairOfTimesIsJudgedAlike() {
    for start in Self.times {
      for end in Self.times {
        var record = Self.plainRecord
        (record.t_us, record.end_us) = (start, end)
        let verdicts = verdicts(record, Self.plainValue)
        #expect(verdicts.quick == verdicts.rules, "\(start)...\(end)")
      }
    }
  }

  @Test(arguments: 0..<64 as Range<UInt64>) func nothingPassesThatTheRulesRefuse(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var passed = 0
    for _ in 0..<500 {
      var (record, value) = (Self.plainRecord, Self.plainValue)
      for _ in 0..<Int.random(in: 1...2, using: &random) { Self.damage(&record, &value, &random) }
      let verdicts = verdicts(record, value)
      if verdicts.quick {
        passed += 1
        #expect(verdicts.rules, "\(record) \(value)")
      }
    }
    // The generator also makes records that are plainly right, else this would prove nothing.
    #expect(passed > 0)
  }

  private static func damage(_ record: inout mh_record, _ value: inout mh_value, _ random: inout SeededGenerator) {
    let small = UInt16.random(in: 0...5, using: &random)
    switch Int.random(in: 0..<19, using: &random) {
    case 0: record.kind = UInt32(small)
    case 1: record.flags = 1 << UInt32.random(in: 0..<32, using: &random)
    case 2: record.n_values = small
    case 3: record.n_texts = small
    case 4: record.time_kind = small
    case 5: record.t_us = times.randomElement(using: &random) ?? 0
    case 6: record.end_us = times.randomElement(using: &random) ?? 0
    case 7: record.first_value = Bool.random(using: &random) ? UInt32(small) : .max
    case 8: record.first_text = Bool.random(using: &random) ? UInt32(small) : .max
    case 9: record.ident_off = Bool.random(using: &random) ? UInt32(small) : .max
    case 10: record.ident_len = small
    case 11: record.ident_class = small
    case 12: value.metric = small
    case 13: value.unit = small
    case 14: value.exp10 = Int8.random(in: .min ... .max, using: &random)
    case 15: value.qualifier = UInt8(small)
    case 16: value.flags = small
    case 17: value.value = doubles.randomElement(using: &random) ?? 0
    default: value.raw = [0, 111, -111, .min, .max].randomElement(using: &random) ?? 0
    }
  }
}
