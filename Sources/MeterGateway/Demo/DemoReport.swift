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
  public var problems: [String]
}

/// A reading that the receiver must hold, from the vectors and not from the decoder.
struct ExpectedReading: Sendable, Decodable, Hashable {
  var meter: String
  var metric: String
  var value: Double
  var unit: String
  var civilTime: String?
  var vector: String

  enum CodingKeys: String, CodingKey {
    case meter, metric, value, unit, vector
    case civilTime = "civil_time"
  }

  /// Whether a stored reading is this one.
  func matches(_ reading: DemoReading) -> Bool {
    meter == reading.meter && metric == reading.metric && unit == reading.unit && abs(value - reading.value) < 1e-9
      && (civilTime == nil || civilTime == reading.civilTime)
  }

  var text: String {
    "\(meter): \(metric) \(ReadingDescription.number(value)) \(unit) at \(civilTime ?? "any time") (\(vector))"
  }
}

/// Which meters the demonstration reads and what must come of it.
struct DemoPlan: Sendable, Decodable {
  var meters: [String]
  var readings: [ExpectedReading]

  /// Compares what is stored with what must be: each expected reading once, and nothing else.
  func problems(in stored: [DemoReading]) -> [String] {
    var unclaimed = stored
    var problems: [String] = []
    for expected in readings {
      if let index = unclaimed.firstIndex(where: expected.matches) {
        unclaimed.remove(at: index)
      } else {
        problems.append("missing: \(expected.text)")
      }
    }
    for reading in unclaimed {
      let kind = readings.contains { $0.matches(reading) } ? "doubled" : "unexpected"
      problems.append(
        "\(kind): \(reading.meter): \(reading.metric) \(reading.valueText) \(reading.unit) (\(reading.logID))")
    }
    return problems
  }
}
