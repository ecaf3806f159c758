import Foundation

/// A decimal number as it is given out: digits, and how many of them stand behind the point.
package struct HealthDecimal: Sendable, Hashable {
  package let mantissa: Int64
  /// Digits behind the point, 0 to 18; none of the last ones is a zero.
  package let places: Int

  /// The number without zeros at the end of its decimal places.
  package init(mantissa: Int64, places: Int) {
    var (digits, places) = (mantissa, max(0, places))
    while places > 0, digits % 10 == 0 {
      digits /= 10
      places -= 1
    }
    self.mantissa = digits
    self.places = places
  }

  /// A whole number.
  package init(_ whole: Int64) { self.init(mantissa: whole, places: 0) }

  /// The number as a fraction.
  package var fraction: Fraction { Fraction(mantissa: mantissa, exponent: -places) ?? .zero }
  package var isZero: Bool { mantissa == 0 }
}

extension HealthDecimal: CustomStringConvertible {
  /// Plain decimal notation; also a JSON number.
  package var description: String {
    let digits = String(mantissa.magnitude)
    guard places > 0 else { return (mantissa < 0 ? "-" : "") + digits }
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    let point = padded.index(padded.endIndex, offsetBy: -places)
    return "\(mantissa < 0 ? "-" : "")\(padded[..<point]).\(padded[point...])"
  }
}

extension HealthDecimal: Comparable {
  package static func < (left: HealthDecimal, right: HealthDecimal) -> Bool { left.fraction < right.fraction }
}

extension HealthDecimal: Encodable {
  /// Writes a number with exactly these digits.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(decimal)
  }

  /// The same number as Foundation has it.
  var decimal: Decimal {
    Decimal(sign: mantissa < 0 ? .minus : .plus, exponent: -places, significand: Decimal(mantissa.magnitude))
  }
}
