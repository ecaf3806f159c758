import HostPrimitives

/// A moment as Inform v2 writes it: RFC 3339 in UTC with Z, to the millisecond.
struct UTCTimestamp: Sendable, Comparable {
  /// Milliseconds since 1970-01-01T00:00:00Z; negative before. Finer fractions are cut off.
  var milliseconds: Int64

  static let millisecondsPerDay: Int64 = 86_400_000

  init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Reads `YYYY-MM-DDThh:mm:ss[.fraction]Z`, years 1900 to 9999. Offsets other than Z, lower case letters, leap seconds
  /// and days that the calendar does not have give nil.
  init?(_ text: String) {
    guard text.utf8.last == UInt8(ascii: "Z") else { return nil }
    self.init(offset: text)
  }

  /// Reads the same with any offset: `2026-01-31T07:05:00+02:00`, or `Z`.
  init?(offset text: String) {
    guard let time = WrittenTime(text), !time.hasBlank, time.hasSeconds, time.date.year >= 1900,
      let moment = time.utcMicroseconds
    else { return nil }
    milliseconds = moment.dividedDown(by: 1000).quotient
  }

  /// Reads a date `YYYY-MM-DD` as its first moment in UTC.
  init?(date text: String) {
    guard let date = CivilDate(text: text.utf8), date.year >= 1900 else { return nil }
    milliseconds = date.daysSince1970 * Self.millisecondsPerDay
  }

  /// `YYYY-MM-DDThh:mm:ss.mmmZ`.
  var text: String { CivilMoment(milliseconds: milliseconds).text(.thousandths) + "Z" }

  static func < (left: UTCTimestamp, right: UTCTimestamp) -> Bool { left.milliseconds < right.milliseconds }
}
