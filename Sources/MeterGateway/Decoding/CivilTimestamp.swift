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

  /// Microseconds since 1970-01-01T00:00Z of an RFC 3339 text that ends in Z; nil for anything else, and for days and
  /// times that the calendar does not have. Exact: no floating point on the way.
  static func microseconds(ofUTC text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[4] == UInt8(ascii: "-"),
      bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":"), let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]), hour < 24,
      let minute = number(bytes[14..<16]), minute < 60, let second = number(bytes[17..<19]), second < 60,
      let fraction = millionths(bytes[19..<(bytes.count - 1)]), (1...12).contains(month)
    else { return nil }
    let days = days(year: year, month: month, day: day)
    guard date(days: days) == (year, month, day) else { return nil }
    return (days * 86_400 + hour * 3600 + minute * 60 + second) * 1_000_000 + fraction
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int64(digit - 0x30)
    }
    return value
  }

  /// `.123` as 123000; finer digits are cut off; nothing is 0.
  private static func millionths(_ text: ArraySlice<UInt8>) -> Int64? {
    guard let point = text.first else { return 0 }
    let digits = text.dropFirst()
    guard point == UInt8(ascii: "."), (1...9).contains(digits.count), number(digits) != nil else { return nil }
    let six = digits.prefix(6) + [UInt8](repeating: 0x30, count: max(0, 6 - digits.count))
    return number(six)
  }

  /// Days since 1970-01-01 of a date in the proleptic Gregorian calendar.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = floored(shifted, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
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
