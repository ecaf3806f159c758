import HostPrimitives

extension RandomAccessCollection<UInt8> where Index == Int {
  /// An unsigned number of that many bytes, the highest first; nil beyond the end.
  func number(at offset: Int, count: Int) -> Int? {
    guard offset >= 0, offset + count <= self.count else { return nil }
    return Int(bigEndianBytes: self[(startIndex + offset)..<(startIndex + offset + count)])
  }

  /// A variable-length integer (SQLite file format, section 1.6): its value and how many bytes it has.
  func variableNumber(at offset: Int) -> (value: Int64, count: Int)? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard offset + index < count, offset >= 0 else { return nil }
      let byte = self[startIndex + offset + index]
      guard index < 8 else { return (Int64(bitPattern: value << 8 | UInt64(byte)), 9) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return (Int64(bitPattern: value), index + 1) }
    }
    return nil
  }
}
