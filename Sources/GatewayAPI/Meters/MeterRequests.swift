/// The meters that this gateway knows.
public struct MetersListRequest: ControlRequest {
  /// All that is known of each of them.
  public typealias Answer = [KnownMeterDescription]

  /// Its name on the socket.
  public static let name = "meters.list"
  /// It changes nothing.
  public static let onlyLooks = true
  /// What changes nothing may be asked twice.
  public static let isRepeatable = true
  /// Only those that are paired.
  public var isPaired: Bool

  /// Asks for the list.
  public init(paired isPaired: Bool = false) { self.isPaired = isPaired }
}

/// Forgets a meter: its bond, its keys, its pairing and its settings.
public struct MetersForgetRequest: ControlRequest {
  /// What was known of it.
  public typealias Answer = KnownMeterDescription

  /// Its name on the socket.
  public static let name = "meters.forget"
  /// The meter's stable UUID as it was typed.
  public var meter: String
  /// The radio whose bond is to be forgotten.
  public var radio: RadioChoice

  /// Forgets a meter.
  public init(_ meter: String, radio: RadioChoice = RadioChoice()) {
    self.meter = meter
    self.radio = radio
  }
}

/// Assigns a meter to the session's user without a read, or to nobody.
public struct MetersAssignRequest: ControlRequest {
  /// The meter as it is then.
  public typealias Answer = KnownMeterDescription

  /// Its name on the socket.
  public static let name = "meters.assign"
  /// The meter's stable UUID as it was typed.
  public var meter: String
  /// The meter's user slot that is meant; nil: the whole meter.
  public var slot: UInt16?
  /// What the meter measured before is the user's, too.
  public var takesHistory = false
  /// End whose it is, or whose the slot is.
  public var toNobody = false
  /// Vouch for the host's clock, which may not be synchronised.
  public var trustsClock = false

  /// Assigns a meter to the session's user.
  public init(_ meter: String) { self.meter = meter }
}

/// Changes what is set for a meter.
public struct MetersSetRequest: ControlRequest {
  /// Which catalogue entry a meter is read as.
  public enum Choice: Sendable, Hashable {
    /// What its rules say.
    case none
    /// The entry with this id, where the rules fit several.
    case peripheral(UInt32)
  }

  /// The meter as it is then.
  public typealias Answer = KnownMeterDescription

  /// Its name on the socket.
  public static let name = "meters.set"
  /// The same settings twice are the same settings.
  public static let isRepeatable = true
  /// The meter's stable UUID as it was typed.
  public var meter: String
  /// Whether reads set its clock; nil leaves it.
  public var syncsClock: Bool?
  /// How long a passive read ignores it after it has stopped advertising, in seconds; nil leaves it.
  public var holdOffSeconds: Int?
  /// Whether the scale weighs infants, pets or things as well; nil leaves it.
  public var weighsAnybody: Bool?
  /// Whether several people stand on a scale that does not know them; nil leaves it.
  public var isShared: Bool?
  /// After how many seconds passive reading reads it again while it goes on advertising, 0 for never; nil leaves it.
  public var readAgainSeconds: Int?
  /// The catalogue entry to read it as; nil leaves it.
  public var choice: Choice?

  /// Changes nothing yet.
  public init(_ meter: String) { self.meter = meter }
}

extension MetersListRequest {
  enum CodingKeys: String, CodingKey { case isPaired = "paired" }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(paired: try container.decode(.isPaired, else: false))
  }
}

extension MetersForgetRequest {
  enum CodingKeys: String, CodingKey { case meter, radio }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(String.self, forKey: .meter), radio: try container.decode(.radio, else: RadioChoice()))
  }
}

extension MetersAssignRequest {
  enum CodingKeys: String, CodingKey {
    case meter, slot
    case takesHistory = "takes_history"
    case toNobody = "to_nobody"
    case trustsClock = "trusts_clock"
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try container.decode(String.self, forKey: .meter))
    slot = try container.decodeIfPresent(UInt16.self, forKey: .slot)
    takesHistory = try container.decode(.takesHistory, else: takesHistory)
    toNobody = try container.decode(.toNobody, else: toNobody)
    trustsClock = try container.decode(.trustsClock, else: trustsClock)
  }
}

extension MetersSetRequest {
  private enum CodingKeys: String, CodingKey {
    case meter
    case syncsClock = "syncs_clock"
    case holdOffSeconds = "hold_off_seconds"
    case weighsAnybody = "weighs_anybody"
    case isShared = "shared"
    case readAgainSeconds = "read_again_seconds"
    case choice = "peripheral"
  }

  /// Reads a request. What is left out stays as it is; a peripheral that is null leaves the choice to the rules.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try container.decode(String.self, forKey: .meter))
    syncsClock = try container.decodeIfPresent(Bool.self, forKey: .syncsClock)
    holdOffSeconds = try container.decodeIfPresent(Int.self, forKey: .holdOffSeconds)
    weighsAnybody = try container.decodeIfPresent(Bool.self, forKey: .weighsAnybody)
    isShared = try container.decodeIfPresent(Bool.self, forKey: .isShared)
    readAgainSeconds = try container.decodeIfPresent(Int.self, forKey: .readAgainSeconds)
    guard container.contains(.choice) else { return }
    choice =
      try container.decodeNil(forKey: .choice)
      ? Choice.none : Choice.peripheral(try container.decode(UInt32.self, forKey: .choice))
  }

  /// Writes it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(meter, forKey: .meter)
    try container.encodeIfPresent(syncsClock, forKey: .syncsClock)
    try container.encodeIfPresent(holdOffSeconds, forKey: .holdOffSeconds)
    try container.encodeIfPresent(weighsAnybody, forKey: .weighsAnybody)
    try container.encodeIfPresent(isShared, forKey: .isShared)
    try container.encodeIfPresent(readAgainSeconds, forKey: .readAgainSeconds)
    guard let choice else { return }
    switch choice {
    case .none: try container.encodeNil(forKey: .choice)
    case .peripheral(let id): try container.encode(id, forKey: .choice)
    }
  }
}
