import Foundation
import MeterCore
import ReadingJSON
import StrictJSON
import Testing

@testable import FileSink

@Suite("Readings as JSON Lines")
struct JSONLinesTests {
  private let form = JSONLines()

  private func line(_ record: Record) throws -> String {
    String(decoding: try form.lines(of: record, user: Fixture.user), as: UTF8.self)
  }

  @Test("a reading is one line, its numbers with the digits that were reported")
  func vector() throws {
    let record = Fixture.reading(
      1, revision: 2, values: [Fixture.value, Fixture.beforeMeal], notes: ["a \"b\"\nc"], flags: .clockSuspect)
    #expect(
      try line(record)
        == #"{"log_id":"\#(record.logID)","revision":2,"type":"diabetes","time":"2026-03-01T08:00:00+01:00","#
        + #""civil_time":"2026-03-01T08:00:00","time_kind":"civil","zone_source":"gateway","sequence":1,"#
        + #""origin":"device","values":[{"metric":"blood_glucose","value":6.20,"reported":"6.20","unit":"mmol/L","#
        + #""loinc":"15074-8"},{"metric":"relationship_to_meal","value":1,"reported":"1","unit":"1","word":"before"}],"#
        + #""notes":[{"field":"note","text":"a \"b\"\u000ac"}],"flags":["clock_suspect"],"manufacturer":"Acme","#
        + #""model":"Gluco","device_id":"GM-0042","peripheral":1000,"user":"ada","organization":"clinic"}"# + "\n")
  }

  @Test("a reading of words alone has no values, and its extras")
  func words() throws {
    let details = RecordDetails(extras: [RecordExtra(name: "menstrual_flow", value: .text("Light"))])
    let line = try line(Fixture.reading(1, values: [], type: .biometrics, details: details))
    #expect(line.contains(#""values":[],"details":{"extras":{"menstrual_flow":"Light"}}"#))
  }

  @Test("parts, series, tags and extras have the members of documents")
  func details() throws {
    let record = Fixture.reading(1, values: [], type: .cgm, details: Fixture.details)
    let document = try JSONDocument(Array(try line(record).utf8), rules: JSONRules(depth: 16))
    let details = try #require(document.root.member("details"))
    let segment = try #require(details.member("segments")?.elements.first)
    #expect(segment.member("name")?.asString == "Lunch, \"late\"")
    #expect(segment.member("end")?.asString == "2026-03-01T08:01:00+01:00")
    #expect(segment.member("values")?.elements.first?.member("value")?.numeral == "6.20")
    let food = try #require(segment.member("foods")?.elements.first)
    #expect(food.member("brand")?.asString == "Acme" && food.member("serving_amount")?.numeral == "1.5")
    #expect(details.member("granularity")?.member("interval")?.numeral == "5")
    let channel = try #require(details.member("channels")?.elements.first)
    let point = try #require(channel.member("points")?.elements.first)
    #expect(channel.member("metric")?.asString == "blood_glucose")
    #expect(point.member("value")?.numeral == "7.0" && point.member("reported")?.asString == "7.0")
    #expect(point.member("time")?.asString == "2026-03-01T08:05:00+01:00")
    #expect(point.member("qualifier")?.asString == "above" && point.member("scheduled")?.asBool == true)
    #expect(details.member("tags")?.elements.first?.member("value")?.asString == "left")
    #expect(details.member("extras")?.member("battery")?.numeral == "80")
  }

  @Test(
    "a time has the offset that it was taken with, or is in UTC",
    arguments: [
      (nil, "2026-03-01T07:00:00Z"), (0, "2026-03-01T07:00:00+00:00"), (-12_600, "2026-03-01T03:30:00-03:30"),
      (3_601, "2026-03-01T07:00:00Z"), (90_000, "2026-03-01T07:00:00Z"),
    ] as [(Int?, String)])
  func times(offset: Int?, text: String) {
    let time = RecordTime(
      startMicroseconds: Fixture.morning, endMicroseconds: Fixture.morning, civilMicroseconds: nil,
      utcOffsetSeconds: offset, zoneSource: nil, kind: .utc)
    #expect(time.startText == text && time.endText == nil)
  }

  @Test("what a driver alone understands stays with people")
  func vendorValues() throws {
    let own = RecordValue(metric: 0x8001, unit: 1, number: ReportedNumber(mantissa: 1, exponent: 99))
    let text = try line(Fixture.reading(1, values: [Fixture.value, own]))
    #expect(!text.contains("vendor"))
  }

  @Test(
    "control solution and numbers without end are refused, in both forms", arguments: FileSinkSetting.Format.allCases)
  func refusals(format: FileSinkSetting.Format) {
    let endless = RecordValue(metric: 1, unit: 3, number: ReportedNumber(mantissa: 1, exponent: 100))
    #expect(throws: FormatRefusal.self) {
      try format.form.lines(of: Fixture.reading(1, flags: .control), user: Fixture.user)
    }
    #expect(throws: FormatRefusal.self) {
      try format.form.lines(of: Fixture.reading(1, values: [endless]), user: Fixture.user)
    }
  }

  @Test("a line says again what it is about, and no other text does", arguments: FileSinkSetting.Format.allCases)
  func marks(format: FileSinkSetting.Format) throws {
    let form = format.form
    let lines = try form.lines(of: Fixture.reading(7, revision: 12), user: Fixture.user)
    #expect(form.mark(lines[...]) == LineMark(.reading(Fixture.logID(7), revision: 12)))
    let image = try Fixture.image(3, of: 7)
    let line = form.line(of: image, file: "images/\(image.image.checksum).jpg", user: Fixture.user)
    #expect(form.mark(line[...]) == LineMark(.image(Fixture.logID(7), checksum: image.image.checksum)))
    for length in 0..<40 { #expect(form.mark(lines[..<length]) == nil) }
    for text in ["", "\n", "# a comment\n", "{}\n", "log_id,revision,row,rows\r\n"] {
      #expect(form.mark(Array(text.utf8)[...]) == nil)
    }
  }
}
