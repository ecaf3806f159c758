import MeterCore

/// A receiver of the session, as `--json` shows it.
public struct SinkDescription: Sendable, Codable, Hashable {
  /// What its last attempt that failed came to.
  public struct Failure: Sendable, Codable, Hashable {
    /// When it failed, RFC 3339 in UTC.
    public var time: String
    /// What it came to, for people.
    public var text: String

    package init(time: String, text: String) { (self.time, self.text) = (time, text) }
  }

  /// What the queue, events and commands call it.
  public var name: String
  /// What it is to the session: `session` for its own receiver, `further` for others.
  public var role: String
  /// Its kind, such as `inform` or `file`.
  public var kind: String
  /// Where readings go: an address, a folder.
  public var receiver: String
  /// The wire format, of kinds that have several.
  public var format: String?
  /// What it says of its token: `validated`, `not_yet` or `refused`; `none` for one that has no token.
  public var token: String
  /// Whether a person has paused it.
  public var paused: Bool
  /// What it means that it acknowledges a reading: `disk`, `receiver`, `broker` or `endpoint`; nil from a host of an earlier version.
  public var acknowledgement: String?
  /// How many seconds the content of a reading stays here after that, unless another receiver's word lets it go; nil: it goes at once.
  public var keepsContent: Int?

  enum CodingKeys: String, CodingKey {
    case name, role, kind, receiver, format, token, paused, acknowledgement
    case keepsContent = "keeps_content"
  }

  package init(
    name: String, role: String, kind: String, receiver: String, format: String?, token: String, paused: Bool,
    acknowledgement: String? = nil, keepsContent: Int? = nil
  ) {
    (self.name, self.role, self.kind, self.receiver) = (name, role, kind, receiver)
    (self.format, self.token, self.paused) = (format, token, paused)
    (self.acknowledgement, self.keepsContent) = (acknowledgement, keepsContent)
  }

  /// What an acknowledgement means, for people: `the broker has it`. A word that is not known stands for itself.
  public var acknowledgementText: String? {
    acknowledgement.map { Acknowledgement(rawValue: $0)?.text ?? $0 }
  }
}

/// A receiver with all that is known of it, as `--json` shows it.
public struct SinkReport: Sendable, Codable, Hashable {
  /// What lists show of the receiver.
  public var sink: SinkDescription
  /// Its setting; it holds no secret.
  public var setting: [String: SettingValue]
  /// How many deliveries are in which state there: `pending`, `held`, `dead` and so on.
  public var queue: [String: Int]
  /// For how long nothing is sent there, and why; nil when nothing is waited for.
  public var wait: SinkWaitDescription?
  /// When it has last accepted a reading, RFC 3339 in UTC; nil: never.
  public var lastSuccess: String?
  /// What the last attempt that failed came to; nil: none has.
  public var lastError: SinkDescription.Failure?
  /// How many seconds its clock is ahead of this machine's; nil when nothing is known.
  public var clockSkew: Int?

  enum CodingKeys: String, CodingKey {
    case sink, setting, queue, wait
    case lastSuccess = "last_success"
    case lastError = "last_error"
    case clockSkew = "clock_skew"
  }

  package init(
    sink: SinkDescription, setting: [String: SettingValue], queue: [String: Int], wait: SinkWaitDescription?,
    lastSuccess: String?, lastError: SinkDescription.Failure?, clockSkew: Int?
  ) {
    (self.sink, self.setting, self.queue, self.wait) = (sink, setting, queue, wait)
    (self.lastSuccess, self.lastError, self.clockSkew) = (lastSuccess, lastError, clockSkew)
  }
}

/// A kind of receiver, as `--json` shows it.
public struct SinkKindDescription: Sendable, Codable, Hashable {
  /// One member of a setting.
  public struct Member: Sendable, Codable, Hashable {
    /// The member's key in the setting's JSON.
    public var name: String
    /// What its value is: `text`, `path`, `number` or `word`.
    public var form: String
    /// Of the form `word`, what may be written there; nil for the other forms.
    public var words: [String]?
    /// Whether a setting without it is none.
    public var required: Bool
    /// What it says, for people.
    public var help: String

    package init(name: String, form: String, words: [String]?, required: Bool, help: String) {
      (self.name, self.form, self.words, self.required, self.help) = (name, form, words, required, help)
    }
  }

  /// What `sink add --kind` takes.
  public var kind: String
  /// What it does with readings, for people.
  public var summary: String
  /// Whether it wants a token: `required`, `optional` or `none`.
  public var token: String
  /// What a setting of this kind may say.
  public var members: [Member]
  /// True for a kind whose receivers say whose readings they would take them for, which a person confirms (``SinkSubjectRequest``).
  public var confirms: Bool?

  package init(kind: String, summary: String, token: String, members: [Member], confirms: Bool? = nil) {
    (self.kind, self.summary, self.token, self.members, self.confirms) = (kind, summary, token, members, confirms)
  }
}
