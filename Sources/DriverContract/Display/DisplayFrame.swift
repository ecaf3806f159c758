import CMeterDriver

/// One picture of a display, and where to look in it.
public struct DisplayFrame: Sendable, Hashable {
  /// Where the rows are.
  public enum Place: Sendable, Hashable {
    /// The meter's own rows: where its overlay lies, in pixels.
    case overlay(ImageBox)
    /// These rows and no others, in pixels: measuring a labelled set.
    case boxes([ImageBox])
  }

  /// The picture, upright.
  public var image: GreyImage
  /// A photograph that stands alone: the driver takes its time.
  public var isStill: Bool
  /// Where to look.
  public var place: Place

  /// A frame.
  public init(image: GreyImage, isStill: Bool, place: Place) {
    self.image = image
    self.isStill = isStill
    self.place = place
  }

  /// Why no driver may be given this frame; nil when it may.
  package var problem: String? {
    let sides = 1...Int(MH_OCR_SIDE_MAX)
    guard sides.contains(image.width), sides.contains(image.height) else {
      return "a frame of \(image.width) x \(image.height) pixels; at most \(sides.upperBound) a side are read"
    }
    guard image.pixels.count == image.width * image.height else {
      return "a frame whose bytes are not as many as its pixels"
    }
    switch place {
    case .overlay(let box): return box.isPlausible ? nil : "an overlay that lies nowhere near the frame"
    case .boxes(let boxes):
      guard (1...Int(MH_OCR_ROWS_MAX)).contains(boxes.count) else {
        return "\(boxes.count) boxes; 1 to \(MH_OCR_ROWS_MAX) are read at a time"
      }
      return boxes.allSatisfy(\.isPlausible) ? nil : "a box that lies nowhere near the frame"
    }
  }
}

extension ImageBox {
  /// How far from a frame's origin anything is looked for, in pixels: a frame's longest side to either side of it.
  package static let reach = 2 * Double(MH_OCR_SIDE_MAX)

  /// Whether it has an area and lies near a frame.
  package var isPlausible: Bool {
    [x, y, x + width, y + height].allSatisfy { $0.isFinite && $0.magnitude <= Self.reach } && width > 0 && height > 0
  }
}
