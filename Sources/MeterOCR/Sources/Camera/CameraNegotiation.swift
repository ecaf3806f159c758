/// What a camera offers, and what is taken of it.
struct CameraOffer: Sendable, Hashable {
  /// Sizes in steps from the least to the most; both are equal where there is one size only.
  struct Sizes: Sendable, Hashable {
    var width: ClosedRange<Int>
    var height: ClosedRange<Int>
    var step: (width: Int, height: Int)

    static func == (one: Self, other: Self) -> Bool {
      one.width == other.width && one.height == other.height && one.step == other.step
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(width)
      hasher.combine(height)
    }
  }

  var format: CameraFormat
  /// Its sizes; none when the camera does not list them.
  var sizes: [Sizes]
}

/// A picture's sides.
struct CameraSize: Sendable, Hashable {
  var width: Int
  var height: Int

  /// What displays are read in: three rows of digits have enough pixels, and a frame is read in a few milliseconds.
  static let preferred = CameraSize(width: 640, height: 480)
}

/// The choice of a format and a size.
enum CameraNegotiation {
  /// The order in which formats are taken: what needs no decoding first. `yuv420` is what the library makes of others.
  static let order: [CameraFormat] = [.yuyv, .grey, .mjpeg, .yuv420]

  /// The formats to ask for, best first.
  static func choices(
    _ offers: [CameraOffer], in order: [CameraFormat] = order
  ) -> [(format: CameraFormat, size: CameraSize)] {
    order.compactMap { format in
      offers.first { $0.format == format }.map { (format, nearest($0.sizes)) }
    }
  }

  /// The size nearest to the preferred one. What is missing counts twice: a larger picture shows the digits, too.
  static func nearest(_ sizes: [CameraOffer.Sizes]) -> CameraSize {
    let preferred = CameraSize.preferred
    let candidates = sizes.map { sizes in
      CameraSize(
        width: nearest(preferred.width, sizes.width, sizes.step.width),
        height: nearest(preferred.height, sizes.height, sizes.step.height))
    }
    func distance(_ size: CameraSize) -> Int {
      [size.width - preferred.width, size.height - preferred.height].reduce(0) { $0 + max($1, -2 * $1) }
    }
    return candidates.min { one, other in
      let (near, far) = (distance(one), distance(other))
      return near == far ? one.width * one.height > other.width * other.height : near < far
    } ?? preferred
  }

  private static func nearest(_ wanted: Int, _ range: ClosedRange<Int>, _ step: Int) -> Int {
    let inside = min(max(wanted, range.lowerBound), range.upperBound)
    guard step > 1 else { return inside }
    let below = range.lowerBound + (inside - range.lowerBound) / step * step
    return below + step <= range.upperBound && inside - below > step / 2 ? below + step : below
  }
}
