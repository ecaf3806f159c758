/// Writes Exif blocks as the tests want them.
struct WrittenExif {
  var isBig = true
  var orientation: UInt32 = 1
  var tag: UInt16 = 0x0112
  var type: UInt16 = 3
  var count: UInt32 = 1
  /// Where the first directory begins.
  var first: UInt32 = 8
  /// How many entries it says it has; there are as many fillers before the orientation.
  var entries: UInt16 = 1
  var fillers = 0
  var magic: [UInt8]?

  var tiff: [UInt8] {
    var block = magic ?? (isBig ? [0x4D, 0x4D, 0, 0x2A] : [0x49, 0x49, 0x2A, 0])
    block += number(first, 4) + number(UInt32(entries), 2)
    for filler in 0..<fillers {
      block += number(UInt32(0x100 + filler), 2) + number(3, 2) + number(1, 4) + number(5, 4)
    }
    block += number(UInt32(tag), 2) + number(UInt32(type), 2) + number(count, 4)
    // A short stands at the left of its four bytes.
    block += type == 3 ? number(orientation, 2) + [0, 0] : number(orientation, 4)
    return block + [0, 0, 0, 0]
  }

  private func number(_ value: UInt32, _ size: Int) -> [UInt8] {
    let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBig ? little.reversed() : little
  }

  /// A JPEG file with this block behind its first mark.
  static func put(_ tiff: [UInt8], into jpeg: [UInt8], declaredLength: Int? = nil) -> [UInt8] {
    let body = Array("Exif".utf8) + [0, 0] + tiff
    let length = declaredLength ?? body.count + 2
    return [0xFF, 0xD8, 0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + body + jpeg.dropFirst(2)
  }
}
