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

  /// A text of the reading.
  public struct Note: Sendable, Codable, Hashable {
    /// What it is about, such as `note` or `meal`.
    public var field: String
    /// The text.
    public var text: String
  }

  /// The reading's id, the same everywhere.
  public var logID: String
  /// Rises when the content changes.
  public var revision: Int
  /// biometrics, diabetes ...
  public var type: String
  /// RFC 3339 in UTC.
  public var time: String
  /// The end of an interval, RFC 3339 in UTC; nil for a moment.
  public var end: String?
  /// The meter's civil time.
  public var civilTime: String?
  /// Where the time zone comes from.
  public var zoneSource: String?
  /// The meter's sequence number.
  public var sequence: UInt64?
  /// The values.
  public var values: [Value]
  /// Its texts; nil for none.
  public var notes: [Note]?
  /// Marks such as `control` or `clock_suspect`; nil for none.
  public var flags: [String]?
  /// Parts, series, tags and extras; nil for none.
  public var details: ReadingDetails?
  /// The meter's model.
  public var model: String?
  /// The peripheral that was read.
  public var peripheral: Int
  /// pending, held or excluded.
  public var state: String
  /// Why it is held or excluded.
  public var reason: String?

  enum CodingKeys: String, CodingKey {
    case revision, type, time, end, sequence, values, notes, flags, details, model, peripheral, state, reason
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
  ///
  /// - Parameter isWhole: Every value of its series, too, which a list of readings leaves out.
  public init(_ record: Record, state: String, reason: String?, isWhole: Bool = false) {
    self.state = state
    self.reason = reason
    logID = "\(record.logID)"
    revision = record.revision
    type = record.type.rawValue
    time = utcText(record.time.startMicroseconds)
    end = record.time.endMicroseconds == record.time.startMicroseconds ? nil : utcText(record.time.endMicroseconds)
    civilTime = record.time.civilMicroseconds.map { CivilMoment(microseconds: $0).text(.millionths) }
    zoneSource = record.time.zoneSource?.rawValue
    sequence = record.deviceSequence
    values = record.values.map(Value.init)
    let notes = record.notes.map { note in
      Note(field: Metric.withCode(note.field)?.name ?? "field-\(note.field)", text: note.text)
    }
    self.notes = notes.isEmpty ? nil : notes
    flags = record.flags.words
    details = ReadingDetails(record.details, isWhole: isWhole)
    model = record.source.model
    peripheral = record.source.peripheralID
  }
}

extension ReadingDescription.Value {
  /// Describes a value of a record.
  public init(_ value: RecordValue) {
    self.init(
      metric: value.metricName, value: value.number.doubleValue, reported: value.number.description, unit: value.ucum,
      qualifier: value.qualifier == .exact ? nil : value.qualifier.rawValue, word: value.word)
  }
}

extension RecordFlags {
  /// The marks by their names; nil for none.
  fileprivate var words: [String]? {
    let names: [(RecordFlags, String)] = [
      (.control, "control"), (.clockSuspect, "clock_suspect"), (.identitySuspect, "identity_suspect"),
      (.takenBack, "taken_back"),
    ]
    let words = names.filter { contains($0.0) }.map(\.1)
    return words.isEmpty ? nil : words
  }
}
