/// Heart rates of an export by time.
package struct HeartRates: Sendable {
  package struct Point: Sendable {
    /// Microseconds since 1970-01-01T00:00Z.
    package let time: Int64
    /// /min.
    package let value: Fraction
    package let source: UInt32
  }

  /// Minimum, mean and maximum.
  package struct Range: Sendable, Hashable {
    package let lowest: Fraction
    package let mean: Fraction
    package let highest: Fraction
  }

  private var points: [Point] = []
  private var isSorted = true

  package init() {}

  package mutating func add(_ sample: HealthSample) {
    guard let value = sample.value, !value.isNegative, let source = UInt32(exactly: sample.source) else { return }
    isSorted = isSorted && points.last.map { $0.time <= sample.start } ?? true
    points.append(Point(time: sample.start, value: value, source: source))
  }

  package mutating func sort() {
    if !isSorted { points.sort { $0.time < $1.time } }
    isSorted = true
  }

  /// What the source that counts most of those with a point says between two moments, both included; nil without any.
  ///
  /// - Parameter rank: Of a source by its index, lower counts more, nil for one that does not count.
  package func range(from start: Int64, through end: Int64, rank: (Int) -> Int?) -> Range? {
    var (low, high) = (0, points.count)
    while low < high {
      let middle = (low + high) / 2
      if points[middle].time < start { low = middle + 1 } else { high = middle }
    }
    var values: [Int: [Fraction]] = [:]
    var index = low
    while index < points.count, points[index].time <= end {
      if let rank = rank(Int(points[index].source)) { values[rank, default: []].append(points[index].value) }
      index += 1
    }
    guard let best = values.keys.min(), let counted = values[best], let lowest = counted.min(),
      let highest = counted.max(),
      let mean = counted.reduce(Fraction.zero as Fraction?, { $0?.adding($1) })?.divided(by: Fraction(counted.count))
    else { return nil }
    return Range(lowest: lowest, mean: mean, highest: highest)
  }
}
