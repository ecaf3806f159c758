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

/// A substance whose amount and mass are converted into each other.
public enum Analyte: Sendable, Hashable {
  /// Glucose, 180.156 g/mol: 1 mmol/L = 18.0156 mg/dL.
  case glucose

  /// Milligrams a decilitre in one millimole a litre, times 10,000.
  var milligramsPerDecilitreTimes10000: Int128 {
    switch self {
    case .glucose: 180_156
    }
  }
}

extension ReportedNumber {
  /// This number in another unit, computed exactly and rounded once, half away from zero.
  ///
  /// The result's resolution is that of a display in the target unit: glucose 1 mg/dL or 0.1 mmol/L; temperature the
  /// resolution reported, 0.1 at least as fine; mass one digit finer from pounds to kilograms, so that the way back gives
  /// the number that the meter showed.
  ///
  /// - Parameters:
  ///   - from: This number's unit in UCUM.
  ///   - to: The wanted unit in UCUM; the same unit gives this very number.
  ///   - analyte: The substance, needed between mg/dL and mmol/L.
  public func converted(
    from: String, to: String, analyte: Analyte? = nil
  ) throws(ConversionError) -> ReportedNumber {
    if from == to { return self }
    guard (-9...9).contains(exponent) else {
      throw ConversionError(from: from, to: to, message: "the number is out of range")
    }
    let result: ReportedNumber?
    switch (from, to, analyte) {
    case ("mg/dL", "mmol/L", let analyte?):
      result = scaled(10_000, analyte.milligramsPerDecilitreTimes10000, resolution: -1)
    case ("mmol/L", "mg/dL", let analyte?):
      result = scaled(analyte.milligramsPerDecilitreTimes10000, 10_000, resolution: 0)
    case ("[degF]", "Cel", _): result = scaled(5, 9, subtracting: 32, resolution: min(exponent, -1))
    case ("Cel", "[degF]", _): result = scaled(9, 5, adding: 32, resolution: min(exponent, -1))
    // 1 [lb_av] = 0.45359237 kg exactly (international pound).
    case ("[lb_av]", "kg", _): result = scaled(45_359_237, 100_000_000, resolution: min(exponent, 0) - 1)
    case ("kg", "[lb_av]", _): result = scaled(100_000_000, 45_359_237, resolution: min(exponent, -1))
    case ("mg/dL", "mmol/L", nil), ("mmol/L", "mg/dL", nil):
      throw ConversionError(from: from, to: to, message: "needs the analyte; the factor is another for each substance")
    default: throw ConversionError(from: from, to: to, message: "there is no such conversion")
    }
    guard let result else { throw ConversionError(from: from, to: to, message: "the number is out of range") }
    return result
  }

  /// (self - subtracting) * numerator / denominator + adding, rounded to a power of ten; nil when that does not fit.
  private func scaled(
    _ numerator: Int128, _ denominator: Int128, subtracting: Int128 = 0, adding: Int128 = 0, resolution: Int8
  ) -> ReportedNumber? {
    // Every intermediate fits 128 bits: 63 of the mantissa, 27 of a factor, 30 of nine decimal places.
    let unit = Self.tenTo(max(0, -exponent))
    let (raised, isTooLarge) = Int128(mantissa).multipliedReportingOverflow(by: Self.tenTo(max(0, exponent)))
    // The value as a fraction: top / bottom.
    let top = (raised - subtracting * unit).multipliedReportingOverflow(by: numerator)
    let bottom = unit * denominator
    let shifted = (top.partialValue + adding * bottom).multipliedReportingOverflow(by: Self.tenTo(-resolution))
    // The bound leaves room for the half that is added.
    guard !isTooLarge, !top.overflow, !shifted.overflow, shifted.partialValue.magnitude < UInt128(1) << 120 else {
      return nil
    }
    let half = shifted.partialValue < 0 ? -bottom / 2 : bottom / 2
    return Int64(exactly: (shifted.partialValue + half) / bottom).map {
      ReportedNumber(mantissa: $0, exponent: resolution)
    }
  }

  private static func tenTo(_ power: Int8) -> Int128 {
    var result: Int128 = 1
    for _ in 0..<max(0, power) { result *= 10 }
    return result
  }
}

/// Whether a glucose value lies outside what meters measure (facts of the record model: in 0, high 1, low 2).
public enum OutOfRange: String, Sendable, Hashable {
  /// Above 600 mg/dL, or the meter said "HI".
  case high
  /// Below 20 mg/dL, or the meter said "LO".
  case low
}

extension RecordValue {
  /// Out of range by the meter's word, else by size for blood glucose; nil in range.
  public var outOfRange: OutOfRange? {
    switch qualifier {
    case .above: return .high
    case .below: return .low
    case .exact, .questionable: break
    }
    guard metricName == "blood_glucose" else { return nil }
    // Compared in the unit reported: 600 mg/dL is 33.304..., 20 mg/dL is 1.110... mmol/L.
    let limits: (low: Double, high: Double)
    switch ucum {
    case "mg/dL": limits = (20, 600)
    case "mmol/L": limits = (20 / 18.0156, 600 / 18.0156)
    default: return nil
    }
    let value = number.doubleValue
    return value > limits.high ? .high : value < limits.low ? .low : nil
  }
}
