import Foundation

/// A picture of a display of seven-segment digits, drawn by the test: dark digits on a light glass, or light ones on a dark
/// one.
struct DisplayPicture {
  let width: Int
  let height: Int
  private(set) var pixels: [UInt8]

  init(width: Int, height: Int, grey: UInt8 = 190) {
    self.width = width
    self.height = height
    pixels = [UInt8](repeating: grey, count: width * height)
  }

  /// Segments from the top clockwise, then the middle one (a to g).
  private static let segments: [Character: String] = [
    "0": "abcdef", "1": "bc", "2": "abged", "3": "abgcd", "4": "fgbc", "5": "afgcd", "6": "afgedc", "7": "abc",
    "8": "abcdefg", "9": "abcdfg", "-": "g", "H": "bcefg",
  ]

  /// Draws a text into a box; a point has a place of its own between two digits.
  mutating func draw(_ text: String, x: Int, y: Int, height: Int, grey: UInt8 = 45) {
    let wide = height * 55 / 100
    let thick = max(height / 9, 2)
    var left = x
    for character in text {
      if character == "." {
        fill(left - thick / 2, y + height - thick, thick, thick, grey)
        left += thick * 3 / 2
        continue
      }
      for segment in Self.segments[character] ?? "" {
        let (middle, half) = (y + (height - thick) / 2, height / 2)
        switch segment {
        case "a": fill(left + thick, y, wide - 2 * thick, thick, grey)
        case "d": fill(left + thick, y + height - thick, wide - 2 * thick, thick, grey)
        case "g": fill(left + thick, middle, wide - 2 * thick, thick, grey)
        case "b": fill(left + wide - thick, y + thick / 2, thick, half - thick / 2, grey)
        case "c": fill(left + wide - thick, y + half + thick / 2, thick, half - thick, grey)
        case "e": fill(left, y + half + thick / 2, thick, half - thick, grey)
        default: fill(left, y + thick / 2, thick, half - thick / 2, grey)
        }
      }
      left += wide * 5 / 4
    }
  }

  private mutating func fill(_ x: Int, _ y: Int, _ wide: Int, _ high: Int, _ grey: UInt8) {
    for row in max(y, 0)..<max(min(y + high, height), max(y, 0)) {
      for column in max(x, 0)..<max(min(x + wide, width), max(x, 0)) { pixels[row * width + column] = grey }
    }
  }

  /// The same upside down.
  var turned: DisplayPicture {
    var copy = self
    copy.pixels.reverse()
    return copy
  }

  // MARK: PNG (W3C Recommendation, third edition), not compressed

  var png: Data {
    var raw: [UInt8] = []
    for row in 0..<height { raw += [0] + pixels[row * width..<(row + 1) * width] }
    var deflated: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: raw.count, by: 65_535) {
      let part = raw[start..<min(start + 65_535, raw.count)]
      deflated.append(start + part.count == raw.count ? 1 : 0)
      let length = UInt16(part.count)
      deflated += [UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)]
      deflated += part
    }
    deflated += Self.bytes(Self.adler(raw))
    let head = Self.bytes(UInt32(width)) + Self.bytes(UInt32(height)) + [8, 0, 0, 0, 0]
    return Data(
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.chunk("IHDR", head) + Self.chunk("IDAT", deflated)
        + Self.chunk("IEND", []))
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + content
    return bytes(UInt32(content.count)) + named + bytes(crc(named))
  }

  private static func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xFF) } }

  private static func crc(_ content: [UInt8]) -> UInt32 {
    var register: UInt32 = 0xFFFF_FFFF
    for byte in content {
      register ^= UInt32(byte)
      for _ in 0..<8 { register = register & 1 == 1 ? register >> 1 ^ 0xEDB8_8320 : register >> 1 }
    }
    return ~register
  }

  private static func adler(_ content: [UInt8]) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in content {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return high << 16 | low
  }
}
