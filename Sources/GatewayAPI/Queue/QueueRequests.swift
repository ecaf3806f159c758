public import MeterCore

/// A page of the queue.
public struct QueueListRequest: ControlRequest {
  /// What the page holds.
  public struct Answer: Codable, Sendable {
    /// The entries, oldest first unless the newest were asked for.
    public var items: [QueueItem]
    /// Whether deliveries are paused.
    public var paused: Bool
    /// How much the queue holds and may hold.
    public var limits: QueueLimitsDescription
    /// The receivers to which nothing is sent for a while; nil for none.
    public var waits: [SinkWaitDescription]?

    package init(
      items: [QueueItem], paused: Bool, limits: QueueLimitsDescription, waits: [SinkWaitDescription]? = nil
    ) {
      self.items = items
      self.paused = paused
      self.limits = limits
      self.waits = waits
    }
  }

  /// Its name on the socket.
  public static let name = "queue.list"
  /// It changes nothing.
  public static let onlyLooks = true
  /// Only these states; all when empty.
  public var states: [DeliveryState]
  /// Only entries behind this position.
  public var after: Int64
  /// Only entries in front of this position, the newest first; nil: the oldest first, from `after` on.
  public var before: Int64?
  /// How many entries the page has at most: 1 to ``longest``.
  public var limit: Int
  /// Whether what was read without a session is listed, instead of the session's own.
  public var isOfDefaultUser: Bool

  /// A page's longest length: a longer list is asked for in parts.
  public static let longest = 1_000

  /// Asks for a page.
  public init(
    states: [DeliveryState] = [], after: Int64 = 0, limit: Int = longest, isOfDefaultUser: Bool = false
  ) {
    self.isOfDefaultUser = isOfDefaultUser
    self.states = states
    self.after = after
    self.limit = limit
  }

  /// Asks for the newest entries in front of a position; `Int64.max` begins with the newest of all.
  public init(states: [DeliveryState] = [], before: Int64, limit: Int = longest) {
    self.init(states: states, limit: limit)
    self.before = before
  }
}

/// Where one reading's delivery stands.
public struct QueueShowRequest: ControlRequest {
  /// Its deliveries, one for each receiver; none where it is not known.
  public typealias Answer = [QueueItem]

  /// Its name on the socket.
  public static let name = "queue.show"
  /// It changes nothing.
  public static let onlyLooks = true
  /// Which reading, by the name that the queue shows; without a number, all that came under its log_id.
  public var reading: QueueName

  /// Asks about a reading, and those that came under its log_id.
  public init(_ reading: QueueName) { self.reading = reading }
}

/// What a person decides about readings that wait.
public struct QueueDecisionRequest: ControlRequest {
  /// What is decided.
  public enum Decision: String, Codable, Sendable, CaseIterable {
    /// Deliver what was held.
    case confirm
    /// Send again what was refused.
    case resubmit
    /// Throw away, what would be delivered excepted.
    case discard
    /// Throw away, also what would be delivered.
    case discardPending = "discard_pending"
  }

  /// A reading for which it could be done.
  public struct Done: Codable, Sendable, Hashable {
    /// How it was asked for.
    public var reading: QueueName
    /// Its log_id, which is a new one for a reading that came under the log_id of another and is delivered now.
    public var logID: LogID

    package init(reading: QueueName, logID: LogID) {
      self.reading = reading
      self.logID = logID
    }
  }

  /// The readings for which it could be done.
  public typealias Answer = [Done]

  /// Its name on the socket.
  public static let name = "queue.decide"
  /// What becomes of the readings.
  public var decision: Decision
  /// Which readings, by the names that the queue shows.
  public var readings: [QueueName]
  /// What a person was shown who decides: with a reading that has another revision by now nothing is done. Nil: whatever waits.
  public var revision: Int?

  /// Decides about readings.
  public init(_ decision: Decision, _ readings: Set<QueueName>, revision: Int? = nil) {
    self.decision = decision
    self.readings = Array(readings)
    self.revision = revision
  }
}

/// Pauses or resumes deliveries.
public struct QueuePauseRequest: ControlRequest {
  /// Whether nothing is sent from now on.
  public typealias Answer = Bool

  /// Its name on the socket.
  public static let name = "queue.pause"
  /// Whether nothing is to be sent.
  public var paused: Bool

  /// Pauses or resumes.
  public init(paused: Bool) { self.paused = paused }
}

/// Sends what waits for a later attempt.
public struct QueueFlushRequest: ControlRequest {
  /// How many deliveries are left.
  public typealias Answer = Int

  /// Its name on the socket.
  public static let name = "queue.flush"
  /// Whether what has to wait goes on waiting, as where a receiver has asked for it.
  public var respectsWaits: Bool

  /// Sends everything that can be sent.
  public init(respectsWaits: Bool = false) { self.respectsWaits = respectsWaits }
}

extension QueueListRequest {
  /// A state as the queue shows it.
  private struct State: RawRepresentable, CaseIterable {
    static var allCases: [State] { DeliveryState.allCases.map(State.init) }
    let state: DeliveryState
    var rawValue: String { state.word }

    init(_ state: DeliveryState) { self.state = state }

    init?(rawValue: String) {
      guard let state = DeliveryState.allCases.first(where: { $0.word == rawValue }) else { return nil }
      self.state = state
    }
  }

  private enum CodingKeys: String, CodingKey {
    case states, after, before, limit
    case isOfDefaultUser = "of_default_user"
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let states: [State]? = try container.words(.states)
    self.init(
      states: (states ?? []).map(\.state), after: try container.decode(.after, else: 0),
      limit: try container.decode(.limit, else: Self.longest),
      isOfDefaultUser: try container.decode(.isOfDefaultUser, else: false))
    before = try container.decodeIfPresent(Int64.self, forKey: .before)
  }

  /// Writes it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(states.map { RequestWord(State($0)) }, forKey: .states)
    try container.encode(after, forKey: .after)
    try container.encodeIfPresent(before, forKey: .before)
    try container.encode(limit, forKey: .limit)
    try container.encode(isOfDefaultUser, forKey: .isOfDefaultUser)
  }
}

extension QueueDecisionRequest {
  enum CodingKeys: String, CodingKey { case decision, readings, revision }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    decision = try container.word(.decision)
    readings = try container.decode([QueueName].self, forKey: .readings)
    revision = try container.decodeIfPresent(Int.self, forKey: .revision)
  }
}

extension QueueDecisionRequest.Done {
  enum CodingKeys: String, CodingKey {
    case reading
    case logID = "log_id"
  }
}

extension QueueFlushRequest {
  enum CodingKeys: String, CodingKey { case respectsWaits = "respects_waits" }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(respectsWaits: try container.decode(.respectsWaits, else: false))
  }
}
