import Foundation
import Testing

@testable import MeterCore

@Suite("Values of a record")
struct RecordValueTests {
  @Test("keep on disk whether the meter's own step was rounded", arguments: [true, false])
  func rounded(isRounded: Bool) throws {
    let value = RecordValue(
      metric: 5, unit: 3, number: ReportedNumber(mantissa: 63, exponent: -2), isRounded: isRounded)
    #expect(try JSONDecoder().decode(RecordValue.self, from: JSONEncoder().encode(value)) == value)
  }

  @Test("of a state folder without that field are not rounded")
  func earlier() throws {
    let value = RecordValue(metric: 5, unit: 3, number: ReportedNumber(mantissa: 6, exponent: -1))
    let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    #expect(text.contains(#""isRounded":false"#))
    for field in [#""isRounded":false,"#, #","isRounded":false"#] {
      let earlier = text.replacing(field, with: "")
      #expect(try JSONDecoder().decode(RecordValue.self, from: Data(earlier.utf8)) == value)
    }
  }
}
