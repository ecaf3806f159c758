/// A natural number of any size, for the few sums whose last digit 128 bits cannot decide.
struct WideNatural: Sendable, Hashable {
  /// Digits to the base 2^64, the lowest first, without zeros at the end.
  private var digits: [UInt64]

  init(_ value: UInt128) {
    digits = [UInt64(truncatingIfNeeded: value), UInt64(truncatingIfNeeded: value >> 64)]
    trim()
  }

  private mutating func trim() {
    while digits.last == 0 { digits.removeLast() }
  }

  mutating func multiply(by factor: UInt64) {
    var carry: UInt64 = 0
    for index in digits.indices {
      let (high, low) = digits[index].multipliedFullWidth(by: factor)
      let (sum, overflow) = low.addingReportingOverflow(carry)
      digits[index] = sum
      // The high half of a product is at most 2^64 - 2.
      carry = high + (overflow ? 1 : 0)
    }
    if carry != 0 { digits.append(carry) }
    trim()
  }

  /// The product with a number of 128 bits.
  func multiplied(by factor: UInt128) -> WideNatural {
    var low = self
    low.multiply(by: UInt64(truncatingIfNeeded: factor))
    let upper = UInt64(truncatingIfNeeded: factor >> 64)
    guard upper != 0 else { return low }
    var high = self
    high.multiply(by: upper)
    high.digits.insert(0, at: 0)
    high.trim()
    low.add(high)
    return low
  }

  mutating func add(_ other: WideNatural) {
    var carry = false
    for index in 0..<max(digits.count, other.digits.count) {
      if index == digits.count { digits.append(0) }
      let (first, one) = digits[index].addingReportingOverflow(index < other.digits.count ? other.digits[index] : 0)
      let (second, two) = first.addingReportingOverflow(carry ? 1 : 0)
      digits[index] = second
      carry = one || two
    }
    if carry { digits.append(1) }
  }

  static func >= (left: WideNatural, right: WideNatural) -> Bool {
    if left.digits.count != right.digits.count { return left.digits.count > right.digits.count }
    for (one, two) in zip(left.digits.reversed(), right.digits.reversed()) where one != two { return one > two }
    return true
  }
}
