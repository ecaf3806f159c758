internal import CivilCalendar

/// A date and time as RFC 3339 writes them, with or without an offset.
struct WrittenTime {
  enum Offset {
    /// `Z`.
    case utc
    /// `+02:00`.
    case seconds(Int)
  }

  /// What the text's clock shows, in microseconds since 1970-01-01T00:00 there.
  let civilMicroseconds: Int64
  /// How far that is ahead of UTC; nil when the text does not say.
  let offset: Offset?

  /// Nil for anything but `YYYY-MM-DDTHH:MM[:SS[.f]]` with nothing, `Z` or `+HH:MM` behind it. Fractions of a second have
  /// up to six digits. The leap second :60 is refused: no microsecond since 1970 means it.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 16, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "),
      let date = Self.date(String(decoding: bytes[..<10], as: UTF8.self)),
      let hour = Self.number(bytes[11..<13], below: 24), bytes[13] == UInt8(ascii: ":"),
      let minute = Self.number(bytes[14..<16], below: 60)
    else { return nil }
    var rest = bytes[16...]
    var microseconds: Int64 = 0
    if rest.first == UInt8(ascii: ":") {
      guard rest.count >= 3, let second = Self.number(rest.dropFirst().prefix(2), below: 60) else { return nil }
      rest = rest.dropFirst(3)
      microseconds = second * 1_000_000
      if rest.first == UInt8(ascii: ".") {
        let digits = rest.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...6).contains(digits.count), let fraction = Self.number(digits, below: 1_000_000) else { return nil }
        microseconds += (0..<(6 - digits.count)).reduce(fraction) { size, _ in size * 10 }
        rest = rest.dropFirst(1 + digits.count)
      }
    }
    civilMicroseconds = ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60_000_000 + microseconds
    switch rest.count {
    case 0: offset = nil
    case 1 where rest.first == UInt8(ascii: "Z"): offset = .utc
    case 6:
      let sign = rest[rest.startIndex]
      guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), rest[rest.startIndex + 3] == UInt8(ascii: ":"),
        let hours = Self.number(rest.dropFirst().prefix(2), below: 19),
        let minutes = Self.number(rest.suffix(2), below: 60), hours * 60 + minutes <= 18 * 60
      else { return nil }
      let seconds = Int(hours * 3600 + minutes * 60)
      offset = .seconds(sign == UInt8(ascii: "-") ? -seconds : seconds)
    default: return nil
    }
  }

  /// The day of `YYYY-MM-DD`, nil when the calendar has none.
  static func date(_ text: String) -> CivilDate? {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = number(bytes[0..<4], below: 10_000), year > 0, let month = number(bytes[5..<7], below: 13),
      let day = number(bytes[8..<10], below: 32)
    else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }

  private static func number(_ digits: ArraySlice<UInt8>, below limit: Int64) -> Int64? {
    var result: Int64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      result = result * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return digits.isEmpty || result >= limit ? nil : result
  }
}
