/// How lines of the protocol are made of bytes.
enum NATSLine {
  /// What ends a line.
  static let end: [UInt8] = [0x0D, 0x0A]

  /// Where the line ends that begins somewhere before `start`; nil where its end has not come.
  static func end(in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < bytes.endIndex, let found = bytes[index...].firstIndex(of: 0x0D) {
      guard found + 1 < bytes.endIndex else { return nil }
      if bytes[found + 1] == 0x0A { return found }
      index = found + 1
    }
    return nil
  }

  /// What stands between blanks.
  static func words(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    line.split { $0 == 0x20 || $0 == 0x09 }
  }

  /// A number of digits and nothing else that fits into 63 bits.
  static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard (1...18).contains(digits.count) else { return nil }
    var number: UInt64 = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      number = number * 10 + UInt64(digit - 0x30)
    }
    return number
  }
}
