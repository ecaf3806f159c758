package import Foundation

/// A meter whose display is read, as `--json` shows it.
public struct DisplayDescription: Sendable, Encodable {
  /// A part of its display that is read as one text, as the driver's layout has it.
  public struct Row: Sendable, Encodable {
    /// What it shows: `value`, `systolic`, `diastolic`, `pulse` or `oxygen_saturation`.
    public let role: String
    /// Whether the display may leave it empty.
    public let optional: Bool
    /// Whether the display switches it on and off.
    public let blinks: Bool
    /// Fractions of the overlay: left edge, upper edge, width, height.
    public let box: [Double]
    /// The characters that it can show, in one text.
    public let characters: String

    package init(role: String, optional: Bool, blinks: Bool, box: [Double], characters: String) {
      self.role = role
      self.optional = optional
      self.blinks = blinks
      self.box = box
      self.characters = characters
    }
  }

  /// The catalogue's entry of the meter, of the kind `ocr`.
  public let peripheral: PeripheralDescription
  /// The units in UCUM that it may be set to, the default first; empty where it has one only.
  public let units: [String]
  /// Width over height of the overlay.
  public let aspect: Double
  /// Its rows from the top.
  public let rows: [Row]

  enum CodingKeys: String, CodingKey {
    case units, aspect, rows
  }

  package init(peripheral: PeripheralDescription, units: [String], aspect: Double, rows: [Row]) {
    self.peripheral = peripheral
    self.units = units
    self.aspect = aspect
    self.rows = rows
  }

  /// One object: what the catalogue says, and the display beside it.
  public func encode(to encoder: any Encoder) throws {
    try peripheral.encode(to: encoder)
    var object = encoder.container(keyedBy: CodingKeys.self)
    try object.encode(units, forKey: .units)
    try object.encode(aspect, forKey: .aspect)
    try object.encode(rows, forKey: .rows)
  }
}

/// A reading of a display, as `--json` shows it.
public struct DisplayReadingDescription: Sendable, Encodable {
  /// What one row of the display shows, as the reading counts.
  public struct Row: Sendable, Encodable {
    /// `value`, `systolic`, `diastolic`, `pulse` or `oxygen_saturation`.
    public let role: String
    /// The text that holds: what was read, or what a person has put in its place.
    public let text: String
    /// What was read, where a person has put something else in its place; else nil.
    public let read: String?

    package init(role: String, text: String, read: String? = nil) {
      self.role = role
      self.text = text
      self.read = read
    }
  }

  /// The part of the frame in which the display was read, as JPEG; its size is in pixels.
  public struct Picture: Sendable, Encodable {
    let contentType = "image/jpeg"
    let width: Int
    let height: Int
    let data: Data

    enum CodingKeys: String, CodingKey {
      case width, height, data
      case contentType = "content_type"
    }

    package init(width: Int, height: Int, data: Data) {
      self.width = width
      self.height = height
      self.data = data
    }
  }

  let event = "reading"
  let id: String
  let peripheral: UInt32
  let unit: String?
  /// The rows from the top.
  public let rows: [Row]
  /// What the driver says that the rows mean, record by record.
  public let values: [ReadingDescription.Value]
  let confidence: Double
  let held: Bool
  let photograph: Bool
  let time: String
  let crop: Picture

  package init(
    id: String, peripheral: UInt32, unit: String? = nil, rows: [Row], values: [ReadingDescription.Value],
    confidence: Double, held: Bool, photograph: Bool, time: String, crop: Picture
  ) {
    self.id = id
    self.peripheral = peripheral
    self.unit = unit
    self.rows = rows
    self.values = values
    self.confidence = confidence
    self.held = held
    self.photograph = photograph
    self.time = time
    self.crop = crop
  }

  /// One line for people.
  public var text: String { values.text }
}
