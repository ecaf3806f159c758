import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// What the database keeps of a record is written by our own code and read by Foundation's.
@Suite struct RecordJSONTests {
  private static func reference(_ record: Record) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(record)
  }

  private static func text(_ generator: inout SeededGenerator) -> String {
    let scalars = ["a", "/", "\\", "\"", "\0", "\u{1}", "\u{1F}", "\u{7F}", "\t\n\r\u{8}\u{C}", "é", "\u{2028}", "😀"]
    return (0..<Int.random(in: 0...6, using: &generator)).compactMap { _ in scalars.randomElement(using: &generator) }
      .joined()
  }

  private static func record(_ generator: inout SeededGenerator) -> Record {
    func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &generator) ? value : nil }
    let microseconds: [Int64] = [0, -1, 1_800_000_000_000_000, .min, .max]
    let (texts, moments) = ((0..<8).map { _ in text(&generator) }, microseconds.shuffled(using: &generator))
    var record = Record(
      logID: .live(), identityClass: [.stored, .live, .summary].randomElement(using: &generator) ?? .live,
      type: RecordType.allCases.randomElement(using: &generator) ?? .cgm,
      time: RecordTime(
        startMicroseconds: moments[0], endMicroseconds: moments[1], civilMicroseconds: maybe(moments[2]),
        utcOffsetSeconds: maybe(Int.random(in: -86_400...86_400, using: &generator)), zoneSource: maybe(.gateway),
        kind: [.none, .civil, .civilWithOffset, .utc].randomElement(using: &generator) ?? .none),
      deviceSequence: maybe(.random(in: 0 ... .max, using: &generator)), deviceUser: maybe(2),
      values: (0..<Int.random(in: 0...3, using: &generator)).map { _ in
        RecordValue(
          metric: .random(in: 0 ... .max, using: &generator), unit: .random(in: 0 ... .max, using: &generator),
          number: ReportedNumber(
            mantissa: [0, 5, -17, .min, .max].randomElement(using: &generator) ?? 0,
            exponent: .random(in: .min ... .max, using: &generator)),
          qualifier: ValueQualifier.allCases.randomElement(using: &generator) ?? .exact,
          isRounded: .random(using: &generator))
      },
      notes: (0..<Int.random(in: 0...2, using: &generator)).map { RecordNote(field: UInt16($0), text: texts[$0]) },
      source: RecordSource(
        peripheralID: 7, manufacturer: maybe(texts[2]), model: maybe(texts[3]), deviceID: texts[4], driverID: texts[5],
        driverVersion: texts[6]),
      origin: ValueOrigin.allCases.randomElement(using: &generator) ?? .device,
      flags: RecordFlags(rawValue: .random(in: 0 ... .max, using: &generator)))
    record.revision = .random(in: 1 ... .max, using: &generator)
    return record
  }

  @Test func writesByteForByteWhatFoundationWrites() throws {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<2000 {
      let record = Self.record(&generator)
      let expected = try Self.reference(record)
      let written = try RecordCoding.encode(record)
      #expect(written == expected, "\(String(decoding: written, as: UTF8.self))")
      #expect(try RecordCoding.decode(written) == record)
    }
  }

  @Test(arguments: RecordType.allCases) func detailsAreKept(_ type: RecordType) throws {
    var generator = SeededGenerator(seed: 5)
    let record = try RandomDraft.withDetails(type, using: &generator).record()
    #expect(record.details != nil)
    #expect(try RecordCoding.encode(record) == Self.reference(record))
    #expect(try RecordCoding.decode(RecordCoding.encode(record)) == record)
  }
}
