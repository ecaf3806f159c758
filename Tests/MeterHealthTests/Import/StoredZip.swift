/// A zip archive as a phone's would be laid out, without compression but what a test brings along.
struct StoredZip {
  struct Entry {
    var name: String
    var content: [UInt8]
    var hasPassword = false
    /// The name's bytes, where they are no UTF-8.
    var nameBytes: [UInt8]?
    /// Permissions and kind of file as Unix has them.
    var mode: UInt16 = 0
    /// Added to the size that the directory has; such a size stands in an extra field (zip64).
    var excess: UInt64 = 0
    /// The content as a writer has deflated it.
    var deflated: [UInt8]?
  }

  /// The archive's bytes.
  let bytes: [UInt8]

  init(_ entries: [Entry]) {
    var out: [UInt8] = []
    var directory: [UInt8] = []
    for entry in entries {
      let place = Self.word(UInt32(out.count))
      let data = entry.deflated ?? entry.content
      let (packed, size) = (Self.word(UInt32(data.count)), Self.word(UInt32(entry.content.count)))
      let name = entry.nameBytes ?? Array(entry.name.utf8)
      let nameSize = Self.half(UInt16(name.count))
      let method = Self.half(entry.deflated == nil ? 0 : 8)
      // Time and date are zero.
      let fields =
        Self.half(20) + Self.half(entry.hasPassword ? 1 : 0) + method + Self.word(0)
        + Self.word(Self.crc32(entry.content))
      out += Self.word(0x0403_4b50) + fields + packed + size + nameSize + Self.half(0) + name + data
      let extra = entry.excess == 0 ? [] : Self.extra(UInt64(entry.content.count) + entry.excess)
      directory += Self.word(0x0201_4b50) + Self.half(20) + fields + packed
      directory += (extra.isEmpty ? size : Self.word(.max)) + nameSize + Self.half(UInt16(extra.count))
      directory += [UInt8](repeating: 0, count: 6) + Self.word(UInt32(entry.mode) << 16) + place + name + extra
    }
    let count = Self.half(UInt16(entries.count))
    let end = Self.word(0x0605_4b50) + Self.word(0) + count + count
    bytes = out + directory + end + Self.word(UInt32(directory.count)) + Self.word(UInt32(out.count)) + Self.half(0)
  }

  /// RFC 1951, 3.2.4: the content in blocks that are not compressed.
  static func deflated(_ content: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    for start in stride(from: 0, to: max(1, content.count), by: 65_535) {
      let block = content[start..<min(start + 65_535, content.count)]
      out += [start + 65_535 >= content.count ? 1 : 0] + half(UInt16(block.count)) + half(~UInt16(block.count)) + block
    }
    return out
  }

  private static func half(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xff), UInt8(value >> 8)] }

  private static func word(_ value: UInt32) -> [UInt8] {
    half(UInt16(truncatingIfNeeded: value)) + half(UInt16(truncatingIfNeeded: value >> 16))
  }

  /// The extra field with a size that has no room in its own.
  private static func extra(_ size: UInt64) -> [UInt8] {
    half(1) + half(8) + word(UInt32(truncatingIfNeeded: size)) + word(UInt32(size >> 32))
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
