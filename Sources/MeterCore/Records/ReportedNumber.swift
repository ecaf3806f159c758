/// A decimal number exactly as a meter reported it: `mantissa` times ten to the power of `exponent`.
///
/// The exponent keeps the resolution: 6.20 and 6.2 are equal in size and different numbers here.
public struct ReportedNumber: Sendable, Hashable, Codable {
  /// The digits.
  public let mantissa: Int64
  /// The power of ten of the last digit.
  public let exponent: Int8

  /// A number from its parts.
  public init(mantissa: Int64, exponent: Int8) {
    self.mantissa = mantissa
    self.exponent = exponent
  }

  /// The nearest double.
  public var doubleValue: Double {
    // strtod rounds correctly; multiplying by a power of ten would round twice.
    Double("\(mantissa)e\(exponent)") ?? .nan
  }

  /// Whether two numbers have the same size, whatever their resolution.
  public func isEqual(to other: ReportedNumber) -> Bool { normalized == other.normalized }

  /// The same size without trailing zeros.
  public var normalized: ReportedNumber {
    guard mantissa != 0 else { return ReportedNumber(mantissa: 0, exponent: 0) }
    var digits = mantissa
    var power = exponent
    while digits % 10 == 0, power < .max {
      digits /= 10
      power += 1
    }
    return ReportedNumber(mantissa: digits, exponent: power)
  }
}

extension ReportedNumber: CustomStringConvertible {
  /// Plain decimal notation with the reported resolution: `6.20`, `112`, `-0.05`. Also a JSON number (RFC 8259).
  public var description: String {
    let digits = String(mantissa.magnitude)
    let sign = mantissa < 0 ? "-" : ""
    if mantissa == 0, exponent >= 0 { return "0" }
    if exponent >= 0 { return sign + digits + String(repeating: "0", count: Int(exponent)) }
    let places = -Int(exponent)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    let point = padded.index(padded.endIndex, offsetBy: -places)
    return "\(sign)\(padded[..<point]).\(padded[point...])"
  }
}
