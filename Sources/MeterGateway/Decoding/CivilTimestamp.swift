import CivilCalendar

/// A moment on a calendar without a zone, printed in ISO 8601.
struct CivilTimestamp {
  /// `2018-09-19T22:27:07`, with a fraction only where there is one.
  let text: String

  /// Microseconds of civil time since 1970-01-01T00:00 in the proleptic Gregorian calendar.
  init(microseconds: Int64) {
    let (seconds, fraction) = microseconds.dividedDown(by: 1_000_000)
    let (days, second) = seconds.dividedDown(by: 86_400)
    let time = [second / 3600, second / 60 % 60, second % 60].map { $0.digits(2) }.joined(separator: ":")
    text = "\(CivilDate(daysSince1970: days).text)T\(time)" + (fraction == 0 ? "" : "." + fraction.digits(6))
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
      let fraction = millionths(bytes[19..<(bytes.count - 1)]),
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    return (date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second) * 1_000_000 + fraction
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

  /// `+05:30`.
  static func offset(_ seconds: Int32) -> String {
    let minutes = Int64(seconds.magnitude) / 60
    return (seconds < 0 ? "-" : "+") + (minutes / 60).digits(2) + ":" + (minutes % 60).digits(2)
  }
}
