import TestSupport
import Testing

@testable import MeterCore

@Suite("Units of a number")
struct UnitConversionTests {
  struct Pair: Sendable, CustomStringConvertible {
    let from: String
    let to: String
    let analyte: Analyte?
    var description: String { "\(from) \(to) \(analyte.map { "\($0)" } ?? "")" }
  }

  static let pairs: [Pair] =
    [
      ("kg", "[lb_av]"), ("Cel", "[degF]"), ("cm", "[in_i]"), ("kPa", "mm[Hg]"), ("kcal", "kJ"), ("g", "mg"),
      ("kg", "g"), ("L", "mL"), ("h", "min"), ("h", "s"), ("min", "s"), ("s", "ms"), ("m", "cm"),
      ("mmol/L", "umol/L"), ("min", "ms"), ("g/dL", "mg/dL"), ("mg/dL", "ug/dL"), ("ng/mL", "ug/L"), ("mg/L", "ug/L"),
    ].flatMap { [Pair(from: $0.0, to: $0.1, analyte: nil), Pair(from: $0.1, to: $0.0, analyte: nil)] }
    + Analyte.allCases.flatMap { analyte in
      [("mg/dL", "mmol/L"), ("mmol/L", "mg/dL"), ("mg/dL", "umol/L"), ("umol/L", "mg/dL")].map {
        Pair(from: $0.0, to: $0.1, analyte: analyte)
      }
    }

  @Test("there and back is the very number, whatever its digits", arguments: pairs)
  func roundTrip(pair: Pair) throws {
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<2000 {
      let number = ReportedNumber(
        mantissa: .random(in: -99_999...99_999, using: &generator), exponent: .random(in: -4...0, using: &generator))
      let there = try number.converted(from: pair.from, to: pair.to, analyte: pair.analyte, resolution: .kept)
      let back = try there.converted(
        from: pair.to, to: pair.from, analyte: pair.analyte, resolution: .exponent(number.exponent))
      #expect(back == number, "\(number) \(pair) \(there)")
    }
  }

  @Test("is the nearest number of its resolution", arguments: pairs)
  func nearest(pair: Pair) throws {
    var generator = SeededGenerator(seed: 22)
    let rule = try #require(UnitConversion.from(pair.from, to: pair.to, analyte: pair.analyte))
    for _ in 0..<500 {
      let number = ReportedNumber(
        mantissa: .random(in: -9_999...9_999, using: &generator), exponent: .random(in: -3...0, using: &generator))
      let result = try number.converted(from: pair.from, to: pair.to, analyte: pair.analyte, resolution: .exponent(-4))
      // Twice the distance from the exact fraction, over a common denominator: at most one digit.
      let exact =
        (Int128(number.mantissa) * .tenTo(4 + number.exponent) - rule.subtracting * .tenTo(4)) * rule.numerator
        + rule.adding * .tenTo(4) * rule.denominator
      let distance = 2 * (Int128(result.mantissa) * rule.denominator - exact)
      #expect(distance.magnitude <= rule.denominator.magnitude, "\(number) \(pair) \(result)")
    }
  }

  @Test(
    "has the factor of its substance",
    arguments: [
      (Analyte.glucose, "180.156", "10"), (.cholesterol, "386.664", "10"), (.triglyceride, "885.453", "10"),
      (.uricAcid, "168.112", "10"), (.lactate, "90.078", "10"), (.ketone, "104.105", "10"),
    ])
  func factors(analyte: Analyte, milligrams: String, millimoles: String) throws {
    let ten = try #require(ReportedNumber(decimal: millimoles))
    let there = try ten.converted(from: "mmol/L", to: "mg/dL", analyte: analyte, resolution: .exponent(-3))
    #expect(there.description == milligrams)
  }

  @Test(
    "has the digits that are usual, or as many as were reported",
    arguments: [
      ("6.25", "mmol/L", "112.6", "mg/dL", ConversionResolution.kept), ("6.2", "mmol/L", "112", "mg/dL", .kept),
      ("112", "mg/dL", "6.22", "mmol/L", .kept), ("112", "mg/dL", "6.2", "mmol/L", .display),
      ("98.6", "[degF]", "37.00", "Cel", .kept), ("180", "cm", "70.9", "[in_i]", .display),
      ("16.0", "kPa", "120.0", "mm[Hg]", .display), ("120", "mm[Hg]", "16.0", "kPa", .display),
      ("2000", "kcal", "8368", "kJ", .display), ("7", "h", "25200", "s", .display), ("1.5", "g", "1500", "mg", .kept),
      ("405.77", "mg", "0.40577", "g", .kept), ("1.80", "m", "180", "cm", .display),
    ])
  func digits(value: String, from: String, result: String, to: String, resolution: ConversionResolution) throws {
    let number = try #require(ReportedNumber(decimal: value))
    #expect(
      try number.converted(from: from, to: to, analyte: .glucose, resolution: resolution).description == result)
  }

  @Test("is refused without a rule, without the substance, and where it does not fit")
  func refusals() throws {
    let number = ReportedNumber(mantissa: 5, exponent: 0)
    for (from, to, word) in [
      ("mg/dL", "mmol/L", "analyte"), ("mg/dL", "umol/L", "analyte"), ("kg", "Cel", "no such"), ("", "kg", "no such"),
    ] {
      let error = #expect(throws: ConversionError.self) { try number.converted(from: from, to: to) }
      #expect(error?.message.contains(word) == true)
    }
    for exponent in [Int8(1), -19] {
      #expect(throws: ConversionError.self) {
        try number.converted(from: "kg", to: "[lb_av]", resolution: .exponent(exponent))
      }
    }
    var generator = SeededGenerator(seed: 23)
    for _ in 0..<5000 {
      let number = ReportedNumber(
        mantissa: .random(in: .min ... .max, using: &generator), exponent: .random(in: .min ... .max, using: &generator)
      )
      guard let pair = Self.pairs.randomElement(using: &generator) else { continue }
      let result = try? number.converted(from: pair.from, to: pair.to, analyte: pair.analyte, resolution: .kept)
      #expect(result?.doubleValue.isFinite ?? true)
    }
  }

  @Test("of a metric with mass and amount is converted by its own substance")
  func analytes() {
    for metric in Metric.dictionary + Metric.host {
      let units = Set(metric.units.map(\.ucum))
      if units.isSuperset(of: ["mg/dL", "mmol/L"]) { #expect(metric.analyte != nil, "\(metric.name)") }
    }
  }
}
