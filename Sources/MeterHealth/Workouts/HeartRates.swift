import DriverContract

/// Heart rates of an export by time.
package struct HeartRates: Sendable {
  /// 32 bytes.
  private struct Point: Sendable {
    /// Microseconds since 1970-01-01T00:00Z.
    let time: Int64
    /// /min.
    let amount: ScaledAmounts.Amount
    let source: UInt32
    /// The index of its least and greatest value, ``noExtent`` where it stands for no interval.
    let extent: UInt32
    /// Entered by hand.
    let isManual: Bool
    /// Not taken in the background, as far as the export says.
    let isSpot: Bool
  }

  private static let noExtent = UInt32.max

  /// More of one source on a day are a series and no measurements.
  package static let mostOnDay = 24

  /// Minimum, mean and maximum.
  package struct Range: Sendable, Hashable {
    package let lowest: Fraction
    package let mean: Fraction
    package let highest: Fraction
  }

  private var points: [Point] = []
  private var amounts = ScaledAmounts()
  private var extents: [(lowest: Fraction, highest: Fraction)] = []
  private var isSorted = true

  package init() {}

  package mutating func add(_ sample: HealthSample) {
    guard let value = sample.value, !value.isNegative, let source = UInt32(exactly: sample.source) else { return }
    isSorted = isSorted && points.last.map { $0.time <= sample.start } ?? true
    var extent = Self.noExtent
    let (least, most) = (sample.number(HealthAttribute.Key.minimum), sample.number(HealthAttribute.Key.maximum))
    if let least, let most, !least.isNegative, least <= value, value <= most {
      extent = UInt32(clamping: extents.count)
      extents.append((least, most))
    }
    let isMeasured = extent == Self.noExtent && !sample.flags.contains(.merged)
    let isSpot =
      isMeasured
      && !sample.attributes.contains {
        $0.key == HealthAttribute.Key.motion || $0.key == HealthAttribute.Key.appleMotion
      }
    points.append(
      Point(
        time: sample.start, amount: amounts.stored(value), source: source, extent: extent, isManual: sample.isManual,
        isSpot: isSpot))
  }

  package var count: Int { points.count }

  package mutating func sort() {
    if !isSorted { points.sort { $0.time < $1.time } }
    isSorted = true
  }

  /// The index of the first point at a moment or behind it.
  private func first(notBefore moment: Int64) -> Int {
    var (low, high) = (0, points.count)
    while low < high {
      let middle = (low + high) / 2
      if points[middle].time < moment { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// How many points there are between two moments, both included.
  func count(from start: Int64, through end: Int64) -> Int { first(notBefore: end + 1) - first(notBefore: start) }

  /// What the source that counts most of those with a point says between two moments, both included; nil without any.
  ///
  /// - Parameter rank: Of a source by its index, lower counts more, nil for one that does not count.
  package func range(from start: Int64, through end: Int64, rank: (Int) -> Int?) -> Range? {
    let low = first(notBefore: start)
    var values: [Int: [Point]] = [:]
    var index = low
    while index < points.count, points[index].time <= end {
      if let rank = rank(Int(points[index].source)) { values[rank, default: []].append(points[index]) }
      index += 1
    }
    func extent(_ point: Point) -> (lowest: Fraction, highest: Fraction) {
      let value = amounts.fraction(point.amount)
      return Int(point.extent) < extents.count ? extents[Int(point.extent)] : (value, value)
    }
    guard let best = values.keys.min(), let counted = values[best],
      let lowest = counted.map({ extent($0).lowest }).min(), let highest = counted.map({ extent($0).highest }).max(),
      let mean = counted.reduce(Fraction.zero as Fraction?, { $0?.adding(amounts.fraction($1.amount)) })?
        .divided(by: Fraction(counted.count))
    else { return nil }
    return Range(lowest: lowest, mean: mean, highest: highest)
  }

  /// The points that a record may be made of, and whether each was measured by itself: entered by hand, or neither taken in the
  /// background nor one of many of its source on a day.
  ///
  /// - Parameters:
  ///   - moments: Times whose points are wanted, measured or not.
  ///   - day: The index of a moment's day, nil outside the window.
  ///   - key: Of a source by its index, nil for one that does not count.
  func single(
    at moments: Set<Int64>, all: Bool, day: (Int64) -> Int?, key: (Int) -> String?
  ) -> [(sample: HealthSample, isMeasured: Bool)] {
    struct Place: Hashable {
      var key: String
      var day: Int
    }
    func place(_ point: Point) -> Place? {
      guard let key = key(Int(point.source)), let day = day(point.time) else { return nil }
      return Place(key: key, day: day)
    }
    var counts: [Place: Int] = [:]
    for point in points where point.isSpot {
      if let place = place(point) { counts[place, default: 0] += 1 }
    }
    return points.compactMap { point in
      guard let place = place(point) else { return nil }
      let isMeasured = point.isManual || point.isSpot && counts[place] ?? 0 <= Self.mostOnDay
      guard all || isMeasured || moments.contains(point.time) else { return nil }
      var sample = HealthSample(
        .heartRate, start: point.time, value: amounts.fraction(point.amount), source: Int(point.source))
      if point.isManual { sample.flags = .manual }
      return (sample, isMeasured)
    }
  }
}
