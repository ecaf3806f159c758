import Foundation

/// Times as a person reads them: of this machine's zone, without fractions. `--json` has UTC, as it is kept.
package enum LocalTime {
  /// `2026-03-01 09:00:05` for `2026-03-01T08:00:05.123456Z`; a text that is no time in UTC stays as it is.
  package static func text(_ utc: String) -> String {
    guard let seconds = unixSeconds(utc) else { return utc }
    var moment = time_t(seconds)
    var parts = tm()
    guard localtime_r(&moment, &parts) != nil else { return utc }
    let number = { (value: Int32, digits: Int) in
      let text = String(value)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    return "\(number(parts.tm_year + 1900, 4))-\(number(parts.tm_mon + 1, 2))-\(number(parts.tm_mday, 2)) "
      + "\(number(parts.tm_hour, 2)):\(number(parts.tm_min, 2)):\(number(parts.tm_sec, 2))"
  }

  /// Seconds since 1970 of `YYYY-MM-DDTHH:MM:SS[.digits]Z`; nil for anything else.
  private static func unixSeconds(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[4] == 0x2d, bytes[7] == 0x2d, bytes[10] == 0x54,
      bytes[13] == 0x3a, bytes[16] == 0x3a
    else { return nil }
    let fraction = bytes[19..<(bytes.count - 1)]
    guard fraction.isEmpty || fraction.first == 0x2e && fraction.dropFirst().allSatisfy(isDigit) else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      bytes[range].allSatisfy(isDigit) ? Int(String(decoding: bytes[range], as: UTF8.self)) : nil
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19)
    else { return nil }
    var parts = tm()
    parts.tm_year = Int32(year - 1900)
    (parts.tm_mon, parts.tm_mday, parts.tm_hour) = (Int32(month - 1), Int32(day), Int32(hour))
    (parts.tm_min, parts.tm_sec) = (Int32(minute), Int32(second))
    return timegm(&parts)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
