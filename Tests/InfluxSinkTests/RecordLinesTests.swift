import Foundation
import MeterCore
import RecordSupport
import TestSupport
import Testing

@testable import InfluxSink

@Suite("Readings as lines")
struct RecordLinesTests {
  private let form = RecordLines(identity: .tag, subject: "s1")

  private func points(_ record: MeterCore.Record, _ identity: PointIdentity = .tag) throws -> [ReadPoint] {
    let bytes = try RecordLines(identity: identity, subject: "s1").bytes(of: record)
    return try #require(LineReader.points(bytes))
  }

  @Test("a reading is a line: who, which, what in which unit, and when")
  func vector() throws {
    let record = Fixture.glucose(1, mantissa: 620, exponent: -2, unit: 3, context: [Fixture.beforeMeal])
    let line = String(decoding: try form.bytes(of: record), as: UTF8.self)
    #expect(
      line == "diabetes,log_id=\(record.logID),model=Gluco,subject=s1 blood_glucose_mmol_per_l=6.20,"
        + "relationship_to_meal=1,relationship_to_meal_word=\"before\",revision=1i,origin=\"device\" 1772348400000000000\n"
    )
  }

  @Test(
    "two readings of one time are two points, also where the time tells them apart", arguments: PointIdentity.allCases)
  func sameTime(identity: PointIdentity) throws {
    let keys = try (1...200).flatMap { try points(Fixture.glucose($0), identity).map(\.key) }
    #expect(Set(keys).count == 200)
  }

  @Test("a later revision takes the place of the earlier one", arguments: PointIdentity.allCases)
  func revision(identity: PointIdentity) throws {
    var later = Fixture.glucose(1, mantissa: 99)
    later.revision = 2
    #expect(try points(later, identity).map(\.key) == points(Fixture.glucose(1), identity).map(\.key))
  }

  @Test("where the time tells readings apart, none is moved out of its second, and its name is a field")
  func spread() throws {
    for number in 1...200 {
      let point = try #require(try points(Fixture.glucose(UInt64(number)), .time).first)
      #expect((0..<1_000_000_000).contains(point.time - 1_772_348_400_000_000_000))
      #expect(point.tags["log_id"] == nil)
      #expect(point.fields["log_id"] == .text("\(Fixture.glucose(UInt64(number)).logID)"))
      let exact = try #require(try points(Fixture.glucose(UInt64(number), civil: Fixture.morning + 1), .time).first)
      #expect((0..<1_000).contains(exact.time - 1_772_348_400_000_001_000), "what the meter gave stays")
    }
  }

  @Test("no metric has one field for two units, and no field needs an escape")
  func fieldNames() {
    for metric in Metric.all {
      let names = (UInt16(0)...999).compactMap { MetricUnit.withCode($0) }.map { unit in
        FieldName.of(
          RecordValue(metric: metric.code, unit: unit.code, number: ReportedNumber(mantissa: 1, exponent: 0)))
      }
      #expect(Set(names).count == names.count)
      #expect(names.allSatisfy { LineText.name($0) == $0 })
    }
  }

  @Test("a value that is there twice is lost by neither")
  func twice() throws {
    let value = RecordValue(metric: 1, unit: 2, number: ReportedNumber(mantissa: 5, exponent: 0))
    let point = try #require(try points(Fixture.glucose(1, context: [value])).first)
    #expect(point.fields["blood_glucose_mg_per_dl"] == .float("112"))
    #expect(point.fields["blood_glucose_mg_per_dl_2"] == .float("5"))
  }

  @Test("control solution and a time beyond the database's are refused")
  func refusals() {
    #expect(throws: RecordLines.Refusal.self) { try form.bytes(of: Fixture.glucose(1, flags: .control)) }
    #expect(throws: RecordLines.Refusal.time) { try form.bytes(of: Fixture.glucose(1, civil: 9_300_000_000_000_000)) }
  }

  @Test("texts of meters and people never end a line, a tag or a field, whatever they are", arguments: 0..<200)
  func hostile(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let alphabet: [Character] = [
      ",", "=", " ", "\\", "\"", "\n", "\r", "\t", "\0", "a", "é", "\u{2028}", "\u{85}", "#", "i", "1", "🩸",
    ]
    func text() -> String {
      String(
        (0..<Int.random(in: 0...12, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
    }
    var point = LinePoint(text() + "m", at: 7)
    let tags = ["t": text(), text() + "k": text()]
    point.tags = tags
    let value = text()
    point.add("f", text: value)
    point.add(text() + "g", integer: 3)
    let read = try #require(LineReader.points(point.bytes)?.first, "\(String(decoding: point.bytes, as: UTF8.self))")
    #expect(read.time == 7 && read.fields.count == 2)
    #expect(read.tags.count == tags.values.count { !$0.isEmpty })
    #expect(read.fields["f"] == .text(String(value.unicodeScalars.map { Self.isPlain($0) ? Character($0) : " " })))
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value) && scalar.value != 0x2028 && scalar.value != 0x2029
  }
}
