/// A picture in 8-bit grey: rows of `width` bytes from the top, without padding.
public struct GreyImage: Sendable, Hashable {
  /// Columns.
  public var width: Int
  /// Rows.
  public var height: Int
  /// One byte a pixel, 0 black.
  public var pixels: [UInt8]

  /// Bytes from one row to the next.
  public var stride: Int { width }

  /// A picture. One whose bytes are not `width * height` is refused where it is used.
  public init(width: Int, height: Int, pixels: [UInt8]) {
    self.width = width
    self.height = height
    self.pixels = pixels
  }
}

/// A rectangle: pixels of a frame, or fractions of the overlay in a layout, from the upper left corner.
public struct ImageBox: Sendable, Hashable {
  /// The left edge.
  public var x: Double
  /// The upper edge.
  public var y: Double
  /// How far it goes to the right, in pixels or as a fraction of the overlay.
  public var width: Double
  /// How far it goes down, in pixels or as a fraction of the overlay.
  public var height: Double

  /// A rectangle.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}

/// A point of a frame, in pixels from the upper left corner.
public struct ImagePoint: Sendable, Hashable {
  /// To the right.
  public var x: Double
  /// Downwards.
  public var y: Double

  /// A point.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}
