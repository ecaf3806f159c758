/// Base32 (RFC 4648 section 6) without padding, in which NATS writes keys.
enum Base32 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var (buffer, bits): (UInt32, Int) = (0, 0)
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(digits[Int(buffer >> UInt32(bits)) & 31])
      }
      buffer &= (1 << UInt32(bits)) - 1
    }
    if bits > 0 { text.append(digits[Int(buffer << UInt32(5 - bits)) & 31]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes that a text stands for; nil for other letters, and for one that ends in bits which no byte has.
  static func bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (buffer, bits): (UInt32, Int) = (0, 0)
    for letter in text {
      let value: UInt8
      switch letter {
      case 0x41...0x5A: value = letter - 0x41
      case 0x32...0x37: value = letter - 0x32 + 26
      default: return nil
      }
      buffer = buffer << 5 | UInt32(value)
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
      buffer &= (1 << UInt32(bits)) - 1
    }
    // One key has one spelling: what is left over are fewer bits than a letter has, and all of them 0.
    return bits < 5 && buffer == 0 ? bytes : nil
  }
}

/// The checksum of keys: CRC-16 with the polynomial 0x1021, from 0 on, most significant bit first (XMODEM).
enum CRC16 {
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
    bytes.reduce(0) { checksum, byte in
      (0..<8).reduce(checksum ^ UInt16(byte) << 8) { value, _ in value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
      }
    }
  }
}
