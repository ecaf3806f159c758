public import MeterCore

/// One line of the queue as `--json` shows it.
public struct QueueItem: Sendable, Codable, Hashable {
  /// Its place in the queue, which `--after` takes; 0 after delivery.
  public var position: Int64
  /// The reading's id, a UUID that is the same everywhere.
  public var logID: String
  /// What the queue's commands take: the id, with a number behind it for a reading that came under another one's.
  public var name: String
  /// Which content of the reading it is: 1, and one more with each change.
  public var revision: Int
  /// The name of the receiver that it is meant for.
  public var sink: String
  /// `pending`, `in_flight`, `delivered`, `held`, `dead` or `excluded`.
  public var state: String
  /// Why it is held, dead or excluded, as a stable word; else nil.
  public var reason: String?
  /// How often it was tried.
  public var attempts: Int
  /// What the last try failed with, for people; nil: none has.
  public var lastError: String?
  /// The receiver's own id of it, after delivery, where the receiver gave one.
  public var receiverID: String?
  /// What an acknowledgement of its receiver means: `disk`, `receiver`, `broker` or `endpoint`; nil where nobody knows.
  public var acknowledgement: String?
  /// Of a delivered reading whose content stays for a time, until when, RFC 3339 in UTC; until then `queue resubmit` sends it again.
  public var keptUntil: String?
  /// The reading; nil after delivery, when only its trace is kept.
  public var reading: ReadingDescription?

  enum CodingKeys: String, CodingKey {
    case position, name, revision, sink, state, reason, attempts, acknowledgement, reading
    case logID = "log_id"
    case lastError = "last_error"
    case receiverID = "receiver_id"
    case keptUntil = "kept_until"
  }

  package init(
    position: Int64, logID: String, name: String, revision: Int, sink: String, state: String, reason: String? = nil,
    attempts: Int, lastError: String? = nil, receiverID: String? = nil, acknowledgement: String? = nil,
    keptUntil: String? = nil, reading: ReadingDescription? = nil
  ) {
    self.position = position
    self.logID = logID
    self.name = name
    self.revision = revision
    self.sink = sink
    self.state = state
    self.reason = reason
    self.attempts = attempts
    self.lastError = lastError
    self.receiverID = receiverID
    self.acknowledgement = acknowledgement
    self.keptUntil = keptUntil
    self.reading = reading
  }
}

extension DeliveryState {
  /// The state as `--json` writes it.
  public var word: String { self == .inFlight ? "in_flight" : rawValue }
}

extension QueueItem {
  /// Whether the reading is delivered, and in whose hands it is then.
  public var stateText: String {
    guard state == DeliveryState.delivered.word else { return reason.map { "\(state): \($0)" } ?? state }
    return acknowledgement.flatMap(Acknowledgement.init(rawValue:)).map { "\(state): \($0.text)" } ?? state
  }
}
