/// A zip archive of a test's own, with whatever is wrong about it.
struct WrittenZip {
  struct Entry {
    var name = "apple_health_export/export.xml"
    var content: [UInt8]
    /// 0: stored, 8: deflated, in blocks that are not compressed.
    var method: UInt16 = 8
    var isEncrypted = false
    /// Sizes and check sum stand behind the data.
    var hasDescriptor = false
    /// The data as they are, instead of those of the method; `content` says what they come to.
    var data: [UInt8]?
  }

  var entries: [Entry]
  var hasDirectory = true
  /// What stands before the archive.
  var before: [UInt8] = []
  /// Added to the check sums that the directory has.
  var crcError: UInt32 = 0

  init(_ entries: [Entry]) { self.entries = entries }

  init(_ content: [UInt8], method: UInt16 = 8) { entries = [Entry(content: content, method: method)] }

  var bytes: [UInt8] {
    var out = before
    var directory: [UInt8] = []
    for entry in entries {
      let at = out.count - before.count
      let data = entry.data ?? (entry.method == 8 ? Self.deflated(entry.content) : entry.content)
      let crc = Self.crc32(entry.content)
      let flags: UInt16 = (entry.isEncrypted ? 1 : 0) | (entry.hasDescriptor ? 8 : 0)
      let known = !entry.hasDescriptor
      let sizes = Self.word(UInt32(data.count)) + Self.word(UInt32(entry.content.count))
      let name = Array(entry.name.utf8)
      out += Self.word(0x0403_4b50) + Self.half(20) + Self.half(flags) + Self.half(entry.method) + Self.word(0)
      out += known ? Self.word(crc) + sizes : [UInt8](repeating: 0, count: 12)
      out += Self.half(UInt16(name.count)) + Self.half(0) + name + data
      if entry.hasDescriptor { out += Self.word(0x0807_4b50) + Self.word(crc) + sizes }
      directory += Self.word(0x0201_4b50) + Self.half(20) + Self.half(20) + Self.half(flags) + Self.half(entry.method)
      directory += Self.word(0) + Self.word(crc &+ crcError) + sizes + Self.half(UInt16(name.count))
      directory += [UInt8](repeating: 0, count: 12) + Self.word(UInt32(at)) + name
    }
    guard hasDirectory else { return out }
    let count = Self.half(UInt16(entries.count))
    let end = Self.word(0x0605_4b50) + Self.word(0) + count + count + Self.word(UInt32(directory.count))
    return out + directory + end + Self.word(UInt32(out.count - before.count)) + Self.half(0)
  }

  private static func half(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xff), UInt8(value >> 8)] }

  private static func word(_ value: UInt32) -> [UInt8] {
    half(UInt16(truncatingIfNeeded: value)) + half(UInt16(truncatingIfNeeded: value >> 16))
  }

  /// RFC 1951, 3.2.4: blocks of at most 65,535 bytes as they are.
  static func deflated(_ content: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    var at = 0
    repeat {
      let length = min(content.count - at, 65_535)
      out.append(at + length == content.count ? 1 : 0)
      out += half(UInt16(length)) + half(~UInt16(length)) + content[at..<at + length]
      at += length
    } while at < content.count
    return out
  }

  /// RFC 1951, 3.2.6: a text, then one blank 258 times more for each of `runs`; 8,000 bytes of it come to a megabyte and more.
  static func bomb(_ head: [UInt8], runs: Int) -> [UInt8] {
    var bits = BitWriter()
    bits.put(0b011, 3)
    for byte in head + [0x20] {
      bits.putCode(byte < 144 ? 0x30 + UInt32(byte) : 0x190 + UInt32(byte) - 144, byte < 144 ? 8 : 9)
    }
    for _ in 0..<runs {
      bits.putCode(0b1100_0101, 8)
      bits.putCode(0, 5)
    }
    bits.putCode(0, 7)
    return bits.finished()
  }

  private struct BitWriter {
    private var out: [UInt8] = []
    private var filled = 8

    /// The lowest bit first.
    mutating func put(_ value: UInt32, _ count: Int) {
      for bit in 0..<count {
        if filled == 8 {
          out.append(0)
          filled = 0
        }
        out[out.count - 1] |= UInt8(value >> UInt32(bit) & 1) << UInt8(filled)
        filled += 1
      }
    }

    /// A Huffman code: the highest bit first.
    mutating func putCode(_ code: UInt32, _ count: Int) {
      for bit in (0..<count).reversed() { put(code >> UInt32(bit) & 1, 1) }
    }

    func finished() -> [UInt8] { out }
  }

  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
