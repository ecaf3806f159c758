/// The steps of a day in parts of five minutes.
package struct IntradaySteps: Sendable, Hashable {
  package struct Point: Sendable, Hashable {
    /// The start of the part, microseconds since 1970-01-01T00:00Z.
    package let time: Int64
    package let value: HealthDecimal
  }

  /// Minutes.
  package static let interval: Int64 = 5
  /// How many days back are worth it.
  package static let mostDays = 7
  /// A longer sample says nothing about five minutes, such as one record of a whole day.
  static let longestSample: Int64 = 60 * 60 * 1_000_000

  package let day: DayBorders.Day
  /// Parts with steps.
  package let points: [Point]
  package let identity: HealthIdentity

  /// The days of a window that have points.
  ///
  /// - Parameter days: Of the window's last ones how many.
  static func days(_ steps: MergedSums, _ borders: DayBorders, last days: Int, of family: HealthFamily)
    -> [IntradaySteps]
  {
    let chosen = borders.days.suffix(max(0, min(days, mostDays)))
    guard let last = chosen.last else { return [] }
    var bins: [Int64] = []
    for day in chosen { bins += stride(from: day.start, to: day.end, by: Int(interval * 60_000_000)) }
    bins.append(last.end)
    let sums = steps.exactSums(bins, longestCounted: longestSample)
    // Rounded as the day so far, so that the points come to the day.
    var points: [[Point]] = chosen.map { _ in [] }
    var (soFar, given, day) = (ExactSum(), Int64(0), 0)
    let list = Array(chosen)
    for (bin, sum) in zip(bins, sums) {
      if bin >= list[day].end {
        day += 1
        (soFar, given) = (ExactSum(), 0)
      }
      guard !sum.isEmpty else { continue }
      soFar.add(sum)
      guard let rounded = soFar.rounded(places: 0), rounded.mantissa > given else { continue }
      points[day].append(Point(time: bin, value: HealthDecimal(rounded.mantissa - given)))
      given = rounded.mantissa
    }
    return zip(list, points).filter { !$0.1.isEmpty }.map { day, points in
      IntradaySteps(day: day, points: points, identity: .day(day.text, kind: "intraday", of: family))
    }
  }
}
