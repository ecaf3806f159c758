/// A reading as `--json` shows it. Access tokens never stand in one.
public struct ReadingDescription: Sendable, Codable, Hashable {
  /// What was measured, or a fact about it: a number with its unit, or a word.
  public struct Value: Sendable, Codable, Hashable {
    /// The metric's name in the dictionary.
    public var metric: String
    /// The double nearest to the number that was reported, to compute with.
    public var value: Double
    /// The number with exactly the digits that were reported, which a JSON number cannot be relied on to keep: `6.20`.
    public var reported: String
    /// The unit in UCUM; `1` where there is none.
    public var unit: String
    /// `above`, `below` or `questionable`; nil for an exact value.
    public var qualifier: String?
    /// The dictionary's word for a coded value, such as `fasting`; nil for quantities and codes that it does not know.
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
    /// What the meter, a person or an export says.
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
  /// `biometrics`, `diabetes`, `weight`, `routine`, `nutrition`, `fitness`, `sleep`, `intraday` or `cgm`.
  public var type: String
  /// When it was measured or began, RFC 3339 in UTC.
  public var time: String
  /// The end of an interval, RFC 3339 in UTC; nil for a moment.
  public var end: String?
  /// What the meter's or the person's clock showed then, ISO 8601 without a zone; nil where none did.
  public var civilTime: String?
  /// Who gave the offset of that clock: the `meter`, the `gateway` or the `user`; nil without an offset.
  public var zoneSource: String?
  /// The number under which the meter keeps it; nil when it gave none.
  public var sequence: UInt64?
  /// What was measured, and the facts about it, in the order of the record.
  public var values: [Value]
  /// Its texts; nil for none.
  public var notes: [Note]?
  /// Marks such as `control` or `clock_suspect`; nil for none.
  public var flags: [String]?
  /// Parts, series, tags and extras; nil for none.
  public var details: ReadingDetails?
  /// The model as the meter or the registry names it; nil where neither does.
  public var model: String?
  /// The id of the catalogue's entry that was read.
  public var peripheral: Int
  /// `pending`, `held` or `excluded`; in the queue also `in_flight`, `delivered` or `dead`.
  public var state: String
  /// Why it is held, excluded or dead, as a stable word; else nil.
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
