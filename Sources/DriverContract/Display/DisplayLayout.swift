/// What a row of a display shows (`MH_OCR_ROLE_*`).
public enum DisplayRole: UInt16, Sendable, Hashable, CaseIterable {
  /// The one measured value of the meter.
  case value = 1
  case systolic
  case diastolic
  case pulse
  case oxygenSaturation
}

/// A part of a meter's display that is read as one text (rule R17).
public struct DisplayRow: Sendable, Hashable {
  /// What it shows.
  public var role: DisplayRole
  /// The display may leave it empty.
  public var isOptional: Bool
  /// The display switches it on and off: an empty row does not contradict a text of another frame.
  public var blinks: Bool
  /// Where it lies: fractions of the overlay.
  public var box: ImageBox
  /// The characters that it can show.
  public var characters: String

  /// A row.
  public init(role: DisplayRole, isOptional: Bool = false, blinks: Bool = false, box: ImageBox, characters: String) {
    self.role = role
    self.isOptional = isOptional
    self.blinks = blinks
    self.box = box
    self.characters = characters
  }
}

/// Where the rows of a meter's display lie, as its driver says (rule R17).
public struct DisplayLayout: Sendable, Hashable {
  /// Width over height of the overlay.
  public var aspect: Double
  /// The asset that holds the overlay's drawing.
  public var overlay: String
  /// The rows from the top.
  public var rows: [DisplayRow]

  /// A layout.
  public init(aspect: Double, overlay: String, rows: [DisplayRow]) {
    self.aspect = aspect
    self.overlay = overlay
    self.rows = rows
  }
}
