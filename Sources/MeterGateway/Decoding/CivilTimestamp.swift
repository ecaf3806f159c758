import Foundation

/// A moment on a calendar without a zone, printed in ISO 8601.
struct CivilTimestamp {
  /// `2018-09-19T22:27:07`, with a fraction only where there is one.
  let text: String

  /// Microseconds of civil time since 1970-01-01T00:00 in the proleptic Gregorian calendar.
  init(microseconds: Int64) {
    let (seconds, fraction) = Self.floored(microseconds, 1_000_000)
    let (days, second) = Self.floored(seconds, 86_400)
    let (year, month, day) = Self.date(days: days)
    let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
    let time = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }.joined(separator: ":")
    text = "\(date)T\(time)" + (fraction == 0 ? "" : "." + Self.padded(fraction, 6))
  }

  /// Microseconds since 1970-01-01T00:00Z of an RFC 3339 text that ends in Z; nil for anything else.
  static func microseconds(ofUTC text: String) -> Int64? {
    for style in [Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle()] {
      guard text.hasSuffix("Z"), let date = try? style.parse(text) else { continue }
      return Int64((date.timeIntervalSince1970 * 1_000_000).rounded())
    }
    return nil
  }

  /// `+05:30`.
  static func offset(_ seconds: Int32) -> String {
    let minutes = Int64(seconds.magnitude) / 60
    return (seconds < 0 ? "-" : "+") + padded(minutes / 60, 2) + ":" + padded(minutes % 60, 2)
  }

  /// Days since 1970-01-01 as a date: the era, year of era and day of year of a calendar that begins in March.
  private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floored(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  private static func floored(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let remainder = value % divisor
    return remainder < 0 ? (value / divisor - 1, remainder + divisor) : (value / divisor, remainder)
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value.magnitude)
    return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
