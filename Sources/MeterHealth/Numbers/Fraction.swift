/// An exact number: a fraction in lowest terms with a positive denominator.
///
/// Operations that leave 128 bits give nil: a value that cannot be held exactly is refused and never approximated.
package struct Fraction: Sendable, Hashable {
  /// The number above the line; it has the sign.
  package let numerator: Int128
  /// The number below the line, positive.
  package let denominator: Int128

  package static let zero = Fraction(0)
  package static let one = Fraction(1)

  /// A whole number.
  package init(_ whole: some FixedWidthInteger & SignedInteger) {
    numerator = Int128(whole)
    denominator = 1
  }

  /// A fraction of two whole numbers; nil when the denominator is zero or the fraction needs more than 128 bits.
  package init?(_ numerator: Int128, over denominator: Int128) {
    guard denominator != 0, numerator != .min, denominator != .min else { return nil }
    let divisor = max(1, Fraction.commonDivisor(numerator.magnitude, denominator.magnitude))
    let sign: Int128 = denominator < 0 ? -1 : 1
    self.numerator = sign * numerator / Int128(divisor)
    self.denominator = sign * denominator / Int128(divisor)
  }

  /// Numerator and denominator of another fraction.
  init(lowest numerator: Int128, over denominator: Int128) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// `mantissa` times ten to the power of `exponent`; nil from 10^36 on and below 10^-36.
  package init?(mantissa: Int64, exponent: Int) {
    guard (-36...36).contains(exponent) else { return nil }
    var power: Int128 = 1
    for _ in 0..<exponent.magnitude { power *= 10 }
    if exponent < 0 {
      self.init(Int128(mantissa), over: power)
    } else {
      let (product, overflow) = Int128(mantissa).multipliedReportingOverflow(by: power)
      if overflow { return nil }
      self.init(product, over: 1)
    }
  }

  package var isNegative: Bool { numerator < 0 }
  package var isWhole: Bool { denominator == 1 }

  package func adding(_ other: Fraction) -> Fraction? {
    let divisor = Int128(Self.commonDivisor(denominator.magnitude, other.denominator.magnitude))
    let (left, one) = numerator.multipliedReportingOverflow(by: other.denominator / divisor)
    let (right, two) = other.numerator.multipliedReportingOverflow(by: denominator / divisor)
    let (sum, three) = left.addingReportingOverflow(right)
    let (below, four) = denominator.multipliedReportingOverflow(by: other.denominator / divisor)
    return one || two || three || four ? nil : Fraction(sum, over: below)
  }

  package func subtracting(_ other: Fraction) -> Fraction? { other.negated.flatMap(adding) }

  package func multiplied(by other: Fraction) -> Fraction? {
    // Crosswise first, so that factors which cancel never overflow.
    guard let left = Fraction(numerator, over: other.denominator),
      let right = Fraction(other.numerator, over: denominator)
    else { return nil }
    let (above, one) = left.numerator.multipliedReportingOverflow(by: right.numerator)
    let (below, two) = left.denominator.multipliedReportingOverflow(by: right.denominator)
    return one || two ? nil : Fraction(above, over: below)
  }

  package func divided(by other: Fraction) -> Fraction? {
    Fraction(other.denominator, over: other.numerator).flatMap(multiplied)
  }

  private var negated: Fraction? { Fraction(0 - numerator, over: denominator) }

  /// The number rounded once to so many decimal places, half away from zero; nil when its digits leave 64 bits.
  package func rounded(places: Int) -> HealthDecimal? {
    guard (0...18).contains(places) else { return nil }
    let scale = Int128.tenTo(places)
    let (above, overflow) = numerator.multipliedReportingOverflow(by: scale)
    if overflow { return nil }
    let (quotient, rest) = above.quotientAndRemainder(dividingBy: denominator)
    let isUp = rest.magnitude >= denominator.magnitude - rest.magnitude
    return Int64(exactly: isUp ? quotient + (numerator < 0 ? -1 : 1) : quotient)
      .map { HealthDecimal(mantissa: $0, places: places) }
  }

  /// The greatest common divisor; the other number where one is zero.
  static func commonDivisor(_ first: UInt128, _ second: UInt128) -> UInt128 {
    // Divisions of 64 bits are several times as fast, and nearly all numbers have so many.
    if let first = UInt64(exactly: first), let second = UInt64(exactly: second) {
      return UInt128(commonDivisor(first, second))
    }
    var (large, small) = (first, second)
    while small != 0 { (large, small) = (small, large % small) }
    return large
  }

  static func commonDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var (large, small) = (first, second)
    while small != 0 { (large, small) = (small, large % small) }
    return large
  }
}

extension Fraction: Comparable {
  package static func < (left: Fraction, right: Fraction) -> Bool {
    // Whole parts first: only the rests are multiplied, and these only where they are needed.
    let first = left.floor
    let second = right.floor
    if first.whole != second.whole { return first.whole < second.whole }
    let (one, two) = (
      first.rest.multipliedFullWidth(by: right.denominator.magnitude),
      second.rest.multipliedFullWidth(by: left.denominator.magnitude)
    )
    return (one.high, one.low) < (two.high, two.low)
  }

  private var floor: (whole: Int128, rest: UInt128) {
    let (quotient, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
    return rest < 0 ? (quotient - 1, UInt128(rest + denominator)) : (quotient, UInt128(rest))
  }

  /// Whether both numbers differ by at most two parts in a hundred thousand, as one value does that an export prints with six
  /// digits in two units.
  package func isNearly(_ other: Fraction) -> Bool {
    if self == other { return true }
    guard let difference = subtracting(other), difference.denominator != 0 else { return false }
    let size = max(numerator.magnitude / denominator.magnitude, 0)
    guard size < 1 << 100,
      let larger = [self, other].map({ $0.isNegative ? $0.negated ?? .zero : $0 }).max(),
      let bound = larger.multiplied(by: Self.tolerance)
    else { return false }
    return (difference.isNegative ? difference.negated ?? difference : difference) <= bound
  }

  private static let tolerance = Fraction(2, over: 100_000) ?? .zero
}

extension Int128 {
  /// Ten to a power from 0 to 36.
  static func tenTo(_ power: Int) -> Int128 {
    (0..<Swift.max(0, Swift.min(36, power))).reduce(1) { result, _ in result * 10 }
  }
}
