/// What a support file tells of a state folder: numbers, and what has to be taken out of everything else.
public struct SupportState: Sendable, Codable, Hashable {
  /// Whether there is a session.
  public var hasSession: Bool
  /// Whether the receiver has accepted its token.
  public var isValidated: Bool
  /// How many further receivers it has.
  public var sinks: Int
  /// How many readings there are in each state of the queue.
  public var queue: [String: Int]
  /// How much the queue holds and may hold.
  public var limits: QueueLimitsDescription
  /// How often each event is among the last thousand, by its name.
  public var events: [String: Int]
  /// How many keys and licences are stored.
  public var credentials: Int
  /// Paired meters; in the file only when they were asked for.
  public var meters: [PairedDescription]
  /// Texts that belong to people; never in the file.
  package var privateTexts: [String]

  enum CodingKeys: String, CodingKey {
    case sinks, queue, limits, events, credentials, meters
    case hasSession = "has_session"
    case isValidated = "validated"
    case privateTexts = "private_texts"
  }

  package init(
    hasSession: Bool, isValidated: Bool, sinks: Int, queue: [String: Int], limits: QueueLimitsDescription,
    events: [String: Int], credentials: Int, meters: [PairedDescription], privateTexts: [String]
  ) {
    self.hasSession = hasSession
    self.isValidated = isValidated
    self.sinks = sinks
    self.queue = queue
    self.limits = limits
    self.events = events
    self.credentials = credentials
    self.meters = meters
    self.privateTexts = privateTexts
  }
}

/// What a support file tells of the state folder.
public struct SupportStateRequest: ControlRequest {
  /// Its numbers, and what is private.
  public typealias Answer = SupportState

  /// Its name on the socket.
  public static let name = "support.state"
  /// It changes nothing.
  public static let onlyLooks = true
  /// What changes nothing may be asked twice.
  public static let isRepeatable = true

  /// Asks for it.
  public init() {}
}
