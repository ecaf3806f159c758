/// A zip archive without compression, as a phone's would be laid out.
struct StoredZip {
  struct Entry {
    var name: String
    var content: [UInt8]
    var hasPassword = false
  }

  /// The archive's bytes.
  let bytes: [UInt8]

  init(_ entries: [Entry]) {
    var out: [UInt8] = []
    var directory: [UInt8] = []
    for entry in entries {
      let place = Self.word(UInt32(out.count))
      let size = Self.word(UInt32(entry.content.count))
      let flags = Self.half(entry.hasPassword ? 1 : 0)
      let name = Array(entry.name.utf8)
      // No compression; time and date are zero.
      let fields = Self.half(20) + flags + Self.half(0) + Self.word(0) + Self.word(Self.crc32(entry.content))
      let sizes = size + size + Self.half(UInt16(name.count)) + Self.half(0)
      out += Self.word(0x0403_4b50) + fields + sizes + name + entry.content
      directory += Self.word(0x0201_4b50) + Self.half(20) + fields + sizes
      directory += [UInt8](repeating: 0, count: 10) + place + name
    }
    let count = Self.half(UInt16(entries.count))
    let end = Self.word(0x0605_4b50) + Self.word(0) + count + count
    bytes = out + directory + end + Self.word(UInt32(directory.count)) + Self.word(UInt32(out.count)) + Self.half(0)
  }

  private static func half(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xff), UInt8(value >> 8)] }

  private static func word(_ value: UInt32) -> [UInt8] {
    half(UInt16(truncatingIfNeeded: value)) + half(UInt16(truncatingIfNeeded: value >> 16))
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
