/// A date and time as RFC 3339 and people write them: `YYYY-MM-DDTHH:MM[:SS[.f]]` with nothing, `Z` or `+HH:MM` behind it.
///
/// Each format allows less than this reads: its reader checks what the text has.
package struct WrittenTime: Sendable {
  package enum Offset: Sendable, Hashable {
    /// `Z`.
    case utc
    /// `+02:00`.
    case seconds(Int)
  }

  /// The day; years have four digits.
  package let date: CivilDate
  /// What the text's clock shows, in microseconds since 1970-01-01T00:00 there; finer fractions are cut off.
  package let civilMicroseconds: Int64
  /// How far that is ahead of UTC; nil when the text does not say.
  package let offset: Offset?
  /// Whether there is a blank where RFC 3339 has a T.
  package let hasBlank: Bool
  /// Whether it has seconds.
  package let hasSeconds: Bool
  /// How many digits its fraction of a second has.
  package let fractionDigits: Int

  /// Nil for anything else, and for days and times that there are not. Fractions have up to nine digits. The leap second :60
  /// is refused: no microsecond since 1970 means it.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 16, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "),
      let date = CivilDate(text: bytes[..<10]), let hour = Int64(decimal: bytes[11..<13], below: 24),
      bytes[13] == UInt8(ascii: ":"), let minute = Int64(decimal: bytes[14..<16], below: 60)
    else { return nil }
    var rest = bytes[16...]
    var (second, microseconds, fractionDigits): (Int64, Int64, Int) = (0, 0, 0)
    hasSeconds = rest.first == UInt8(ascii: ":")
    if hasSeconds {
      guard rest.count >= 3, let number = Int64(decimal: rest.dropFirst().prefix(2), below: 60) else { return nil }
      second = number
      rest = rest.dropFirst(3)
      if rest.first == UInt8(ascii: ".") {
        let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
        let six = digits.prefix(6) + repeatElement(0x30, count: max(0, 6 - digits.count))
        guard (1...9).contains(digits.count), let fraction = Int64(decimal: six, below: 1_000_000) else { return nil }
        (microseconds, fractionDigits) = (fraction, digits.count)
        rest = rest.dropFirst(1 + digits.count)
      }
    }
    switch rest.count {
    case 0: offset = nil
    case 1 where rest.first == UInt8(ascii: "Z"): offset = .utc
    default:
      guard let seconds = Self.offset(rest) else { return nil }
      offset = .seconds(seconds)
    }
    self.date = date
    self.fractionDigits = fractionDigits
    hasBlank = bytes[10] == UInt8(ascii: " ")
    civilMicroseconds =
      (((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000 + microseconds
  }

  /// The moment that it names, in microseconds since 1970-01-01T00:00Z; nil without an offset.
  package var utcMicroseconds: Int64? {
    switch offset {
    case nil: nil
    case .utc: civilMicroseconds
    case .seconds(let seconds): civilMicroseconds - Int64(seconds) * 1_000_000
    }
  }

  /// The seconds of `+HH:MM` or `-HH:MM`, at most 18 hours.
  package static func offset(_ text: some Collection<UInt8>) -> Int? {
    let bytes = Array(text)
    guard bytes.count == 6, bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
      bytes[3] == UInt8(ascii: ":"), let hours = Int64(decimal: bytes[1...2], below: 19),
      let minutes = Int64(decimal: bytes[4...5], below: 60), hours * 60 + minutes <= 18 * 60
    else { return nil }
    let seconds = Int(hours * 3600 + minutes * 60)
    return bytes[0] == UInt8(ascii: "-") ? -seconds : seconds
  }

}
