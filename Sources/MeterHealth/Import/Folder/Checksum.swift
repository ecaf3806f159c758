/// CRC-32 as zip archives have it (polynomial 0xEDB88320, reflected).
struct Checksum {
  /// The check sum of what was added.
  var value: UInt32 { ~state }
  private var state = UInt32.max

  /// Eight tables of 256: the remainder of a byte that so many bytes follow. A byte at a time would be as slow as a phone's card.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
      tables[byte] = value
    }
    for index in 256..<8 * 256 {
      let before = tables[index - 256]
      tables[index] = before >> 8 ^ tables[Int(before & 0xff)]
    }
    return tables
  }()

  /// Adds bytes behind those before.
  mutating func add(_ bytes: [UInt8]) {
    var state = state
    Self.tables.withUnsafeBufferPointer { tables in
      bytes.withUnsafeBytes { bytes in
        var at = 0
        while at + 8 <= bytes.count {
          let low = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)) ^ state
          let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self))
          // The first byte has seven behind it.
          state = tables[0x700 + Int(low & 0xff)] ^ tables[0x600 + Int(low >> 8 & 0xff)]
          state ^= tables[0x500 + Int(low >> 16 & 0xff)] ^ tables[0x400 + Int(low >> 24)]
          state ^= tables[0x300 + Int(high & 0xff)] ^ tables[0x200 + Int(high >> 8 & 0xff)]
          state ^= tables[0x100 + Int(high >> 16 & 0xff)] ^ tables[Int(high >> 24)]
          at += 8
        }
        for byte in bytes[at...] { state = state >> 8 ^ tables[Int((state ^ UInt32(byte)) & 0xff)] }
      }
    }
    self.state = state
  }
}
