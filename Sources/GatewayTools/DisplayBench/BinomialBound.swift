import Foundation

/// How large a share can be of which so many were found.
enum BinomialBound {
  /// The upper end of the exact one-sided 95 % interval of Clopper and Pearson: with this share, so few are found in one
  /// of twenty sets only. Nothing found in `count` is about 3 / `count`.
  static func upper(found: Int, of count: Int, confidence: Double = 0.95) -> Double {
    guard count > 0, found < count else { return 1 }
    var (low, high) = (Double(found) / Double(count), 1.0)
    // The chance of as few falls steadily with the share; 60 halvings are a double's digits.
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if chance(ofAtMost: found, of: count, share: middle) > 1 - confidence { low = middle } else { high = middle }
    }
    return high
  }

  /// That at most so many of `count` are of a kind that has this share.
  static func chance(ofAtMost found: Int, of count: Int, share: Double) -> Double {
    guard share > 0 else { return 1 }
    guard share < 1 else { return found >= count ? 1 : 0 }
    let (yes, no) = (log(share), log1p(-share))
    var ways = 0.0
    var sum = 0.0
    for number in 0...found {
      sum += exp(ways + Double(number) * yes + Double(count - number) * no)
      ways += log(Double(count - number) / Double(number + 1))
    }
    return min(sum, 1)
  }
}
