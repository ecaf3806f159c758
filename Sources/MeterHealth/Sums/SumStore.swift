/// All samples of one quantity that is added up, 40 bytes each.
package struct SumStore: Sendable {
  /// One sample.
  struct Interval: Sendable, Hashable {
    /// Microseconds since 1970-01-01T00:00Z.
    var start: Int64
    var end: Int64
    /// The numerator; of a large value its index in ``SumStore/large``.
    var amount: Int64
    /// Microseconds since 1970-01-01T00:00Z, 0 when not known.
    var modified: Int64
    var source: UInt32
    /// The index of the denominator, or ``SumStore/largeScale``.
    var scale: UInt16
    var isManual: Bool
    var isMerged: Bool
  }

  static let largeScale = UInt16.max

  package let quantity: HealthQuantity
  private(set) var intervals: [Interval] = []
  /// Denominators that occur: a unit's, times a power of ten.
  private var scales: [Int128] = []
  private var scaleIndex: [Int128: UInt16] = [:]
  /// Values whose numerator leaves 64 bits.
  private var large: [Fraction] = []
  private var largeIndex: [Fraction: Int64] = [:]

  package init(_ quantity: HealthQuantity) { self.quantity = quantity }

  package var count: Int { intervals.count }

  /// Takes a sample with a value that is not negative and an end that does not lie before its start; others are left out.
  package mutating func add(_ sample: HealthSample) {
    guard let value = sample.value, !value.isNegative, sample.start <= sample.end,
      let source = UInt32(exactly: sample.source)
    else { return }
    let (amount, scale) = stored(value)
    intervals.append(
      Interval(
        start: sample.start, end: sample.end, amount: amount, modified: sample.modified, source: source, scale: scale,
        isManual: sample.isManual, isMerged: sample.flags.contains(.merged)))
  }

  private mutating func stored(_ value: Fraction) -> (Int64, UInt16) {
    if let amount = Int64(exactly: value.numerator) {
      if let index = scaleIndex[value.denominator] { return (amount, index) }
      if let index = UInt16(exactly: scales.count), index < Self.largeScale {
        scales.append(value.denominator)
        scaleIndex[value.denominator] = index
        return (amount, index)
      }
    }
    if let index = largeIndex[value] { return (index, Self.largeScale) }
    let index = Int64(large.count)
    large.append(value)
    largeIndex[value] = index
    return (index, Self.largeScale)
  }

  /// Numerator and denominator of an interval's value.
  func value(of interval: Interval) -> (amount: Int128, scale: Int128) {
    guard interval.scale != Self.largeScale else {
      let value = large[Int(interval.amount)]
      return (value.numerator, value.denominator)
    }
    return (Int128(interval.amount), scales[Int(interval.scale)])
  }

  /// How long each source has recorded, in microseconds, by its index; overlapping samples of a source count once.
  package func coverage(sources: Int, from start: Int64, until end: Int64) -> [Int64] {
    var reached = [Int64](repeating: start, count: sources)
    var covered = [Int64](repeating: 0, count: sources)
    for interval in intervals.sorted(by: { $0.start < $1.start }) where Int(interval.source) < sources {
      let source = Int(interval.source)
      let (from, to) = (max(interval.start, reached[source]), min(interval.end, end))
      guard from < to else { continue }
      covered[source] += to - from
      reached[source] = to
    }
    return covered
  }
}
