import HostPrimitives

/// The escapes of strings (RFC 8259 section 7).
enum JSONEscapes {
  /// The byte that a letter behind a backslash stands for; nil for `u`, and for letters that mean nothing.
  static func byte(for letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// The four hexadecimal digits at `start` as a UTF-16 code unit, or nil where there are not four.
  static func unit(in bytes: [UInt8], at start: Int) -> UInt16? {
    guard start + 4 <= bytes.count else { return nil }
    var unit: UInt16 = 0
    for index in start..<start + 4 {
      guard let digit = Hexadecimal.value(of: bytes[index]) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  /// The UTF-8 of a string whose escapes the parser has checked.
  static func resolved(_ range: Range<Int>, of bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      guard bytes[index] == UInt8(ascii: "\\") else {
        text.append(bytes[index])
        index += 1
        continue
      }
      if let byte = byte(for: bytes[index + 1]) {
        text.append(byte)
        index += 2
        continue
      }
      var units = [unit(in: bytes, at: index + 2) ?? 0]
      index += 6
      if UTF16.isLeadSurrogate(units[0]) {
        units.append(unit(in: bytes, at: index + 2) ?? 0)
        index += 6
      }
      text.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
    }
    return text
  }
}
