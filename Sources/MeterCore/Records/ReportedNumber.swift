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

  /// The number that a decimal text spells, with its digits: `6.20` has two decimal places.
  ///
  /// Nil for anything but an optional minus, 1 to 18 digits with at most one point between them, and an optional power of
  /// ten; so for `nan`, `inf`, `0x10`, `1,5`, `.5` and blanks, and for what is not ``isWritable``. A zero has no sign.
  public init?(decimal text: String) {
    let parts = text.split(whereSeparator: { $0 == "e" || $0 == "E" }).map(String.init)
    let halves = (parts.first ?? "").split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.count == 1 + text.utf8.count(where: { $0 | 0x20 == UInt8(ascii: "e") }),
      (1...2).contains(halves.count), let whole = halves.first
    else { return nil }
    let isNegative = whole.hasPrefix("-")
    let integers = isNegative ? whole.dropFirst() : whole
    let fraction = halves.dropFirst().first
    let digits = String(integers) + String(fraction ?? "")
    guard Self.areDigits(integers), fraction.map(Self.areDigits) ?? true, digits.utf8.count <= 18,
      let size = Int64(digits)
    else { return nil }
    var power = 0
    if parts.count == 2 {
      let unsigned = parts[1].hasPrefix("-") || parts[1].hasPrefix("+") ? parts[1].dropFirst() : parts[1][...]
      guard unsigned.utf8.count <= 2, Self.areDigits(unsigned), let given = Int(unsigned) else { return nil }
      power = parts[1].hasPrefix("-") ? -given : given
    }
    guard let exponent = Int8(exactly: power - (fraction?.utf8.count ?? 0)) else { return nil }
    self.init(mantissa: isNegative ? -size : size, exponent: exponent)
    guard isWritable else { return nil }
  }

  /// The places that a last digit can have. Beyond them nothing is measured, and written out it were hundreds of zeros, which one
  /// reader takes for nothing and another for more than it can hold.
  package static let places: ClosedRange<Int8> = -18...18

  /// Whether it can be written out for a receiver.
  package var isWritable: Bool { Self.places.contains(exponent) }

  private static func areDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// The nearest double.
  public var doubleValue: Double {
    // strtod rounds correctly; multiplying by a power of ten would round twice.
    Double("\(mantissa)e\(exponent)") ?? .nan
  }

  /// Whether two numbers have the same size, whatever their resolution.
  public func isEqual(to other: ReportedNumber) -> Bool { normalized == other.normalized }

  /// The same size without trailing zeros.
  package var normalized: ReportedNumber {
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
