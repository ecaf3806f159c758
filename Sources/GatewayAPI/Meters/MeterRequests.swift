/// The meters that this gateway knows.
public struct MetersListRequest: ControlRequest {
  /// The meters.
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
  /// The meter's user slot.
  public var slot: UInt16?
  /// What the meter measured before is the user's, too.
  public var takesHistory = false
  /// End whose it is, or whose the slot is.
  public var toNobody = false
  /// Vouch for the host's clock.
  public var trustsClock = false

  /// Assigns a meter to the session's user.
  public init(_ meter: String) { self.meter = meter }
}

/// Changes what is set for a meter.
public struct MetersSetRequest: ControlRequest {
  /// Which catalogue entry a meter is read as.
  public enum Choice: Codable, Sendable, Hashable {
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
  /// After how many seconds passive reading reads it again while it goes on advertising, 0 for never; nil leaves it.
  public var readAgainSeconds: Int?
  /// The catalogue entry to read it as; nil leaves it.
  public var choice: Choice?

  /// Changes nothing yet.
  public init(_ meter: String) { self.meter = meter }
}
