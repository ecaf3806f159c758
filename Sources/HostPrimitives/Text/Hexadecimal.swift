/// The digits of hexadecimal text.
@usableFromInline
package enum Hexadecimal {
  /// The value of an ASCII digit of either case; nil for any other byte.
  @inlinable
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }

  /// The lower-case ASCII digit of a value's least significant four bits.
  @inlinable
  package static func digit(of value: UInt8) -> UInt8 {
    let value = value & 0xF
    return value + (value < 10 ? 0x30 : 0x61 - 10)
  }
}

extension Sequence<UInt8> {
  /// Two lower-case digits a byte.
  @inlinable
  package var hexadecimal: String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * underestimatedCount)
    for byte in self {
      text.append(Hexadecimal.digit(of: byte >> 4))
      text.append(Hexadecimal.digit(of: byte))
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  /// The bytes that pairs of digits of either case stand for; nil for an odd number of digits or any other character.
  @inlinable
  package init?(hexadecimal text: some Sequence<UInt8>) {
    self = []
    reserveCapacity(text.underestimatedCount / 2)
    var high: UInt8?
    for character in text {
      guard let digit = Hexadecimal.value(of: character) else { return nil }
      if let upper = high {
        append(upper << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    guard high == nil else { return nil }
  }
}

extension UnsignedInteger {
  /// The number in at least `digits` digits.
  package func hexadecimal(digits: Int, uppercase: Bool = false) -> String {
    let text = String(self, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
  }
}
