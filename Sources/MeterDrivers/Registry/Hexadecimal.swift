/// The bytes that pairs of hex digits stand for; nil for an odd count or another character.
func hexBytes(_ text: some Collection<UInt8>) -> [UInt8]? {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.count / 2)
  var high: UInt8?
  for character in text {
    let digit: UInt8
    switch character {
    case 0x30...0x39: digit = character - 0x30
    case 0x41...0x46: digit = character - 0x41 + 10
    case 0x61...0x66: digit = character - 0x61 + 10
    default: return nil
    }
    if let upper = high {
      bytes.append(upper << 4 | digit)
      high = nil
    } else {
      high = digit
    }
  }
  return high == nil ? bytes : nil
}

/// Two lower-case hex digits a byte.
func hexDigits(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xf)]] }, as: UTF8.self)
}
