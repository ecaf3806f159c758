import MeterCore

/// Reads the beginning of a line that this module has written.
struct MarkReader {
  private var rest: ArraySlice<UInt8>

  init(_ line: ArraySlice<UInt8>) { rest = line }

  /// Goes past a text; false where something else is written.
  mutating func skip(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  mutating func logID() -> LogID? {
    let text = rest.prefix(36)
    guard let logID = LogID(String(decoding: text, as: UTF8.self)), rest.count > 36 else { return nil }
    rest = rest.dropFirst(36)
    return logID
  }

  /// A number from 1 on.
  mutating func number() -> Int? {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard digits.count <= 18, let number = Int(String(decoding: digits, as: UTF8.self)), number > 0 else { return nil }
    rest = rest.dropFirst(digits.count)
    return number
  }

  /// A SHA-256 in hexadecimal.
  mutating func checksum() -> String? {
    let text = rest.prefix(64)
    let isHexadecimal = text.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    guard text.count == 64, isHexadecimal else { return nil }
    rest = rest.dropFirst(64)
    return String(decoding: text, as: UTF8.self)
  }
}
