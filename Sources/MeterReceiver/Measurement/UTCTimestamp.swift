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
    let day = Int(milliseconds.floorDivided(by: Self.millisecondsPerDay))
    let time = Int(milliseconds - Int64(day) * Self.millisecondsPerDay)
    let (year, month, dayOfMonth) = Self.civil(day: day)
    let seconds = time / 1000
    return "\(year.padded(4))-\(month.padded(2))-\(dayOfMonth.padded(2))T\((seconds / 3600).padded(2))"
      + ":\((seconds / 60 % 60).padded(2)):\((seconds % 60).padded(2)).\((time % 1000).padded(3))Z"
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
      let month = decimal(bytes[(start + 5)..<(start + 7)]), (1...12).contains(month),
      let day = decimal(bytes[(start + 8)..<(start + 10)]), day >= 1, day <= length(ofMonth: month, year: year)
    else { return nil }
    return Int64(dayNumber(year: year, month: month, day: day))
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01 of a day in the proleptic Gregorian calendar, counted in 400-year eras of years from March.
  private static func dayNumber(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = marchYear / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = Int(Int64(shifted).floorDivided(by: 146_097))
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }
}

extension Int64 {
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension Int {
  fileprivate func padded(_ width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
