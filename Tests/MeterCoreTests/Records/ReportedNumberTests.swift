import TestSupport
import Testing

@testable import MeterCore

@Suite("Reported numbers")
struct ReportedNumberTests {
  @Test(
    "are written with the digits reported",
    arguments: [
      (62, -1, "6.2"), (620, -2, "6.20"), (112, 0, "112"), (-5, -2, "-0.05"), (5, 3, "5000"), (0, -1, "0.0"),
      (0, 5, "0"), (100, -2, "1.00"), (Int64.min, 0, "-9223372036854775808"), (7, -10, "0.0000000007"),
    ] as [(Int64, Int8, String)])
  func description(mantissa: Int64, exponent: Int8, text: String) {
    #expect(ReportedNumber(mantissa: mantissa, exponent: exponent).description == text)
  }

  @Test("have the nearest double, whatever the exponent")
  func doubles() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      let number = ReportedNumber(
        mantissa: .random(in: -1_000_000...1_000_000, using: &generator),
        exponent: .random(in: -20...20, using: &generator))
      #expect(Double(number.description) == number.doubleValue)
      #expect(number.normalized.doubleValue == number.doubleValue)
      #expect(number.isEqual(to: number.normalized))
    }
    #expect(ReportedNumber(mantissa: 62, exponent: -1).doubleValue == 6.2)
    #expect(ReportedNumber(mantissa: .max, exponent: .max).doubleValue.isFinite)
    #expect(ReportedNumber(mantissa: 1, exponent: .min).description.hasPrefix("0.000"))
  }

  @Test(
    "convert to the target display's resolution",
    arguments: [
      ("112", "mg/dL", "6.2", "mmol/L"), ("100", "mg/dL", "5.6", "mmol/L"), ("5.6", "mmol/L", "101", "mg/dL"),
      ("98.6", "[degF]", "37.0", "Cel"), ("37.0", "Cel", "98.6", "[degF]"), ("99", "[degF]", "37.2", "Cel"),
      ("-40", "[degF]", "-40.0", "Cel"), ("150.0", "[lb_av]", "68.04", "kg"), ("70.0", "kg", "154.3", "[lb_av]"),
    ])
  func conversions(value: String, from: String, result: String, to: String) throws {
    let number = try #require(ReportedNumber(text: value))
    #expect(try number.converted(from: from, to: to, analyte: .glucose).description == result)
  }

  @Test("come back from mmol/L and pounds as the meter showed them")
  func roundTrips() throws {
    for mantissa in Int64(5)...555 {
      let millimoles = ReportedNumber(mantissa: mantissa, exponent: -1)
      let milligrams = try millimoles.converted(from: "mmol/L", to: "mg/dL", analyte: .glucose)
      // One mg/dL is finer than 0.1 mmol/L, so nothing is lost on the way.
      #expect(try milligrams.converted(from: "mg/dL", to: "mmol/L", analyte: .glucose) == millimoles)
    }
    for mantissa in Int64(11)...8820 {
      let pounds = ReportedNumber(mantissa: mantissa, exponent: -1)
      let kilograms = try pounds.converted(from: "[lb_av]", to: "kg")
      // One digit finer than pounds, so rounding the way back to their resolution gives the number shown.
      let back = try kilograms.converted(from: "kg", to: "[lb_av]").doubleValue
      #expect((back * 10).rounded() == Double(mantissa))
      #expect(abs(kilograms.doubleValue - pounds.doubleValue * 0.45359237) <= 0.005_000_001)
    }
  }

  @Test("refuse what has no conversion instead of guessing")
  func refusals() {
    let number = ReportedNumber(mantissa: 56, exponent: -1)
    #expect(throws: ConversionError.self) { try number.converted(from: "mmol/L", to: "mg/dL") }
    #expect(throws: ConversionError.self) { try number.converted(from: "kPa", to: "kg") }
    for number in [
      ReportedNumber(mantissa: .max, exponent: 9), ReportedNumber(mantissa: .min, exponent: 9),
      ReportedNumber(mantissa: .max, exponent: 127), ReportedNumber(mantissa: .min, exponent: -128),
    ] {
      for (from, to) in [
        ("mmol/L", "mg/dL"), ("[degF]", "Cel"), ("Cel", "[degF]"), ("kg", "[lb_av]"), ("[lb_av]", "kg"),
      ] {
        #expect(throws: ConversionError.self) { try number.converted(from: from, to: to, analyte: .glucose) }
      }
    }
    #expect((try? number.converted(from: "kPa", to: "kPa")) == number)
  }

  @Test(
    "of glucose are out of range below 20 and above 600 mg/dL, in both units",
    arguments: [
      (19, 0, 2, .exact, .low), (20, 0, 2, .exact, nil), (600, 0, 2, .exact, nil), (601, 0, 2, .exact, .high),
      (11, -1, 3, .exact, .low), (12, -1, 3, .exact, nil), (333, -1, 3, .exact, nil), (334, -1, 3, .exact, .high),
      (600, 0, 2, .above, .high), (20, 0, 2, .below, .low),
    ] as [(Int64, Int8, UInt16, ValueQualifier, OutOfRange?)])
  func outOfRange(mantissa: Int64, exponent: Int8, unit: UInt16, qualifier: ValueQualifier, expected: OutOfRange?) {
    let value = RecordValue(
      metric: 1, unit: unit, number: ReportedNumber(mantissa: mantissa, exponent: exponent), qualifier: qualifier)
    #expect(value.outOfRange == expected)
  }
}

extension ReportedNumber {
  /// A test's number from plain decimal text.
  init?(text: String) {
    let places = text.firstIndex(of: ".").map { text.distance(from: $0, to: text.endIndex) - 1 } ?? 0
    guard let mantissa = Int64(text.replacing(".", with: "")) else { return nil }
    self.init(mantissa: mantissa, exponent: Int8(-places))
  }
}
