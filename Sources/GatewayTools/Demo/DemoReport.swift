import GatewayAPI

/// One reading as the demonstration's receiver has stored it.
package struct DemoReading: Sendable, Codable, Hashable {
  /// The meter's name.
  package var meter: String
  /// The metric's name on the wire.
  package var metric: String
  /// The number.
  package var value: Double
  /// The unit in UCUM.
  package var unit: String
  /// Start in UTC, RFC 3339.
  package var time: String
  /// The time on the meter's display; nil for a meter without a clock.
  package var civilTime: String?
  /// The client's id of the reading.
  package var logID: String
  /// The receiver's id of the reading.
  package var receiverID: String
  /// The revision that is stored.
  package var revision: Int

  enum CodingKeys: String, CodingKey {
    case meter, metric, value, unit, time, revision
    case civilTime = "civil_time"
    case logID = "log_id"
    case receiverID = "receiver_id"
  }

  /// The number without the ".0" of a whole one.
  package var valueText: String { ReadingDescription.number(value) }
}

/// What the demonstration found.
package struct DemoReport: Sendable {
  /// Everything that the receiver has stored, in the order of arrival.
  package var readings: [DemoReading]
  /// Meters that were read.
  package var meterCount: Int
  /// What is missing, doubled or different; empty when all is well.
  package var problems: [DemoProblem]
}

/// A reading that is not as it must be.
package struct DemoProblem: Sendable, Codable, Hashable {
  /// In which way it is wrong.
  package enum Kind: String, Sendable, Codable, Hashable {
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
  package var kind: Kind
  /// Which reading, and what is wrong with it.
  package var message: String
}
