package import Foundation
import HostPrimitives

/// Which local days of an export are read.
public struct HealthWindow: Sendable, Hashable {
  private enum Start: Sendable, Hashable {
    case recent
    case day(CivilDate)
    case all
  }

  private let start: Start

  /// The last 179 whole days, and today as far as it has come.
  public static let recent = HealthWindow(start: .recent)
  /// All days since the year 2000: what is older was written by a clock that was never set.
  public static let all = HealthWindow(start: .all)

  private init(start: Start) { self.start = start }

  /// A day and all days after it; nil for what is no day since the year 2000.
  ///
  /// - Parameter day: `YYYY-MM-DD`.
  public init?(since day: String) {
    guard let day = CivilDate(text: day.utf8), day.year >= 2000 else { return nil }
    start = .day(day)
  }

  /// How many whole days ``recent`` has.
  package static let recentDays: Int64 = 179

  /// The days in a zone.
  ///
  /// - Parameter now: Microseconds since 1970-01-01T00:00Z.
  package func borders(in zone: TimeZone, now: Int64) -> DayBorders {
    let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(now) / 1_000_000))
    let today = DayBorders.day(of: now, utcOffset: offset)
    let (first, last) =
      switch start {
      case .recent: (CivilDate(daysSince1970: today - Self.recentDays), CivilDate(daysSince1970: today))
      case .day(let day): (day, CivilDate(daysSince1970: today))
      // A clock that is behind must not take a day away.
      case .all: (CivilDate(daysSince1970: 10_957), CivilDate(daysSince1970: today + 1))
      }
    return DayBorders(from: first, through: last, in: ZoneTable(zone))
  }
}
