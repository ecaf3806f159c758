import DriverContract

/// A number that two pictures share only when their pixels are the same in the area that is looked at: a camera that has
/// frozen, or a file that is repeated, says the same thing once.
enum FrameFingerprint {
  static func of(_ image: GreyImage, area: ImageBox) -> UInt64 {
    guard image.width > 0, image.height > 0, image.pixels.count == image.width * image.height else { return 0 }
    let all = ImageBox(x: 0, y: 0, width: Double(image.width), height: Double(image.height))
    let seen = (area.finite ?? all).intersection(all)
    let box = seen.area > 0 ? seen : all
    let (left, top) = (Int(box.x), Int(box.y))
    let right = min(image.width, Int((box.x + box.width).rounded(.up)))
    let bottom = min(image.height, Int((box.y + box.height).rounded(.up)))
    var hash = mixed(UInt64(image.width) << 32 | UInt64(image.height), 0x9E37_79B9_7F4A_7C15)
    image.pixels.withUnsafeBytes { bytes in
      for row in top..<bottom {
        var at = row * image.width + left
        let end = row * image.width + right
        while at + 8 <= end {
          hash = mixed(hash, bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
          at += 8
        }
        while at < end {
          hash = mixed(hash, UInt64(bytes[at]))
          at += 1
        }
      }
    }
    return hash
  }

  private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    var mixed = (hash ^ word) &* 0xFF51_AFD7_ED55_8CCD
    mixed ^= mixed >> 32
    return mixed &* 0xC4CE_B9FE_1A85_EC53
  }
}
