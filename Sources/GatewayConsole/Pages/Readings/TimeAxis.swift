/// What stands below a chart: its beginning, middle and end, in the gateway's zone.
struct TimeAxis: Sendable {
  struct Tick: Sendable, Hashable {
    /// `2026-03-01`; nil where all of the chart is of one day, which its heading names.
    let day: String?
    /// `08:00`; nil where the chart is of many days.
    let time: String?
  }

  /// In order; one where all values have one time.
  let ticks: [Tick]
  /// The day, where all values are of one.
  let day: String?

  private static let minute: Int64 = 60_000_000
  private static let day: Int64 = 24 * 60 * minute

  /// - Parameters:
  ///   - begin: The first value's time, in microseconds since 1970-01-01T00:00Z.
  ///   - end: The last value's.
  init(from begin: Int64, to end: Int64, times: LocalTimes) {
    let length = end &- begin
    let moments = length > 0 ? [begin, begin &+ length / 2, end] : [begin]
    let texts = moments.map { times.text(microseconds: $0) }
    let days = texts.map { String($0.prefix(10)) }
    let isOneDay = days.first == days.last
    day = isOneDay ? days.first : nil
    // Of values that are minutes apart the seconds matter, of those that are days apart not even the hours.
    let digits = length < 5 * Self.minute ? 8 : 5
    let hasTime = isOneDay || length < 3 * Self.day
    ticks = zip(days, texts).map { tickDay, text in
      Tick(day: isOneDay ? nil : tickDay, time: hasTime ? String(text.dropFirst(11).prefix(digits)) : nil)
    }
  }
}
