/// What of health exports the session's user wants to have, as `--json` shows it.
public struct HealthSubscriptionDescription: Codable, Sendable, Hashable {
  /// A group of sample types that are subscribed to together.
  public struct Group: Codable, Sendable, Hashable {
    /// Its name, such as `routine`.
    public var name: String
    /// The types that belong to it, by HealthKit's names, or the host's own where HealthKit has none.
    public var types: [String]
    /// Whether it is subscribed to.
    public var isChosen: Bool

    enum CodingKeys: String, CodingKey {
      case name, types
      case isChosen = "chosen"
    }

    package init(name: String, types: [String], isChosen: Bool) {
      self.name = name
      self.types = types
      self.isChosen = isChosen
    }
  }

  /// All groups that there are.
  public var sets: [Group]
  /// Single types that are subscribed to.
  public var types: [String]
  /// Whether steps are delivered in parts of five minutes, too.
  public var processesIntraday: Bool

  enum CodingKeys: String, CodingKey {
    case sets, types
    case processesIntraday = "intraday"
  }

  package init(sets: [Group], types: [String], processesIntraday: Bool) {
    self.sets = sets
    self.types = types
    self.processesIntraday = processesIntraday
  }

  /// Whether nothing is subscribed to.
  public var isOff: Bool { types.isEmpty && !sets.contains(where: \.isChosen) }
}

/// What the session is subscribed to of health exports.
public struct HealthSubscriptionRequest: ControlRequest {
  /// All sets, and what is chosen.
  public typealias Answer = HealthSubscriptionDescription

  /// Its name on the socket.
  public static let name = "health.subscription"
  /// It changes nothing.
  public static let onlyLooks = true
  /// What changes nothing may be asked twice.
  public static let isRepeatable = true

  /// Asks.
  public init() {}
}

/// Chooses what of health exports the session's user has delivered, until the session ends.
public struct HealthSubscribeRequest: ControlRequest {
  /// What is chosen then.
  public typealias Answer = HealthSubscriptionDescription

  /// Its name on the socket.
  public static let name = "health.subscribe"
  /// The same choice twice is the same choice.
  public static let isRepeatable = true
  /// Subscription sets and sample types, in place of those before; none is off.
  public var sets: [String]
  /// Whether steps are wanted in parts of five minutes, too. Counts only together with the set `routine`.
  public var processesIntraday: Bool

  /// Chooses these.
  public init(_ sets: [String], processesIntraday: Bool = false) {
    self.sets = sets
    self.processesIntraday = processesIntraday
  }
}

extension HealthSubscribeRequest {
  enum CodingKeys: String, CodingKey {
    case sets
    case processesIntraday = "intraday"
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode([String].self, forKey: .sets),
      processesIntraday: try container.decode(.processesIntraday, else: false))
  }
}
