/// How a reading ended.
public enum ReadingOutcome: Sendable {
  /// The display was read with certainty.
  case completed(FinishedReading)
  /// Somebody gave it up.
  case cancelled
  /// It was not read.
  case failed(DeskError)
}

/// What was read, for a person to look at before it counts.
public struct FinishedReading: Sendable {
  /// One row of the display.
  public struct Row: Sendable, Hashable {
    /// What the row shows, such as `Systolic`.
    public let label: String
    /// The text that was read.
    public let text: String
    /// The unit of its value; empty when it has none.
    public let unit: String
    /// Whether the display may leave it empty.
    public let isOptional: Bool

    /// A row with this text.
    public init(label: String, text: String, unit: String, isOptional: Bool = false) {
      self.label = label
      self.text = text
      self.unit = unit
      self.isOptional = isOptional
    }
  }

  /// The values that the rows mean.
  public let values: [DeskValue]
  /// The rows of the display from the top.
  public let rows: [Row]
  /// The display cut out of the frame, as a JPEG file.
  public let crop: [UInt8]

  /// A reading with these values.
  public init(values: [DeskValue], rows: [Row], crop: [UInt8]) {
    self.values = values
    self.rows = rows
    self.crop = crop
  }
}

/// A value of a reading, written for a person.
public struct DeskValue: Sendable, Hashable, Codable {
  /// Such as `Systolic`.
  public let name: String
  /// Such as `120`.
  public let text: String
  /// Such as `mmHg`; empty when it has none.
  public let unit: String

  /// A value of this name.
  public init(name: String, text: String, unit: String) {
    self.name = name
    self.text = text
    self.unit = unit
  }
}

/// What the texts of a display's rows mean.
public enum RowCheck: Sendable, Hashable {
  /// A reading with these values.
  case values([DeskValue])
  /// No reading.
  case problems([RowProblem])
}

/// Why a text is not accepted.
public struct RowProblem: Sendable, Hashable, Codable {
  /// The row, counted from 0; nil when it is about all of them together.
  public let row: Int?
  /// What is wrong and what would be right.
  public let message: String

  /// A problem of a row.
  public init(row: Int?, message: String) {
    self.row = row
    self.message = message
  }
}
