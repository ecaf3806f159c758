/// How often values were how large.
package struct MetricHistogram: Sendable, Hashable {
  /// The largest value of each bucket, from the smallest on; one without a bound follows.
  package let bounds: [Double]
  /// How many values fell into each bucket and no smaller one.
  private var counts: [Int]
  private var sum = 0.0

  /// An empty one.
  ///
  /// - Parameter bounds: Rising, and finite.
  package init(bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// How many values there were.
  package var count: Int { counts.reduce(0, +) }

  /// Adds a value; one that is no number is left out.
  package mutating func observe(_ value: Double) {
    guard value.isFinite else { return }
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    sum += value
  }

  /// Its buckets, each with all that is in smaller ones, then the sum and the count.
  package func samples(of name: String, _ labels: [String: String]) -> [MetricSample] {
    var total = 0
    let buckets = zip(bounds.map { "\($0)" } + ["+Inf"], counts).map { bound, count in
      total += count
      return MetricSample(
        name: name + "_bucket", labels: labels.merging(["le": bound]) { $1 }, value: Double(total))
    }
    return buckets + [
      MetricSample(name: name + "_sum", labels: labels, value: sum),
      MetricSample(name: name + "_count", labels: labels, value: Double(total)),
    ]
  }
}
