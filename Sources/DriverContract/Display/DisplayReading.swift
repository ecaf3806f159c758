/// What was read in one row of a frame.
public struct RowReading: Sendable, Hashable {
  /// How the row was found.
  public enum State: UInt16, Sendable, Hashable, CaseIterable {
    /// Nothing is lit.
    case empty = 1
    /// `text` holds what was read, sure or not.
    case text
    /// Something is there that is no text: covered by glare, cut off, every segment lit.
    case unreadable
  }

  /// How the row was found.
  public var state: State
  /// What was read; empty unless the state is `text`.
  public var text: String
  /// That the whole text is right, 0 to 1.
  public var confidence: Double
  /// That each character is right, 0 to 1.
  public var characterConfidences: [Double]
  /// Where the row was found: four points clockwise from the upper left.
  public var corners: [ImagePoint]

  /// What was read in a row.
  public init(
    state: State, text: String = "", confidence: Double = 0, characterConfidences: [Double] = [],
    corners: [ImagePoint] = []
  ) {
    self.state = state
    self.text = text
    self.confidence = confidence
    self.characterConfidences = characterConfidences
    self.corners = corners
  }
}

/// What the person can do so that a display reads better (`MH_OCR_ADVICE_*`).
public enum DisplayAdvice: UInt32, Sendable, Hashable, CaseIterable {
  case none
  /// Hold still, or wait for focus.
  case blur
  /// Tilt the meter: light is reflected.
  case glare
  /// Bring the display into the overlay.
  case align
  /// More light.
  case dark
}

/// What was read in one frame, checked (rule R17).
public struct DisplayReading: Sendable, Hashable {
  /// One for each row of the layout, or of the frame's boxes.
  public var rows: [RowReading]
  /// What the person can do.
  public var advice: DisplayAdvice
  /// How sharp the rows are, 0 to 1.
  public var sharpness: Double
  /// The part of the rows' area that is saturated by reflected light, 0 to 1.
  public var glare: Double
  /// Areas of reflected light, in pixels of the frame.
  public var glareAreas: [ImageBox]

  /// What was read.
  public init(
    rows: [RowReading], advice: DisplayAdvice = .none, sharpness: Double = 1, glare: Double = 0,
    glareAreas: [ImageBox] = []
  ) {
    self.rows = rows
    self.advice = advice
    self.sharpness = sharpness
    self.glare = glare
    self.glareAreas = glareAreas
  }
}

/// What the texts of a display mean, as its driver says (rule R17).
public enum DisplayVerdict: Sendable, Hashable {
  /// A row that has to be there is missing: go on looking.
  case incomplete
  /// A reading: at least one record, without a time, of the identity class `live`.
  case valid([DriverRecord])
  /// The display shows something else than a reading.
  case notAValue
  /// No display of this meter shows this.
  case wrongMeter
  /// It would be a reading in the meter's other unit.
  case otherUnit
}
