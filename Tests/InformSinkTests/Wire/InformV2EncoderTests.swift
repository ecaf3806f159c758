import Foundation
import RecordSupport
import StrictJSON
import Testing

@testable import MeterCore
@testable import InformSink

@Suite("Inform v2 encoder")
struct InformV2EncoderTests {
  @Test("writes the measurement form with the meter's own digits")
  func golden() throws {
    let record = Fixture.glucose(1, mantissa: 620, exponent: -2, unit: 3, context: [Fixture.beforeMeal])
    let text = String(decoding: try InformV2Encoder().encode(record), as: UTF8.self)
    #expect(
      text == """
        {"log_id":"\(record.logID)","revision":1,"type":"measurement","version":"1.0",\
        "start_time":"2026-03-01T07:00:00Z","end_time":"2026-03-01T07:00:00Z","utc_offset":3600,\
        "offset_origin":"profile","metrics":[{"type":"blood_glucose","origin":"device","unit":"mmol/L",\
        "value":6.20}],"tags":[{"name":"relationship_to_meal","value":"before"}],"user_notes":[],\
        "source":{"type":"device","device":{"id":"GM-0042","model":"Gluco","manufacturer":"Acme"}}}
        """)
  }

  @Test("marks what is out of range and refuses what must not travel")
  func marks() throws {
    let high = String(decoding: try InformV2Encoder().encode(Fixture.glucose(1, mantissa: 601)), as: UTF8.self)
    #expect(high.contains(#"{"name":"out_of_range","value":"high"}"#))
    #expect(throws: EncodingRefusal.self) { try InformV2Encoder().encode(Fixture.glucose(1, flags: .control)) }
    let twice = [RecordValue(metric: 1, unit: 2, number: ReportedNumber(mantissa: 1, exponent: 0))]
    #expect(throws: EncodingRefusal.self) { try InformV2Encoder().encode(Fixture.glucose(1, context: twice)) }
  }

  @Test(
    "writes times by RFC 3339",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59.999999Z"), (1_500_000, "1970-01-01T00:00:01.5Z"),
      (1_709_164_800_000_000, "2024-02-29T00:00:00Z"), (253_402_300_799_000_000, "9999-12-31T23:59:59Z"),
      (-62_135_596_800_000_000, "0001-01-01T00:00:00Z"), (951_782_400_000_000, "2000-02-29T00:00:00Z"),
    ] as [(Int64, String)])
  func times(microseconds: Int64, text: String) { #expect(UTCText.string(microseconds) == text) }

  @Test("escapes whatever a meter calls itself")
  func escapes() throws {
    var json = JSONWriter()
    let hostile = "a\"b\\c\u{1}\u{0}\n\u{2028}é😀"
    json.object { $0.member("x", hostile) }
    let back = try JSONDecoder().decode([String: String].self, from: Data(json.text.utf8))
    #expect(back == ["x": hostile])
  }
}
