import CivilCalendar

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
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.count <= 30, bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":"), bytes.last == UInt8(ascii: "Z"),
      let day = Self.day(bytes[0..<10]),
      let hour = Self.decimal(bytes[11..<13]), hour < 24,
      let minute = Self.decimal(bytes[14..<16]), minute < 60,
      let second = Self.decimal(bytes[17..<19]), second < 60,
      let fraction = Self.thousandths(bytes[19..<(bytes.count - 1)])
    else { return nil }
    milliseconds =
      day * Self.millisecondsPerDay + Int64((hour * 60 + minute) * 60 + second) * 1000 + Int64(fraction)
  }

  /// Reads a date `YYYY-MM-DD` as its first moment in UTC.
  init?(date text: String) {
    guard let day = Self.day(Array(text.utf8)[...]) else { return nil }
    milliseconds = day * Self.millisecondsPerDay
  }

  /// `YYYY-MM-DDThh:mm:ss.mmmZ`.
  var text: String {
    let (day, time) = milliseconds.dividedDown(by: Self.millisecondsPerDay)
    let seconds = time / 1000
    return "\(CivilDate(daysSince1970: day).text)T\((seconds / 3600).digits(2))"
      + ":\((seconds / 60 % 60).digits(2)):\((seconds % 60).digits(2)).\((time % 1000).digits(3))Z"
  }

  static func < (left: UTCTimestamp, right: UTCTimestamp) -> Bool { left.milliseconds < right.milliseconds }

  private static func decimal(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard !bytes.isEmpty, bytes.allSatisfy(\.isDigit) else { return nil }
    return bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// `.5`, `.25` or nothing at all, as thousandths.
  private static func thousandths(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let first = bytes.first else { return 0 }
    let digits = bytes.dropFirst()
    guard first == UInt8(ascii: "."), !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
    return decimal((digits.prefix(3) + Array(repeating: UInt8(ascii: "0"), count: 3)).prefix(3))
  }

  private static func day(_ bytes: ArraySlice<UInt8>) -> Int64? {
    let start = bytes.startIndex
    guard bytes.count == 10, bytes[start + 4] == UInt8(ascii: "-"), bytes[start + 7] == UInt8(ascii: "-"),
      let year = decimal(bytes[start..<(start + 4)]), year >= 1900,
      let month = decimal(bytes[(start + 5)..<(start + 7)]),
      let day = decimal(bytes[(start + 8)..<(start + 10)])
    else { return nil }
    return CivilDate(year: Int64(year), month: Int64(month), day: Int64(day))?.daysSince1970
  }
}
