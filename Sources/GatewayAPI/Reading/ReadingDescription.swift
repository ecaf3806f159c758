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

    package init(
      metric: String, value: Double, reported: String, unit: String, qualifier: String? = nil, word: String? = nil
    ) {
      self.metric = metric
      self.value = value
      self.reported = reported
      self.unit = unit
      self.qualifier = qualifier
      self.word = word
    }
  }

  /// A text of the reading.
  public struct Note: Sendable, Codable, Hashable {
    /// What it is about, such as `note` or `meal`.
    public var field: String
    /// The text.
    public var text: String

    package init(field: String, text: String) {
      self.field = field
      self.text = text
    }
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

  package init(
    logID: String, revision: Int, type: String, time: String, end: String? = nil, civilTime: String? = nil,
    zoneSource: String? = nil, sequence: UInt64? = nil, values: [Value], notes: [Note]? = nil, flags: [String]? = nil,
    details: ReadingDetails? = nil, model: String? = nil, peripheral: Int, state: String, reason: String? = nil
  ) {
    self.logID = logID
    self.revision = revision
    self.type = type
    self.time = time
    self.end = end
    self.civilTime = civilTime
    self.zoneSource = zoneSource
    self.sequence = sequence
    self.values = values
    self.notes = notes
    self.flags = flags
    self.details = details
    self.model = model
    self.peripheral = peripheral
    self.state = state
    self.reason = reason
  }
}
