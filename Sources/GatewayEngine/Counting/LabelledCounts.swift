import GatewayAPI

/// Counts by labels. Their number is bounded: what would be one set of labels too many is counted together with others of its kind.
struct LabelledCounts: Sendable, Hashable {
  /// How many sets of labels are told apart.
  static let limit = 1_000
  /// Stands for every value of a label that is one too many, or no word.
  static let other = "other"

  private(set) var counts: [[String: String]: Int] = [:]

  /// Counts one more.
  mutating func add(_ labels: [String: String], _ count: Int = 1) {
    let isKnown = counts[labels] != nil || counts.count < Self.limit
    counts[isKnown ? labels : labels.mapValues { _ in Self.other }, default: 0] += count
  }

  /// By their labels, in an order that stays.
  var values: [(labels: [String: String], value: Double)] { Self.sorted(counts.mapValues(Double.init)) }

  static func sorted<Value>(_ values: [[String: String]: Value]) -> [(labels: [String: String], value: Value)] {
    values.map { (labels: $0.key, value: $0.value) }.sorted { left, right in
      let (first, second) = (left.labels.sorted { $0.key < $1.key }, right.labels.sorted { $0.key < $1.key })
      return first.map(\.value).lexicographicallyPrecedes(second.map(\.value))
    }
  }

  /// A stable word as it is; what a receiver or a driver has made up stays out of labels.
  static func word(_ text: String) -> String {
    let isWord =
      (1...40).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D
      }
    return isWord ? text : other
  }
}

/// Histograms by labels, bounded in the same way.
struct LabelledHistograms: Sendable, Hashable {
  private let bounds: [Double]
  private var histograms: [[String: String]: MetricHistogram] = [:]

  init(bounds: [Double]) { self.bounds = bounds }

  mutating func observe(_ value: Double, _ labels: [String: String] = [:]) {
    let isKnown = histograms[labels] != nil || histograms.count < LabelledCounts.limit
    let key = isKnown ? labels : labels.mapValues { _ in LabelledCounts.other }
    var histogram = histograms[key] ?? MetricHistogram(bounds: bounds)
    histogram.observe(value)
    histograms[key] = histogram
  }

  /// By their labels, in an order that stays.
  var values: [(labels: [String: String], value: MetricHistogram)] { LabelledCounts.sorted(histograms) }
}
