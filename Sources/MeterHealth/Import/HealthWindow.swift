package import Foundation
import HostPrimitives

/// Which local days of an export are read.
public struct HealthWindow: Sendable, Hashable {
  private enum Days: Sendable, Hashable {
    case recent
    case days(from: CivilDate, through: CivilDate?)
    case all
  }

  private let wanted: Days

  /// The last 179 whole days, and today as far as it has come.
  public static let recent = HealthWindow(wanted: .recent)
  /// All days since the year 2000: what is older was written by a clock that was never set.
  public static let all = HealthWindow(wanted: .all)

  private init(wanted: Days) { self.wanted = wanted }

  /// A day and all days after it; nil for what is no day since the year 2000.
  ///
  /// - Parameter day: `YYYY-MM-DD`.
  public init?(since day: String) { self.init(from: day, through: nil) }

  /// The days from one to another one, both included; nil for what is no day since the year 2000, and where the last one lies before the
  /// first.
  ///
  /// - Parameters:
  ///   - first: `YYYY-MM-DD`.
  ///   - last: `YYYY-MM-DD`; nil for today.
  public init?(from first: String, through last: String?) {
    guard let from = CivilDate(text: first.utf8), from.year >= 2000 else { return nil }
    let through = last.flatMap { CivilDate(text: $0.utf8) }
    guard (last == nil) == (through == nil), through.map({ $0.daysSince1970 >= from.daysSince1970 }) ?? true else {
      return nil
    }
    wanted = .days(from: from, through: through)
  }

  /// How many whole days ``recent`` has.
  package static let recentDays: Int64 = 179

  /// A text that is the same for the same days.
  package var name: String {
    switch wanted {
    case .recent: "recent"
    case .days(let from, let through): "\(from.text)/\(through?.text ?? "")"
    case .all: "all"
    }
  }

  /// The days in a zone.
  ///
  /// - Parameter now: Microseconds since 1970-01-01T00:00Z.
  package func borders(in zone: TimeZone, now: Int64) -> DayBorders {
    let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(now) / 1_000_000))
    let today = CivilDate(daysSince1970: DayBorders.day(of: now, utcOffset: offset))
    let (first, last) =
      switch wanted {
      case .recent: (CivilDate(daysSince1970: today.daysSince1970 - Self.recentDays), today)
      case .days(let from, let through):
        (from, through.map { $0.daysSince1970 < today.daysSince1970 ? $0 : today } ?? today)
      // A clock that is behind must not take a day away.
      case .all: (CivilDate(daysSince1970: 10_957), CivilDate(daysSince1970: today.daysSince1970 + 1))
      }
    return DayBorders(from: first, through: last, in: ZoneTable(zone))
  }
}
