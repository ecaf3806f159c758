import Foundation
import MeterCore
import TestSupport
import Testing

@testable import FileSink

@Suite("Readings as CSV")
struct CSVRowsTests {
  private let form = CSVRows()

  /// The rows of RFC 4180, each by the names of the columns.
  private func parse(_ bytes: [UInt8]) throws -> [[String: String]] {
    let names = CSVColumn.allCases.map(\.rawValue)
    return try Self.rows(bytes).map { cells in
      try #require(cells.count == names.count)
      return Dictionary(uniqueKeysWithValues: zip(names, cells))
    }
  }

  private static func rows(_ bytes: [UInt8]) throws -> [[String]] {
    var (rows, cells, cell): ([[String]], [String], [UInt8]) = ([], [], [])
    var isQuoted = false
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let next = index + 1 < bytes.count ? bytes[index + 1] : 0
      switch (byte, isQuoted) {
      case (UInt8(ascii: "\""), true) where next == UInt8(ascii: "\""):
        cell.append(byte)
        index += 1
      case (UInt8(ascii: "\""), _): isQuoted.toggle()
      case (UInt8(ascii: ","), false):
        cells.append(String(decoding: cell, as: UTF8.self))
        cell = []
      case (UInt8(ascii: "\r"), false):
        try #require(next == UInt8(ascii: "\n"))
        rows.append(cells + [String(decoding: cell, as: UTF8.self)])
        (cells, cell) = ([], [])
        index += 1
      default: cell.append(byte)
      }
      index += 1
    }
    try #require(cells.isEmpty && cell.isEmpty && !isQuoted, "the last row ends")
    return rows
  }

  @Test("each value is a row, and the notes stand in the first one")
  func rows() throws {
    let record = Fixture.reading(1, values: [Fixture.value, Fixture.beforeMeal], notes: ["well"], flags: .takenBack)
    let rows = try parse(try form.lines(of: record, user: Fixture.user))
    #expect(rows.map { $0["row"] } == ["1", "2"] && rows.allSatisfy { $0["rows"] == "2" })
    let first = try #require(rows.first)
    #expect(first["log_id"] == "\(record.logID)" && first["revision"] == "1" && first["type"] == "diabetes")
    #expect(first["time"] == "2026-03-01T08:00:00+01:00" && first["time_kind"] == "civil")
    #expect(first["metric"] == "blood_glucose" && first["value"] == "6.20" && first["unit"] == "mmol/L")
    #expect(first["loinc"] == "15074-8" && first["flags"] == "taken_back" && first["notes"] == "note: well")
    #expect(first["model"] == "Gluco" && first["device_id"] == "GM-0042" && first["user"] == "ada")
    #expect(rows.last?["word"] == "before" && rows.last?["notes"] == "")
  }

  @Test("a reading without a value is a row")
  func noValue() throws {
    let rows = try parse(try form.lines(of: Fixture.reading(1, values: [], flags: .takenBack), user: Fixture.user))
    #expect(rows.count == 1 && rows.first?["metric"] == "" && rows.first?["rows"] == "1")
  }

  @Test("a reading of words alone is a row with its extras")
  func words() throws {
    let details = RecordDetails(extras: [RecordExtra(name: "menstrual_flow", value: .text("Light"))])
    let record = Fixture.reading(1, values: [], type: .biometrics, details: details)
    let rows = try parse(try form.lines(of: record, user: Fixture.user))
    #expect(rows.map { $0["extras"] } == ["menstrual_flow=Light"] && rows.first?["metric"] == "")
  }

  @Test("parts and points have their own times, and say what they are of")
  func parts() throws {
    let record = Fixture.reading(1, values: [], type: .cgm, details: Fixture.details)
    let rows = try parse(try form.lines(of: record, user: Fixture.user))
    #expect(rows.map { $0["part"] } == ["segment 1", "segment 1 food 1", "channel 1"])
    #expect(rows.map { $0["part_name"] } == ["Lunch, \"late\"", "Soup (Acme)", ""])
    #expect(
      rows.map { $0["time"] } == [
        "2026-03-01T08:00:00+01:00", "2026-03-01T08:00:00+01:00", "2026-03-01T08:05:00+01:00",
      ])
    #expect(rows.last?["qualifier"] == "above" && rows.first?["extras"] == "battery=80")
  }

  @Test(
    "somebody's words are a text in a spreadsheet, and what they were",
    arguments: [
      ("Gluco", "Gluco"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), (" a", "\" a\""), ("a;b", "\"a;b\""),
      ("=1+1", "'=1+1"), ("+49 30", "'+49 30"), ("-5", "'-5"), ("@SUM(A1)", "'@SUM(A1)"), ("  =1", "'  =1"),
      ("'=1", "''=1"), ("\u{FF1D}1", "'\u{FF1D}1"), ("\t=1", "' =1"), ("a\r\nb", "a  b"), ("a\u{0}b", "a b"),
      ("a\u{2028}b", "a b"), ("", ""), ("5-3", "5-3"),
      ("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""),
    ])
  func words(text: String, cell: String) { #expect(CSVText.words(text) == cell) }

  @Test("a negative number stays a number")
  func negative() throws {
    let value = RecordValue(metric: 1, unit: 3, number: ReportedNumber(mantissa: -5, exponent: -1))
    let rows = try parse(try form.lines(of: Fixture.reading(1, values: [value]), user: Fixture.user))
    #expect(rows.first?["value"] == "-0.5")
  }

  @Test("random words come back from any row, and every row is one line", arguments: UInt64(1)...3)
  func random(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let letters: [Character] = [
      "a", ",", "\"", "'", "=", "-", "+", "@", ";", " ", "é", "😀", "\n", "\r\n", "\t", "\u{0}",
    ]
    for _ in 0..<500 {
      let count = Int.random(in: 0...8, using: &generator)
      let word = String((0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
      let source = RecordSource(
        peripheralID: 1, manufacturer: word, model: nil, deviceID: word, driverID: "d", driverVersion: "1")
      let bytes = try form.lines(of: Fixture.reading(1, notes: [word], source: source), user: Fixture.user)
      #expect(bytes.count { $0 == UInt8(ascii: "\n") } == 1)
      let cell = try #require(try parse(bytes).first?["device_id"])
      let plain = String(String.UnicodeScalarView(word.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
      #expect((cell.utf8.first == UInt8(ascii: "'") ? String(cell.unicodeScalars.dropFirst()) : cell) == plain)
      let first = cell.drop { $0 == " " }.unicodeScalars.first
      #expect(first.map { !["=", "+", "-", "@"].contains($0) } ?? true)
    }
  }
}
