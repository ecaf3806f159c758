import Foundation
import HostPrimitives
public import MeterCore

/// A reading as `--json` shows it. Access tokens never stand in one.
public struct ReadingDescription: Sendable, Codable, Hashable {
  /// One value.
  public struct Value: Sendable, Codable, Hashable {
    /// The metric's name in the dictionary.
    public var metric: String
    /// The number.
    public var value: Double
    /// The number with exactly the digits that were reported, which a JSON number cannot be relied on to keep: `6.20`.
    public var reported: String
    /// The unit in UCUM.
    public var unit: String
    /// above, below, questionable; nil for an exact value.
    public var qualifier: String?
    /// The word for a coded value.
    public var word: String?
  }

  /// The reading's id, the same everywhere.
  public var logID: String
  /// Rises when the content changes.
  public var revision: Int
  /// biometrics, diabetes ...
  public var type: String
  /// RFC 3339 in UTC.
  public var time: String
  /// The meter's civil time.
  public var civilTime: String?
  /// Where the time zone comes from.
  public var zoneSource: String?
  /// The meter's sequence number.
  public var sequence: UInt64?
  /// The values.
  public var values: [Value]
  /// The meter's model.
  public var model: String?
  /// The peripheral that was read.
  public var peripheral: Int
  /// pending, held or excluded.
  public var state: String
  /// Why it is held or excluded.
  public var reason: String?

  enum CodingKeys: String, CodingKey {
    case revision, type, time, sequence, values, model, peripheral, state, reason
    case logID = "log_id"
    case civilTime = "civil_time"
    case zoneSource = "zone_source"
  }

  /// Describes a committed reading.
  public init(_ committed: CommitRecord) {
    switch committed.disposition {
    case .pending: self.init(committed.record, state: "pending", reason: nil)
    case .held(let why): self.init(committed.record, state: "held", reason: why.rawValue)
    case .excluded(let why): self.init(committed.record, state: "excluded", reason: why.rawValue)
    }
  }

  /// Describes a reading in a state of the queue.
  public init(_ record: Record, state: String, reason: String?) {
    self.state = state
    self.reason = reason
    logID = "\(record.logID)"
    revision = record.revision
    type = record.type.rawValue
    time = CivilMoment(microseconds: record.time.startMicroseconds).text(.millionths) + "Z"
    civilTime = record.time.civilMicroseconds.map { CivilMoment(microseconds: $0).text(.millionths) }
    zoneSource = record.time.zoneSource?.rawValue
    sequence = record.deviceSequence
    values = record.values.map { value in
      Value(
        metric: value.metricName, value: value.number.doubleValue, reported: value.number.description, unit: value.ucum,
        qualifier: value.qualifier == .exact ? nil : value.qualifier.rawValue, word: value.word)
    }
    model = record.source.model
    peripheral = record.source.peripheralID
  }

  /// The primary value and its time.
  public var summary: String {
    let main = values.first.map { "\($0.metric) \($0.reported) \($0.word ?? $0.unit)" } ?? type
    return "\(civilTime ?? time)  \(main)"
  }

  /// One line for people: the primary value, its time, and why it is not delivered.
  public var text: String { summary + (state == "pending" ? "" : "  (\(state): \(reason ?? "no reason"))") }

  /// Without the ".0" of a whole number.
  static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
  }
}
