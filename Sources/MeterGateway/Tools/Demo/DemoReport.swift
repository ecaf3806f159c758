/// One reading as the demonstration's receiver has stored it.
public struct DemoReading: Sendable, Codable, Hashable {
  /// The meter's name.
  public var meter: String
  /// The metric's name on the wire.
  public var metric: String
  /// The number.
  public var value: Double
  /// The unit in UCUM.
  public var unit: String
  /// Start in UTC, RFC 3339.
  public var time: String
  /// The time on the meter's display; nil for a meter without a clock.
  public var civilTime: String?
  /// The client's id of the reading.
  public var logID: String
  /// The receiver's id of the reading.
  public var receiverID: String
  /// The revision that is stored.
  public var revision: Int

  enum CodingKeys: String, CodingKey {
    case meter, metric, value, unit, time, revision
    case civilTime = "civil_time"
    case logID = "log_id"
    case receiverID = "receiver_id"
  }

  /// The number without the ".0" of a whole one.
  public var valueText: String { ReadingDescription.number(value) }
}

/// What the demonstration found.
public struct DemoReport: Sendable {
  /// Everything that the receiver has stored, in the order of arrival.
  public var readings: [DemoReading]
  /// Meters that were read.
  public var meterCount: Int
  /// What is missing, doubled or different; empty when all is well.
  public var problems: [DemoProblem]
}

/// A reading that is not as it must be.
public struct DemoProblem: Sendable, Codable, Hashable {
  /// In which way it is wrong.
  public enum Kind: String, Sendable, Codable, Hashable {
    /// It is expected and not stored.
    case missing
    /// It is stored once more than it should be.
    case doubled
    /// It is stored with another value, unit or time than expected.
    case different
    /// It is stored and nobody expects it.
    case unexpected
  }

  /// In which way it is wrong.
  public var kind: Kind
  /// Which reading, and what is wrong with it.
  public var message: String
}
