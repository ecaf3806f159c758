public import DriverContract
import Foundation
import HostPrimitives
import MeterCore
public import MeterDrivers
public import MeterOCR

/// A meter whose display is read, as `--json` shows it.
public struct DisplayDescription: Sendable, Encodable {
  /// A row of its display.
  public struct Row: Sendable, Encodable {
    /// value, systolic ...
    public let role: String
    /// Whether the display may leave it empty.
    public let optional: Bool
    /// Whether the display switches it on and off.
    public let blinks: Bool
    /// Fractions of the overlay: left edge, upper edge, width, height.
    public let box: [Double]
    /// What it can show.
    public let characters: String
  }

  /// What the catalogue says.
  public let peripheral: PeripheralDescription
  /// The units that it may be set to, the default first.
  public let units: [String]
  /// Width over height of the overlay.
  public let aspect: Double
  /// Its rows from the top.
  public let rows: [Row]

  enum CodingKeys: String, CodingKey {
    case units, aspect, rows
  }

  /// Describes a meter.
  public init(_ entry: Peripheral, _ meter: OCRPeripheral) {
    peripheral = PeripheralDescription(entry)
    units = entry.units
    aspect = meter.layout.aspect
    rows = meter.layout.rows.map { row in
      Row(
        role: row.role.word, optional: row.isOptional, blinks: row.blinks,
        box: [row.box.x, row.box.y, row.box.width, row.box.height], characters: row.characters)
    }
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

extension DisplayRole {
  /// The word of `--json`.
  public var word: String {
    switch self {
    case .value: "value"
    case .systolic: "systolic"
    case .diastolic: "diastolic"
    case .pulse: "pulse"
    case .oxygenSaturation: "oxygen_saturation"
    }
  }
}

extension DisplayAdvice {
  /// The word of `--json`.
  public var word: String {
    switch self {
    case .none: "none"
    case .blur: "blur"
    case .glare: "glare"
    case .align: "align"
    case .dark: "dark"
    }
  }

  /// What to do, for people; nil for nothing.
  public var sentence: String? {
    switch self {
    case .none: nil
    case .blur: "hold still, or move a little farther away"
    case .glare: "tilt the meter: light is reflected"
    case .align: "bring the display into the overlay"
    case .dark: "more light is needed"
    }
  }
}

/// A reading of a display, as `--json` shows it.
public struct DisplayReadingDescription: Sendable, Encodable {
  /// A row.
  public struct Row: Sendable, Encodable {
    /// What it shows.
    public let role: String
    /// What holds.
    public let text: String
    /// What was read, where a person has put something else in its place.
    public let read: String?
  }

  /// A picture.
  public struct Picture: Sendable, Encodable {
    let contentType = "image/jpeg"
    let width: Int
    let height: Int
    let data: Data

    enum CodingKeys: String, CodingKey {
      case width, height, data
      case contentType = "content_type"
    }
  }

  let event = "reading"
  let id: String
  let peripheral: UInt32
  let unit: String?
  /// The rows from the top.
  public let rows: [Row]
  /// The values.
  public let values: [ReadingDescription.Value]
  let confidence: Double
  let held: Bool
  let photograph: Bool
  let time: String
  let crop: Picture

  /// Describes a reading.
  ///
  /// - Parameters:
  ///   - crop: As a JPEG file.
  ///   - microseconds: When a person says that it was measured.
  public init(_ reading: OCRReading, crop: [UInt8], measuredAt microseconds: Int64? = nil) {
    id = reading.id
    peripheral = reading.peripheralID
    unit = reading.unit.flatMap { MetricUnit.withCode($0)?.ucum }
    rows = reading.rows.map { row in
      Row(role: row.role.word, text: row.text, read: row.isCorrected ? row.readText : nil)
    }
    values = reading.records.flatMap(\.values).map { value in
      let number = ReportedNumber(mantissa: value.raw, exponent: value.exponent)
      var described = ReadingDescription.Value(RecordValue(metric: value.metric, unit: value.unit, number: number))
      if value.qualifier != .exact { described.qualifier = "\(value.qualifier)" }
      return described
    }
    confidence = reading.metadata.confidence
    held = reading.isHeld
    photograph = reading.metadata.isPhotograph
    time = CivilMoment(microseconds: microseconds ?? reading.metadata.moment.utcMicroseconds).text(.millionths) + "Z"
    self.crop = Picture(width: reading.crop.width, height: reading.crop.height, data: Data(crop))
  }

  /// One line for people.
  public var text: String { values.text }
}
