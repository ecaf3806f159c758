public import DriverContract

extension ImageBox {
  /// No box at all.
  public static let zero = ImageBox(x: 0, y: 0, width: 0, height: 0)

  /// The box between two corners, in any order.
  init(_ one: ImagePoint, _ other: ImagePoint) {
    self.init(
      x: min(one.x, other.x), y: min(one.y, other.y), width: abs(one.x - other.x), height: abs(one.y - other.y))
  }

  /// The smallest box that holds all points; nil without points, or with one that is no number.
  init?(around points: [ImagePoint]) {
    guard let first = points.first, points.allSatisfy({ $0.finite != nil }) else { return nil }
    var (least, most) = (first, first)
    for point in points {
      least = ImagePoint(x: min(least.x, point.x), y: min(least.y, point.y))
      most = ImagePoint(x: max(most.x, point.x), y: max(most.y, point.y))
    }
    self.init(least, most)
  }

  var first: ImagePoint { ImagePoint(x: x, y: y) }
  var last: ImagePoint { ImagePoint(x: x + width, y: y + height) }

  /// Itself when all its numbers are numbers.
  var finite: ImageBox? { [x, y, width, height].allSatisfy(\.isFinite) ? self : nil }

  var area: Double { width > 0 && height > 0 ? width * height : 0 }

  /// The box that a part, in fractions, is of this one.
  func part(_ part: ImageBox) -> ImageBox {
    ImageBox(
      x: x + part.x * width, y: y + part.y * height, width: part.width * width, height: part.height * height)
  }

  /// What both cover; zero when they do not meet.
  func intersection(_ other: ImageBox) -> ImageBox {
    let (left, top) = (max(x, other.x), max(y, other.y))
    let (right, bottom) = (min(x + width, other.x + other.width), min(y + height, other.y + other.height))
    guard right > left, bottom > top else { return .zero }
    return ImageBox(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The smallest box that holds both.
  func union(_ other: ImageBox) -> ImageBox {
    ImageBox(
      ImagePoint(x: min(x, other.x), y: min(y, other.y)),
      ImagePoint(x: max(x + width, other.x + other.width), y: max(y + height, other.y + other.height)))
  }

  /// Less a part of the shorter side all around.
  func insetByPart(_ part: Double) -> ImageBox {
    let inset = part * min(width, height)
    return ImageBox(x: x + inset, y: y + inset, width: width - 2 * inset, height: height - 2 * inset)
  }

  /// The largest box of an aspect in the middle of this one.
  func fitting(aspect: Double) -> ImageBox {
    let (width, height) = (min(self.width, self.height * aspect), min(self.height, self.width / aspect))
    return ImageBox(
      x: x + (self.width - width) / 2, y: y + (self.height - height) / 2, width: width, height: height)
  }

  /// Moved by fractions of its size, and scaled around its middle.
  func moved(right: Double, down: Double, scale: Double) -> ImageBox {
    ImageBox(
      x: x + (right + (1 - scale) / 2) * width, y: y + (down + (1 - scale) / 2) * height, width: width * scale,
      height: height * scale)
  }
}

extension ImagePoint {
  /// Itself when both its numbers are numbers.
  var finite: ImagePoint? { x.isFinite && y.isFinite ? self : nil }
}
