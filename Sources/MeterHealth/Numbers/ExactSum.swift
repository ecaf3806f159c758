/// A sum of fractions that are not negative, exact until it is rounded.
///
/// Denominators are lengths of intervals, so that a common one of some hundred leaves any machine word. Whole amounts are added by
/// denominator; shares of intervals are kept as they are and added when the sum is rounded: as fixed-point numbers with a known bound
/// of error, and exactly only where that bound reaches the place at which rounding changes.
struct ExactSum: Sendable {
  /// `amount / scale * covered / length`, with `covered < length`.
  struct Share: Sendable {
    var amount: Int128
    var scale: Int128
    var covered: Int64
    var length: Int64
  }

  /// Numerators by denominator.
  private var whole: [Int128: Int128] = [:]
  private var shares: [Share] = []
  /// Whether it left 128 bits: it then has no value.
  private var hasOverflow = false
  /// Whether anything was added, be it zero.
  private(set) var isEmpty = true

  mutating func add(_ numerator: Int128, over denominator: Int128) {
    isEmpty = false
    let (sum, overflow) = whole[denominator, default: 0].addingReportingOverflow(numerator)
    whole[denominator] = sum
    if overflow { hasOverflow = true }
  }

  mutating func add(_ share: Share) {
    isEmpty = false
    if share.amount != 0, share.covered > 0 { shares.append(share) }
  }

  mutating func add(_ other: ExactSum) {
    for (denominator, numerator) in other.whole { add(numerator, over: denominator) }
    shares += other.shares
    isEmpty = isEmpty && other.isEmpty
    hasOverflow = hasOverflow || other.hasOverflow
  }

  /// The sum rounded once, half up; nil when it leaves 64 bits.
  func rounded(places: Int) -> HealthDecimal? {
    guard !hasOverflow, (0...9).contains(places) else { return nil }
    if shares.isEmpty {
      var sum = Fraction.zero
      for (denominator, numerator) in whole {
        guard let term = Fraction(numerator, over: denominator), let next = sum.adding(term) else {
          return exactlyRounded(places)
        }
        sum = next
      }
      return sum.rounded(places: places)
    }
    return estimated(places) ?? exactlyRounded(places)
  }

  private static let fractionBits: Int128 = 48

  /// The rounded sum if fixed-point arithmetic decides it: every term is cut by less than one unit of its last bit.
  private func estimated(_ places: Int) -> HealthDecimal? {
    let scale = Int128.tenTo(places)
    var (low, cuts): (Int128, Int128) = (0, 0)
    func add(_ numerator: Int128, _ denominator: Int128) -> Bool {
      let (above, overflow) = numerator.multipliedReportingOverflow(by: scale)
      guard !overflow, denominator > 0, denominator < Int128(1) << (126 - Self.fractionBits) else { return false }
      let (quotient, rest) = above.quotientAndRemainder(dividingBy: denominator)
      guard quotient < Int128(1) << 70 else { return false }
      let (part, cut) = (rest << Self.fractionBits).quotientAndRemainder(dividingBy: denominator)
      low += quotient << Self.fractionBits + part
      if cut != 0 { cuts += 1 }
      return low < Int128(1) << 120
    }
    for (denominator, numerator) in whole where !add(numerator, denominator) { return nil }
    for share in shares {
      let (above, one) = share.amount.multipliedReportingOverflow(by: Int128(share.covered))
      let (below, two) = share.scale.multipliedReportingOverflow(by: Int128(share.length))
      guard !one, !two, add(above, below) else { return nil }
    }
    let half = Int128(1) << (Self.fractionBits - 1)
    let result = (low + half) >> Self.fractionBits
    // The true sum is at least `low`, and less than `low + cuts` if anything was cut.
    guard result == (low + half + max(0, cuts - 1)) >> Self.fractionBits else { return nil }
    return Int64(exactly: result).map { HealthDecimal(mantissa: $0, places: places) }
  }

  /// The rounded sum by numbers of any size: floor(sum * scale + 1/2).
  private func exactlyRounded(_ places: Int) -> HealthDecimal? {
    let terms = reducedTerms()
    guard let terms else { return nil }
    let scale = UInt128(Int128.tenTo(places))
    var above = WideNatural(0)
    var below = WideNatural(1)
    for (denominator, numerator) in terms {
      var next = above.multiplied(by: denominator)
      next.add(below.multiplied(by: numerator))
      above = next
      below = below.multiplied(by: denominator)
    }
    // floor(above * scale / below + 1/2) by bisection: the largest n with below * (2n - 1) <= 2 * above * scale.
    let twice = above.multiplied(by: scale).multiplied(by: 2)
    var (low, high): (UInt128, UInt128) = (0, 1 << 63)
    while low + 1 < high {
      let middle = (low + high) / 2
      if twice >= below.multiplied(by: 2 * middle - 1) { low = middle } else { high = middle }
    }
    return Int64(exactly: low).map { HealthDecimal(mantissa: $0, places: places) }
  }

  /// Numerators by denominator, all of them in lowest terms; nil when a single one leaves 128 bits.
  private func reducedTerms() -> [UInt128: UInt128]? {
    var terms: [UInt128: UInt128] = [:]
    func add(_ term: Fraction) -> Bool {
      guard term.numerator >= 0 else { return false }
      let (sum, overflow) = terms[UInt128(term.denominator), default: 0]
        .addingReportingOverflow(UInt128(term.numerator))
      terms[UInt128(term.denominator)] = sum
      return !overflow
    }
    for (denominator, numerator) in whole {
      guard let term = Fraction(numerator, over: denominator), add(term) else { return nil }
    }
    for share in shares {
      guard let amount = Fraction(share.amount, over: share.scale),
        let part = Fraction(Int128(share.covered), over: Int128(share.length)), let term = amount.multiplied(by: part),
        add(term)
      else { return nil }
    }
    return terms
  }
}
