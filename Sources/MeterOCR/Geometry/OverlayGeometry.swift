public import DriverContract

/// A width and a height: of a preview on a screen, or of a frame in pixels.
public struct ViewSize: Sendable, Hashable {
  /// From left to right.
  public var width: Double
  /// From top to bottom.
  public var height: Double

  /// A size.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// The size of a picture.
  public init(_ image: GreyImage) { self.init(width: Double(image.width), height: Double(image.height)) }

  /// Sizes with which can be computed: no side is less than one or more than a million, and both are numbers.
  var isUsable: Bool { (1...1_000_000).contains(width) && (1...1_000_000).contains(height) }

  var turned: ViewSize { ViewSize(width: height, height: width) }
}

/// Where a meter's overlay lies over a preview, and where that is in the frame below it.
///
/// The frame is fitted into the preview; the overlay is fitted into what can be seen of the frame, with a margin. A size
/// that is no size gives a geometry without an overlay, never one with impossible numbers.
public struct OverlayGeometry: Sendable, Hashable {
  /// By how much the frame is turned for the preview, clockwise.
  public enum Rotation: Int, Sendable, Hashable, CaseIterable {
    case none = 0
    case right = 90
    case half = 180
    case left = 270
  }

  /// How a frame gets into a preview of another aspect.
  public enum Scaling: String, Sendable, Hashable, CaseIterable {
    /// All of the frame is seen, with bars beside it.
    case fit
    /// All of the preview is covered, and the frame is cut.
    case fill
  }

  /// What stays free around the overlay: a part of the shorter side of what can be seen.
  public static let margin = 0.05
  private static let aspects = 0.01...100.0

  /// The overlay in the preview; zero when there is none.
  public let overlayFrame: ImageBox
  /// The overlay in the frame, in its pixels; zero when there is none.
  public let overlayInFrame: ImageBox
  private let placement: FramePlacement?

  /// The geometry of an overlay of `aspect` (width over height). Without a frame's size the overlay is fitted into the
  /// preview as if the frame had its aspect.
  public init(
    aspect: Double, preview: ViewSize, frame: ViewSize? = nil, rotation: Rotation = .none, scaling: Scaling = .fit,
    margin: Double = OverlayGeometry.margin
  ) {
    let frame = frame ?? (rotation == .none || rotation == .half ? preview : preview.turned)
    guard preview.isUsable, frame.isUsable, Self.aspects.contains(aspect), (0...0.45).contains(margin) else {
      (overlayFrame, overlayInFrame, placement) = (.zero, .zero, nil)
      return
    }
    let placement = FramePlacement(preview: preview, frame: frame, rotation: rotation, scaling: scaling)
    let box = placement.visible.insetByPart(margin).fitting(aspect: aspect)
    self.placement = placement
    overlayFrame = box
    overlayInFrame = placement.toFrame(box)
  }

  /// The overlay over a frame that is looked at as it is, without a preview.
  public init(aspect: Double, frame: ViewSize, margin: Double = OverlayGeometry.margin) {
    self.init(aspect: aspect, preview: frame, frame: frame, margin: margin)
  }

  /// A point of the preview as a point of the frame; nil without a geometry, or when the point is nowhere near it.
  public func toFrame(_ point: ImagePoint) -> ImagePoint? { placement?.toFrame(point).finite }

  /// A point of the frame as a point of the preview.
  public func toPreview(_ point: ImagePoint) -> ImagePoint? { placement?.toPreview(point).finite }

  /// A box of the preview as a box of the frame.
  public func toFrame(_ box: ImageBox) -> ImageBox { placement?.toFrame(box).finite ?? .zero }

  /// A box of the frame as a box of the preview.
  public func toPreview(_ box: ImageBox) -> ImageBox { placement?.toPreview(box).finite ?? .zero }

  /// Where each row is seen over the preview, in the layout's order; zero where there is no overlay.
  public func rowsInPreview(_ layout: DisplayLayout) -> [ImageBox] {
    layout.rows.map { overlayFrame.part($0.box).finite ?? .zero }
  }

  /// Where each row is in the frame's pixels, in the layout's order; zero where there is no overlay.
  public func rowsInFrame(_ layout: DisplayLayout) -> [ImageBox] { rowsInPreview(layout).map(toFrame) }
}

/// How a frame lies in a preview: turned, scaled, moved.
private struct FramePlacement: Sendable, Hashable {
  let frame: ViewSize
  let rotation: OverlayGeometry.Rotation
  let scale: Double
  let origin: ImagePoint
  let visible: ImageBox

  /// Both sizes are usable.
  init(preview: ViewSize, frame: ViewSize, rotation: OverlayGeometry.Rotation, scaling: OverlayGeometry.Scaling) {
    let turned = rotation == .none || rotation == .half ? frame : frame.turned
    let scales = (preview.width / turned.width, preview.height / turned.height)
    let scale = scaling == .fit ? min(scales.0, scales.1) : max(scales.0, scales.1)
    let (width, height) = (turned.width * scale, turned.height * scale)
    self.frame = frame
    self.rotation = rotation
    self.scale = scale
    origin = ImagePoint(x: (preview.width - width) / 2, y: (preview.height - height) / 2)
    let (seenWidth, seenHeight) = (min(width, preview.width), min(height, preview.height))
    visible = ImageBox(
      x: (preview.width - seenWidth) / 2, y: (preview.height - seenHeight) / 2, width: seenWidth, height: seenHeight)
  }

  func toFrame(_ point: ImagePoint) -> ImagePoint {
    let (x, y) = ((point.x - origin.x) / scale, (point.y - origin.y) / scale)
    return switch rotation {
    case .none: ImagePoint(x: x, y: y)
    case .right: ImagePoint(x: y, y: frame.height - x)
    case .half: ImagePoint(x: frame.width - x, y: frame.height - y)
    case .left: ImagePoint(x: frame.width - y, y: x)
    }
  }

  func toPreview(_ point: ImagePoint) -> ImagePoint {
    let turned =
      switch rotation {
      case .none: point
      case .right: ImagePoint(x: frame.height - point.y, y: point.x)
      case .half: ImagePoint(x: frame.width - point.x, y: frame.height - point.y)
      case .left: ImagePoint(x: point.y, y: frame.width - point.x)
      }
    return ImagePoint(x: turned.x * scale + origin.x, y: turned.y * scale + origin.y)
  }

  func toFrame(_ box: ImageBox) -> ImageBox { ImageBox(toFrame(box.first), toFrame(box.last)) }

  func toPreview(_ box: ImageBox) -> ImageBox { ImageBox(toPreview(box.first), toPreview(box.last)) }
}
