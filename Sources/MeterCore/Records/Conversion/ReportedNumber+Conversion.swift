/// Why a number cannot be converted.
public struct ConversionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The unit given, in UCUM.
  public let from: String
  /// The unit wanted, in UCUM.
  public let to: String
  /// What is wrong.
  public let message: String

  /// Units and reason in one line.
  public var description: String { "\(from) to \(to): \(message)" }
}

/// How many digits a converted number gets.
public enum ConversionResolution: Sendable, Hashable {
  /// Those of a display in the target unit: glucose 1 mg/dL or 0.1 mmol/L, temperature 0.1 or as reported; as ``kept``
  /// where displays have no resolution of their own.
  case display
  /// Those of a display, and as many more as the way back needs to give the very number that was reported.
  case kept
  /// A power of ten from -18 to 0.
  case exponent(Int8)
}

extension ReportedNumber {
  /// This number in another unit, computed exactly and rounded once, half away from zero.
  ///
  /// - Parameters:
  ///   - from: This number's unit in UCUM.
  ///   - to: The wanted unit in UCUM; the same unit gives this very number.
  ///   - analyte: The substance, needed between mass and amount, such as mg/dL and mmol/L.
  ///   - resolution: How many digits the result gets.
  public func converted(
    from: String, to: String, analyte: Analyte? = nil, resolution: ConversionResolution = .display
  ) throws(ConversionError) -> ReportedNumber {
    if from == to { return self }
    guard (-9...9).contains(exponent) else {
      throw ConversionError(from: from, to: to, message: "the number is out of range")
    }
    guard let rule = UnitConversion.from(from, to: to, analyte: analyte) else {
      let message =
        UnitConversion.needsAnalyte(from, to)
        ? "needs the analyte; the factor is another for each substance" : "there is no such conversion"
      throw ConversionError(from: from, to: to, message: message)
    }
    let result: ReportedNumber?
    switch (resolution, rule.power) {
    case (.exponent(let exponent), _): result = (-18...0).contains(exponent) ? scaled(rule, resolution: exponent) : nil
    // A power of ten moves the point and loses no digit.
    case (_, let power?): result = ReportedNumber(mantissa: mantissa, exponent: exponent + power)
    case (.display, nil): result = scaled(rule, resolution: rule.displayed(exponent) ?? keptResolution(rule))
    case (.kept, nil): result = scaled(rule, resolution: keptResolution(rule))
    }
    guard let result else { throw ConversionError(from: from, to: to, message: "the number is out of range") }
    return result
  }

  /// Without a display's resolution, no digit coarser than reported: 7 h are 25200 s, though 25000 s were enough to know
  /// that it was 7 h.
  private func keptResolution(_ rule: UnitConversion) -> Int8 {
    min(rule.displayed(exponent) ?? exponent, exponent + rule.reversibleShift, 0)
  }

  /// The converted number, rounded to a power of ten that is not positive; nil when that does not fit.
  private func scaled(_ rule: UnitConversion, resolution: Int8) -> ReportedNumber? {
    // Every intermediate fits 128 bits: 63 of the mantissa, 27 of a factor, 30 of nine decimal places.
    let unit = Int128.tenTo(-exponent)
    let (raised, isTooLarge) = Int128(mantissa).multipliedReportingOverflow(by: .tenTo(exponent))
    // The value as a fraction: top / bottom.
    let (lowered, isTooLow) = raised.subtractingReportingOverflow(rule.subtracting * unit)
    let top = lowered.multipliedReportingOverflow(by: rule.numerator)
    let bottom = unit * rule.denominator
    let sum = top.partialValue.addingReportingOverflow(rule.adding * bottom)
    let shifted = sum.partialValue.multipliedReportingOverflow(by: .tenTo(-resolution))
    // The bound leaves room for the half that is added.
    guard !isTooLarge, !isTooLow, !top.overflow, !sum.overflow, !shifted.overflow,
      shifted.partialValue.magnitude < UInt128(1) << 120
    else { return nil }
    let half = shifted.partialValue < 0 ? -bottom / 2 : bottom / 2
    return Int64(exactly: (shifted.partialValue + half) / bottom).map {
      ReportedNumber(mantissa: $0, exponent: resolution)
    }
  }
}
