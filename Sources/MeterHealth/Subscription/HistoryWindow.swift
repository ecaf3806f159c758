package import Foundation
import HostPrimitives

/// What a historical fetch is made of: whole local days, at most so many of them back.
///
/// The limits are those of the receivers' own libraries: 179 days, and 7 for steps in parts of five minutes.
package struct HistoryWindow: Sendable, Hashable {
  /// What can be fetched of the past.
  package enum Part: String, Sendable, Hashable, CaseIterable {
    /// Sums of days.
    case routine
    /// Workouts.
    case fitness
    /// Steps in parts of five minutes. They go with ``routine``.
    case intraday
  }

  /// Days back for sums and workouts.
  package static let mostDays = HealthWindow.recentDays

  /// The first day, `YYYY-MM-DD`.
  package let from: String
  /// The last day, `YYYY-MM-DD`.
  package let to: String
  /// The sets to subscribe to.
  package let sets: [HealthSet]
  /// Whether steps are wanted in parts of five minutes.
  package let processesIntraday: Bool

  /// Checks what is asked for.
  ///
  /// - Parameters:
  ///   - names: Words of ``Part``, at least one.
  ///   - first: `YYYY-MM-DD`.
  ///   - last: `YYYY-MM-DD`; nil for today, as far as it has come.
  ///   - today: Days since 1970-01-01 of the person's calendar.
  /// - Throws: ``HealthImportError`` `unknown_type`, `history_days` for what are no days or no order of them, `history_limit`.
  package init(
    _ names: [String], from first: String, through last: String?, today: Int64
  ) throws(HealthImportError) {
    let parts = try Self.parts(names)
    let from = try Self.day(first)
    var to = today
    if let last { to = try Self.day(last) }
    guard from <= to, to <= today else {
      throw HealthImportError(
        .historyDays,
        from <= to ? "\(Self.text(to)) has not come yet" : "\(Self.text(from)) lies after \(Self.text(to))",
        hint: "today is \(Self.text(today)); name the first day first")
    }
    guard today - from <= Self.mostDays else {
      throw HealthImportError(
        .historyLimit, "\(Self.text(from)) lies more than \(Self.mostDays) days back",
        hint: "the first day can be \(Self.text(today - Self.mostDays)); `health import --since` takes older ones")
    }
    if parts.contains(.intraday) { try Self.checkIntraday(from, to, today) }
    self.from = Self.text(from)
    self.to = Self.text(to)
    sets = [HealthSet.routine, .fitness].filter { set in
      parts.contains { $0 == .intraday ? set == .routine : $0.rawValue == set.rawValue }
    }
    processesIntraday = parts.contains(.intraday)
  }

  /// Today in a zone, in days since 1970-01-01.
  package static func today(in zone: TimeZone, at now: Date = .now) -> Int64 {
    DayBorders.day(of: Int64(now.timeIntervalSince1970) * 1_000_000, utcOffset: zone.secondsFromGMT(for: now))
  }

  private static func parts(_ names: [String]) throws(HealthImportError) -> Set<Part> {
    var parts: Set<Part> = []
    for name in names {
      guard let part = Part(rawValue: name) else {
        throw HealthImportError(
          .unknownType, "there is no history of \(name.prefix(80))",
          hint: "there is one of \(Part.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      parts.insert(part)
    }
    guard !parts.isEmpty else {
      throw HealthImportError(
        .unknownType, "nothing is asked for",
        hint: "name some of \(Part.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return parts
  }

  /// Steps in parts are made of the last days of a window: one that has more of them would lose its first ones.
  private static func checkIntraday(_ from: Int64, _ to: Int64, _ today: Int64) throws(HealthImportError) {
    let most = Int64(IntradaySteps.mostDays)
    guard today - from <= most, to - from < most else {
      throw HealthImportError(
        .historyLimit, "steps in parts of five minutes are those of at most \(most) days, not \(to - from + 1)",
        hint: "ask for \(text(today - most + 1)) to \(text(today)), or for the rest without intraday")
    }
  }

  private static func day(_ text: String) throws(HealthImportError) -> Int64 {
    guard let day = CivilDate(text: text.utf8) else {
      throw HealthImportError(
        .historyDays, "\(text.prefix(80)) is no day", hint: "days are written like 2026-01-31")
    }
    return day.daysSince1970
  }

  private static func text(_ day: Int64) -> String { CivilDate(daysSince1970: day).text }
}
