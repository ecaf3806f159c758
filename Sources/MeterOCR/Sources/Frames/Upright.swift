public import DriverContract

/// How a picture's pixels have to be turned so that it stands upright: Exif 2.32, tag 0112.
public enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
  case asIs = 1
  case mirrored
  case halfTurn
  case upsideDownMirrored
  case transposed
  /// A quarter turn to the right.
  case quarterTurn
  case transversed
  /// A quarter turn to the left.
  case quarterTurnBack

  /// Whether width and height change places.
  public var swapsSides: Bool { rawValue >= 5 }

  /// The one that undoes it.
  public var inverse: ImageOrientation {
    switch self {
    case .quarterTurn: .quarterTurnBack
    case .quarterTurnBack: .quarterTurn
    default: self
    }
  }

  /// Where the pixel at a place of the turned picture comes from: the first one's index, and the steps to the next one to
  /// the right and below, all in pixels.
  fileprivate func walk(_ width: Int, _ height: Int) -> (first: Int, right: Int, down: Int) {
    let last = width * height - 1
    return switch self {
    case .asIs: (0, 1, width)
    case .mirrored: (width - 1, -1, width)
    case .halfTurn: (last, -1, -width)
    case .upsideDownMirrored: (last - width + 1, 1, -width)
    case .transposed: (0, width, 1)
    case .quarterTurn: (last - width + 1, -width, 1)
    case .transversed: (last, -width, -1)
    case .quarterTurnBack: (width - 1, width, -1)
    }
  }

  /// Turns pixels of `channels` bytes; nothing is done to a picture whose bytes are not as many as its pixels.
  fileprivate func turn(_ pixels: [UInt8], _ width: Int, _ height: Int, channels: Int) -> [UInt8] {
    guard self != .asIs, width > 0, height > 0, pixels.count == width * height * channels else { return pixels }
    let (columns, rows) = swapsSides ? (height, width) : (width, height)
    let walk = walk(width, height)
    return [UInt8](unsafeUninitializedCapacity: pixels.count) { out, count in
      for y in 0..<rows {
        var from = walk.first + y * walk.down
        for _ in 0..<columns {
          for channel in 0..<channels {
            out[count] = pixels[from * channels + channel]
            count += 1
          }
          from += walk.right
        }
      }
    }
  }
}

extension GreyImage {
  /// The picture, turned.
  public func turned(_ orientation: ImageOrientation) -> GreyImage {
    GreyImage(
      width: orientation.swapsSides ? height : width, height: orientation.swapsSides ? width : height,
      pixels: orientation.turn(pixels, width, height, channels: 1))
  }
}

extension DecodedImage {
  /// The picture, turned.
  ///
  /// - Parameter left: The orientation that the turned picture still has.
  public func turned(_ turn: ImageOrientation, leaving left: ImageOrientation = .asIs) -> DecodedImage {
    DecodedImage(
      width: turn.swapsSides ? height : width, height: turn.swapsSides ? width : height, format: format,
      orientation: left.rawValue, pixels: turn.turn(pixels, width, height, channels: format.bytesPerPixel))
  }

  /// The picture as people hold it: turned as its orientation says.
  public func upright() -> DecodedImage { turned(ImageOrientation(rawValue: orientation) ?? .asIs) }
}
