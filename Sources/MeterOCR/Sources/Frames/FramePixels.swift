import DriverContract

/// What a camera's bytes mean.
package enum CameraFormat: Sendable, Hashable, CaseIterable {
  /// Luma and, in turns, the two differences of colour: 4 bytes are 2 pixels.
  case yuyv
  case grey
  /// One JPEG file each.
  case mjpeg
  /// A plane of luma, then two of colour with a quarter of the pixels.
  case yuv420

  /// The least bytes of a row and of a picture; nil for compressed ones.
  func bytes(_ width: Int, _ height: Int, row: Int) -> Int? {
    switch self {
    case .yuyv: (height - 1) * row + 2 * ((width + 1) / 2 * 2)
    case .grey: (height - 1) * row + width
    case .yuv420: row * height + 2 * ((row + 1) / 2) * ((height + 1) / 2)
    case .mjpeg: nil
    }
  }

  /// The least bytes of a row.
  func row(_ width: Int) -> Int { self == .yuyv ? 2 * ((width + 1) / 2 * 2) : width }
}

/// A camera's picture as it came.
struct RawPicture: Sendable {
  var format: CameraFormat
  var width: Int
  var height: Int
  /// Bytes from one row to the next.
  var row: Int
  var bytes: [UInt8]
  var moment: UInt64

  /// Whether all bytes of the picture are there.
  var isWhole: Bool {
    guard width > 0, height > 0 else { return false }
    guard let least = format.bytes(width, height, row: row) else { return !bytes.isEmpty }
    return row >= format.row(width) && bytes.count >= least
  }

  /// The luma, as it came; nil for a picture that is compressed or not whole.
  var grey: GreyImage? {
    guard format != .mjpeg, isWhole else { return nil }
    let step = format == .yuyv ? 2 : 1
    let pixels = [UInt8](unsafeUninitializedCapacity: width * height) { out, count in
      bytes.withUnsafeBufferPointer { bytes in
        for y in 0..<height {
          for x in 0..<width {
            out[count] = bytes[y * row + x * step]
            count += 1
          }
        }
      }
    }
    return GreyImage(width: width, height: height, pixels: pixels)
  }

  /// The picture in colour where it has some; nil for one that is compressed or not whole.
  var colours: DecodedImage? {
    guard format != .mjpeg, isWhole else { return nil }
    if format == .grey {
      return grey.map { DecodedImage(width: width, height: height, format: .grey, pixels: $0.pixels) }
    }
    let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 3) { out, count in
      bytes.withUnsafeBufferPointer { bytes in
        for y in 0..<height {
          for x in 0..<width {
            let (luma, blue, red) = samples(bytes, x, y)
            Self.put(luma, blue, red, &out, &count)
          }
        }
      }
    }
    return DecodedImage(width: width, height: height, format: .rgb, pixels: pixels)
  }

  @inline(__always)
  private func samples(_ bytes: UnsafeBufferPointer<UInt8>, _ x: Int, _ y: Int) -> (Int, Int, Int) {
    if format == .yuyv {
      let pair = y * row + x / 2 * 4
      return (Int(bytes[pair + x % 2 * 2]), Int(bytes[pair + 1]), Int(bytes[pair + 3]))
    }
    let half = (row + 1) / 2
    let blue = row * height + y / 2 * half + x / 2
    return (Int(bytes[y * row + x]), Int(bytes[blue]), Int(bytes[blue + half * ((height + 1) / 2)]))
  }

  /// ITU-R BT.601 with 219 steps of luma, as cameras send it.
  @inline(__always)
  private static func put(
    _ luma: Int, _ blue: Int, _ red: Int, _ out: inout UnsafeMutableBufferPointer<UInt8>, _ count: inout Int
  ) {
    let (c, d, e) = (298 * (luma - 16) + 128, blue - 128, red - 128)
    for part in [(c + 409 * e) >> 8, (c - 100 * d - 208 * e) >> 8, (c + 516 * d) >> 8] {
      out[count] = UInt8(clamping: part)
      count += 1
    }
  }
}
