/// A picture of the camera, ready for a browser.
public struct PreviewPicture: Sendable {
  /// A JPEG file.
  public let jpeg: [UInt8]

  /// A picture with these bytes.
  public init(jpeg: [UInt8]) {
    self.jpeg = jpeg
  }
}

/// A rectangle in a picture, in fractions of its width and height from the upper left corner.
public struct RelativeBox: Sendable, Hashable, Codable {
  /// The left edge.
  public let x: Double
  /// The upper edge.
  public let y: Double
  /// From the left edge to the right one.
  public let width: Double
  /// From the upper edge to the lower one.
  public let height: Double

  /// A rectangle with these edges.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// JSON has no infinity, and a page no use for a rectangle without a place.
  var isFinite: Bool { x.isFinite && y.isFinite && width.isFinite && height.isFinite }
}

/// What is seen in one frame, sure or not: it tells a person what is still missing, and is no reading.
public struct PartialReading: Sendable, Hashable {
  /// One row of the display.
  public struct Row: Sendable, Hashable {
    /// What the row shows, such as `Systolic`.
    public let label: String
    /// The text, as far as it is read; empty when nothing is.
    public let text: String

    /// A row with this text.
    public init(label: String, text: String) {
      self.label = label
      self.text = text
    }
  }

  /// The rows of the display from the top.
  public let rows: [Row]
  /// What the person can do so that it reads better.
  public let advice: PreviewAdvice
  /// What is wrong with the display itself, such as that it is another meter's; it matters more than any advice.
  public let objection: String?
  /// Where the overlay lies on the preview; nil as long as that is not known.
  public let overlay: RelativeBox?
  /// Where light is reflected, on the preview.
  public let glare: [RelativeBox]

  /// What is seen in a frame.
  public init(
    rows: [Row], advice: PreviewAdvice = .none, overlay: RelativeBox?, glare: [RelativeBox] = [],
    objection: String? = nil
  ) {
    self.objection = objection
    self.rows = rows
    self.advice = advice
    self.overlay = overlay
    self.glare = glare
  }
}

/// What the person can do so that a display reads better.
public enum PreviewAdvice: String, Sendable, Hashable, CaseIterable {
  /// Nothing.
  case none
  /// Hold still, or wait for focus.
  case blur
  /// Light is reflected.
  case glare
  /// The display is not in the overlay.
  case align
  /// There is not enough light.
  case dark

  /// The sentence for the person.
  var sentence: String {
    switch self {
    case .none: "Hold the meter so that its display fills the outline."
    case .blur: "The picture is blurred. Hold still, or move a little farther away."
    case .glare: "Light is reflected by the display. Tilt the meter a little, or turn away from the light."
    case .align: "The display is not in the outline. Move the meter until the two match."
    case .dark: "There is too little light. Go where it is brighter."
    }
  }
}
