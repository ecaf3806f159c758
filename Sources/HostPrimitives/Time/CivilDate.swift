/// A day of the proleptic Gregorian calendar, counted without floating point and without a time zone.
package struct CivilDate: Sendable, Hashable {
  /// The year; 0 is 1 BC.
  package let year: Int64
  /// The month, 1 to 12.
  package let month: Int64
  /// The day of the month, from 1.
  package let day: Int64

  /// The day that is so many days after 1970-01-01.
  ///
  /// Years are counted from March, so that the leap day is a year's last, in eras of 400 years, which have all the same
  /// number of days (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
  package init(daysSince1970 days: Int64) {
    let (era, dayOfEra) = (days + 719_468).dividedDown(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
  }

  /// A day of a year from -9999 to 9999; nil for a day that the calendar does not have.
  package init?(year: Int64, month: Int64, day: Int64) {
    guard (-9999...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
    let days = Self.days(year: year, month: month, day: day)
    self.init(daysSince1970: days)
    guard self.year == year, self.month == month, self.day == day else { return nil }
  }

  /// The day of `YYYY-MM-DD`; nil for anything else, and for a day that the calendar does not have.
  package init?(text: some Collection<UInt8>) {
    let bytes = Array(text)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = Int64(decimal: bytes[0..<4], below: 10_000), let month = Int64(decimal: bytes[5..<7], below: 13),
      let day = Int64(decimal: bytes[8..<10], below: 32)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// How many days the day is after 1970-01-01.
  package var daysSince1970: Int64 { Self.days(year: year, month: month, day: day) }

  /// `YYYY-MM-DD`; years of other lengths have as many digits as they need.
  package var text: String { "\(year.digits(4))-\(month.digits(2))-\(day.digits(2))" }

  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).dividedDown(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

extension Int64 {
  /// Quotient and remainder with a remainder that is never negative; the divisor is positive.
  package func dividedDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// The number that these ASCII digits are; nil without digits, for anything else, and from the limit on.
  init?(decimal digits: some Collection<UInt8>, below limit: Int64) {
    self = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit), self < limit else { return nil }
      self = self * 10 + Int64(digit - 0x30)
    }
    if digits.isEmpty || self >= limit { return nil }
  }

  /// The number with at least so many digits.
  package func digits(_ count: Int) -> String {
    let digits = String(magnitude)
    return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
  }
}
