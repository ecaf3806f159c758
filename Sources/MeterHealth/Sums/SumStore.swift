/// All samples of one quantity that is added up, 40 bytes each.
package struct SumStore: Sendable {
  /// One sample.
  struct Interval: Sendable, Hashable {
    /// Microseconds since 1970-01-01T00:00Z.
    var start: Int64
    var end: Int64
    /// ``ScaledAmounts/Amount/number``.
    var amount: Int64
    /// Microseconds since 1970-01-01T00:00Z, 0 when not known.
    var modified: Int64
    var source: UInt32
    /// ``ScaledAmounts/Amount/scale``.
    var scale: UInt16
    var isManual: Bool
    var isMerged: Bool
  }

  package let quantity: HealthQuantity
  private(set) var intervals: [Interval] = []
  private(set) var amounts = ScaledAmounts()
  private var isSorted = true

  package init(_ quantity: HealthQuantity) { self.quantity = quantity }

  package var count: Int { intervals.count }

  /// Takes a sample with a value that is not negative and an end that does not lie before its start; others are left out.
  package mutating func add(_ sample: HealthSample) {
    guard let value = sample.value, !value.isNegative, sample.start <= sample.end,
      let source = UInt32(exactly: sample.source)
    else { return }
    isSorted = isSorted && intervals.last.map { $0.start <= sample.start } ?? true
    let amount = amounts.stored(value)
    intervals.append(
      Interval(
        start: sample.start, end: sample.end, amount: amount.number, modified: sample.modified, source: source,
        scale: amount.scale,
        isManual: sample.isManual, isMerged: sample.flags.contains(.merged)))
  }

  /// Sorts the samples by their start.
  mutating func sort() {
    if !isSorted { intervals.sort { $0.start < $1.start } }
    isSorted = true
  }

  /// The samples, of which none is left here.
  mutating func takeIntervals() -> [Interval] {
    var taken: [Interval] = []
    swap(&taken, &intervals)
    return taken
  }

  /// How long each source has recorded, in microseconds, by its index; overlapping samples of a source count once.
  /// Of sorted samples (``sort()``).
  package func coverage(sources: Int, from start: Int64, until end: Int64) -> [Int64] {
    var reached = [Int64](repeating: start, count: sources)
    var covered = [Int64](repeating: 0, count: sources)
    for interval in intervals where Int(interval.source) < sources {
      let source = Int(interval.source)
      let (from, to) = (max(interval.start, reached[source]), min(interval.end, end))
      guard from < to else { continue }
      covered[source] += to - from
      reached[source] = to
    }
    return covered
  }
}
