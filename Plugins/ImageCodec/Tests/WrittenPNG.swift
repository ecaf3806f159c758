/// Writes PNG files as the tests want them, damaged ones too: ISO/IEC 15948 with stored blocks (RFC 1950, RFC 1951).
struct WrittenPNG {
  enum Colour: UInt8, CaseIterable {
    case grey = 0
    case rgb = 2
    case palette = 3
    case greyAlpha = 4
    case rgba = 6

    var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][rawValue] ?? 1 }
  }

  var width: UInt32
  var height: UInt32
  var depth: UInt8 = 8
  var colour = Colour.grey
  var isInterlaced = false
  /// The samples of a pixel.
  var samples: (_ x: Int, _ y: Int) -> [Int]
  /// Chunks before the picture, and behind it.
  var before: [(String, [UInt8])] = []
  var behind: [(String, [UInt8])] = []
  /// Instead of the picture's own data.
  var data: [UInt8]?

  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  var file: [UInt8] {
    let head = Self.word(width) + Self.word(height) + [depth, colour.rawValue, 0, 0, isInterlaced ? 1 : 0]
    var file = Self.signature + Self.chunk("IHDR", head)
    for (name, content) in before { file += Self.chunk(name, content) }
    file += Self.chunk("IDAT", data ?? Self.zlib(lines()))
    for (name, content) in behind { file += Self.chunk(name, content) }
    return file + Self.chunk("IEND", [])
  }

  /// Filter bytes and rows: of the picture, or of the seven of Adam7 one after the other.
  func lines() -> [UInt8] {
    guard isInterlaced else { return pass(0, 0, 1, 1) }
    let passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    return passes.flatMap { pass($0.0, $0.1, $0.2, $0.3) }
  }

  private func pass(_ left: Int, _ top: Int, _ right: Int, _ down: Int) -> [UInt8] {
    let columns = stride(from: left, to: Int(width), by: right)
    guard columns.contains(where: { _ in true }) else { return [] }
    return stride(from: top, to: Int(height), by: down).flatMap { y in
      [0] + packed(columns.flatMap { samples($0, y) })
    }
  }

  private func packed(_ samples: [Int]) -> [UInt8] {
    if depth == 16 { return samples.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }
    let each = 8 / Int(depth)
    return stride(from: 0, to: samples.count, by: each).map { start in
      (0..<each).reduce(UInt8(0)) { byte, index in
        let sample = start + index < samples.count ? samples[start + index] : 0
        return byte | UInt8(sample) << (8 - depth * UInt8(index + 1))
      }
    }
  }

  static func word(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }

  static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    return word(UInt32(content.count)) + body + word(crc(body))
  }

  static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = [0x78, 0x01]
    var at = 0
    repeat {
      let count = min(65535, bytes.count - at)
      let length = UInt16(count)
      out += [at + count == bytes.count ? 1 : 0]
      for number in [length, ~length] { out += [UInt8(number & 0xFF), UInt8(number >> 8)] }
      out += bytes[at..<at + count]
      at += count
    } while at < bytes.count
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes { (a, b) = ((a + UInt32(byte)) % 65521, (b + (a + UInt32(byte)) % 65521) % 65521) }
    return out + word(b << 16 | a)
  }

  private static let remainders: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(byte) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
  }

  static func crc(_ bytes: [UInt8]) -> UInt32 {
    let table = remainders
    return ~bytes.reduce(~UInt32(0)) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
  }
}
