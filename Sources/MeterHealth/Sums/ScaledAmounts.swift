/// Exact values in ten bytes each: whole numbers of one of few denominators.
struct ScaledAmounts: Sendable {
  struct Amount: Sendable, Hashable {
    /// The numerator; of a large value its index in the list of those.
    var number: Int64
    /// The index of the denominator, or ``largeScale``.
    var scale: UInt16
  }

  private static let largeScale = UInt16.max

  /// Denominators that occur: a unit's, times a power of ten.
  private var scales: [Int128] = []
  private var scaleIndex: [Int128: UInt16] = [:]
  /// Values whose numerator leaves 64 bits.
  private var large: [Fraction] = []
  private var largeIndex: [Fraction: Int64] = [:]

  /// A value as it is kept; ``value(of:scale:)`` has it again.
  mutating func stored(_ value: Fraction) -> Amount {
    if let number = Int64(exactly: value.numerator) {
      if let scale = scaleIndex[value.denominator] { return Amount(number: number, scale: scale) }
      if let scale = UInt16(exactly: scales.count), scale < Self.largeScale {
        scales.append(value.denominator)
        scaleIndex[value.denominator] = scale
        return Amount(number: number, scale: scale)
      }
    }
    if let index = largeIndex[value] { return Amount(number: index, scale: Self.largeScale) }
    let index = Int64(large.count)
    large.append(value)
    largeIndex[value] = index
    return Amount(number: index, scale: Self.largeScale)
  }

  /// Numerator and denominator of what was stored here.
  func value(of number: Int64, scale: UInt16) -> (amount: Int128, scale: Int128) {
    guard scale != Self.largeScale else {
      let value = large[Int(number)]
      return (value.numerator, value.denominator)
    }
    return (Int128(number), scales[Int(scale)])
  }

  func value(of interval: SumStore.Interval) -> (amount: Int128, scale: Int128) {
    value(of: interval.amount, scale: interval.scale)
  }

  func fraction(_ amount: Amount) -> Fraction {
    guard amount.scale != Self.largeScale else { return large[Int(amount.number)] }
    return Fraction(lowest: Int128(amount.number), over: scales[Int(amount.scale)])
  }
}
