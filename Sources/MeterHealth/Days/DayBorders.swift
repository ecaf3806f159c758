package import Foundation
package import HostPrimitives

/// The local days of a window, worked out once: from which moment to which one each of them goes.
///
/// Days follow each other without a gap, with 23, 24 or 25 hours, and more or less than that where the user changed zones. A day that a
/// zone skipped is not there.
package struct DayBorders: Sendable {
  package struct Day: Sendable, Hashable {
    /// Days since 1970-01-01 of the local calendar.
    package let number: Int64
    /// `YYYY-MM-DD`.
    package let text: String
    /// Microseconds since 1970-01-01T00:00Z.
    package let start: Int64
    /// The start of the next day.
    package let end: Int64
    /// How far local time was ahead of UTC at the start, in seconds.
    package let utcOffset: Int
    /// The zone.
    package let zone: TimeZone
  }

  /// In the order of time.
  package let days: [Day]
  /// ``Day/start`` of each day, and the end of the last one.
  package let borders: [Int64]
  private let byNumber: [Int64: Int]

  /// The days from one to another one, both included; none when the last one lies before the first. At most 20,000 days.
  package init(from first: CivilDate, through last: CivilDate, in zones: ZoneTable) {
    let (low, high) = (first.daysSince1970, last.daysSince1970)
    let numbers = low <= high ? Array(low...min(high, low + 20_000)) : []
    var starts = numbers.map(zones.start)
    if let last = numbers.last { starts.append(zones.start(ofDay: last + 1)) }
    // From the end on, so that a day that the next one leaves no time to is dropped.
    for index in starts.indices.dropLast().reversed() { starts[index] = min(starts[index], starts[index + 1]) }
    days = zip(numbers.indices, numbers).compactMap { index, number in
      guard starts[index] < starts[index + 1] else { return nil }
      let zone = zones.zone(onDay: number)
      return Day(
        number: number, text: CivilDate(daysSince1970: number).text, start: starts[index], end: starts[index + 1],
        utcOffset: ZoneTable.offset(of: zone, at: starts[index] / 1_000_000), zone: zone)
    }
    borders = days.isEmpty ? [] : days.map(\.start) + [days[days.count - 1].end]
    byNumber = Dictionary(
      days.enumerated().map { ($0.element.number, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  /// These days in parts of which none has more than is kept at a time, as far as days are not more than that themselves; at least two.
  ///
  /// - Parameters:
  ///   - loads: How much each day has.
  ///   - most: How much a part may have.
  package func parts(_ loads: [Int], most: Int) -> [DayBorders] {
    guard loads.count == days.count, days.count > 1 else { return [self] }
    var parts: [[Day]] = [[]]
    var sum = 0
    for (day, load) in zip(days, loads) {
      if sum > 0, sum + load > most {
        parts.append([])
        sum = 0
      }
      parts[parts.count - 1].append(day)
      sum += load
    }
    if parts.count == 1 { parts = [Array(days[..<(days.count / 2)]), Array(days[(days.count / 2)...])] }
    return parts.map { DayBorders($0) }
  }

  private init(_ days: [Day]) {
    self.init(days: days, borders: days.map(\.start) + (days.last.map { [$0.end] } ?? []))
  }

  /// The stretch of these days that is as short as it can be with all days of some numbers in it.
  package func only(_ numbers: Set<Int64>) -> DayBorders {
    let kept = days.filter { numbers.contains($0.number) }
    guard let first = kept.first, let last = kept.last else { return DayBorders([]) }
    return DayBorders(days.filter { $0.number >= first.number && $0.number <= last.number })
  }

  private init(days: [Day], borders: [Int64]) {
    self.days = days
    self.borders = borders
    byNumber = Dictionary(
      days.enumerated().map { ($0.element.number, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  package var start: Int64 { borders.first ?? 0 }
  package var end: Int64 { borders.last ?? 0 }

  /// The index of the day that a moment lies in, nil outside the window.
  package func index(of moment: Int64) -> Int? { Self.index(of: moment, in: borders) }

  /// The index of the day of this number.
  package func index(ofDay number: Int64) -> Int? { byNumber[number] }

  static func index(of moment: Int64, in borders: [Int64]) -> Int? {
    guard let first = borders.first, let last = borders.last, moment >= first, moment < last else { return nil }
    var (low, high) = (0, borders.count - 1)
    while low + 1 < high {
      let middle = (low + high) / 2
      if borders[middle] <= moment { low = middle } else { high = middle }
    }
    return low
  }

  /// How far the user's clock was ahead of UTC at a moment, in seconds; outside the window by the nearest day's zone.
  package func utcOffset(at moment: Int64) -> Int {
    guard let nearest = index(of: moment) ?? (days.isEmpty ? nil : moment < start ? 0 : days.count - 1) else {
      return 0
    }
    return ZoneTable.offset(of: days[nearest].zone, at: moment.dividedDown(by: 1_000_000).quotient)
  }

  /// The offset of a sample: its own zone's, its own, or else the user's.
  package func utcOffset(of sample: HealthSample, at moment: Int64) -> (seconds: Int, isOwn: Bool) {
    let name = sample.text(HealthAttribute.Key.zone) ?? sample.text(HealthAttribute.Key.appleZone)
    // Of an export only names with a place are taken: the others are also abbreviations, which mean several zones.
    if let name = name.flatMap({ ZoneName($0, isListed: { _ in false }) }),
      let zone = TimeZone(identifier: name.text)
    {
      return (ZoneTable.offset(of: zone, at: moment.dividedDown(by: 1_000_000).quotient), true)
    }
    if let own = sample.utcOffset { return (own, true) }
    return (utcOffset(at: moment), false)
  }

  /// The local day of a moment on a clock that is so far ahead of UTC.
  package static func day(of moment: Int64, utcOffset: Int) -> Int64 {
    (moment + Int64(utcOffset) * 1_000_000).dividedDown(by: 86_400_000_000).quotient
  }
}
