/// A recording as `--json` shows it; nothing of what the meter sent.
public struct RecordingDescription: Sendable, Codable, Hashable {
  /// Its name, or the file's path when it is none of this gateway's.
  public var name: String
  /// How many bytes the file has.
  public var size: Int
  /// Whether it stays until a person removes it.
  public var kept: Bool
  /// `session` or `capture`; nil, as all below, when the file cannot be read.
  public var origin: String?
  /// When it was written, ISO 8601 in UTC; nil when the gateway did not know the date.
  public var created: String?
  /// The driver's id.
  public var driver: String?
  /// The version of the driver that ran.
  public var version: String?
  /// The bundle's file name.
  public var bundle: String?
  /// SHA-256 of the bundle in hexadecimal.
  public var sha256: String?
  /// The id of the catalogue's entry that the meter was read as.
  public var peripheral: UInt32?
  /// The version of the MeterHost that wrote it.
  public var host: String?
  /// How the session ended: `orderly`, or with a `fault` of the driver.
  public var end: String?
  /// The fault's code; nil for an orderly end.
  public var fault: String?
  /// How many events the driver was handed.
  public var events: UInt32?
  /// Whether something was left out.
  public var truncated: Bool?

  package init(
    name: String, size: Int, kept: Bool, origin: String? = nil, created: String? = nil, driver: String? = nil,
    version: String? = nil, bundle: String? = nil, sha256: String? = nil, peripheral: UInt32? = nil,
    host: String? = nil, end: String? = nil, fault: String? = nil, events: UInt32? = nil, truncated: Bool? = nil
  ) {
    self.name = name
    self.size = size
    self.kept = kept
    self.origin = origin
    self.created = created
    self.driver = driver
    self.version = version
    self.bundle = bundle
    self.sha256 = sha256
    self.peripheral = peripheral
    self.host = host
    self.end = end
    self.fault = fault
    self.events = events
    self.truncated = truncated
  }
}

/// A recording that was opened, without what the meter sent.
public struct RecordingContentDescription: Sendable, Codable, Hashable {
  /// What stands in its head.
  public var recording: RecordingDescription
  /// Who can open it: `vault`, `support`.
  public var keys: [String]
  /// Fingerprints of the support keys that open it.
  public var supportKeys: [String]
  /// Whether it could be opened here.
  public var opened: Bool
  /// Why it could not be opened, for people; nil when it was.
  public var problem: String?
  /// How many events there are of each kind, by its name; nil, as all below, unless it was opened.
  public var facts: [String: Int]?
  /// How many records came out.
  public var records: Int?
  /// How many answers the driver got of its services.
  public var answers: Int?
  /// How long it took from the first event to the last, in seconds.
  public var seconds: Double?
  /// The fault in words; nil for none.
  public var fault: String?

  enum CodingKeys: String, CodingKey {
    case recording, keys, opened, problem, facts, records, answers, seconds, fault
    case supportKeys = "support_keys"
  }

  package init(
    recording: RecordingDescription, keys: [String], supportKeys: [String], opened: Bool, problem: String? = nil,
    facts: [String: Int]? = nil, records: Int? = nil, answers: Int? = nil, seconds: Double? = nil, fault: String? = nil
  ) {
    self.recording = recording
    self.keys = keys
    self.supportKeys = supportKeys
    self.opened = opened
    self.problem = problem
    self.facts = facts
    self.records = records
    self.answers = answers
    self.seconds = seconds
    self.fault = fault
  }
}
