/// What drivers have done wrong, and who is kept away for it.
public struct QuarantineListRequest: ControlRequest {
  /// What is noted.
  public typealias Answer = [OffenceDescription]

  /// Its name on the socket.
  public static let name = "quarantine.list"
  /// It changes nothing.
  public static let onlyLooks = true
  /// Only those of this driver.
  public var driver: String?

  /// Asks for the list.
  public init(driver: String? = nil) { self.driver = driver }
}

/// Lets a driver be used again, with one meter or with all.
public struct QuarantineLiftRequest: ControlRequest {
  /// What was noted.
  public typealias Answer = [OffenceDescription]

  /// Its name on the socket.
  public static let name = "quarantine.lift"
  /// What is lifted twice is lifted.
  public static let isRepeatable = true
  /// The driver's id.
  public var driver: String
  /// A meter's name as the list shows it; nil: the driver itself and all its meters.
  public var meter: String?

  /// Lifts what is known of a driver.
  public init(driver: String, meter: String? = nil) {
    self.driver = driver
    self.meter = meter
  }
}

/// A bundle has failed its self-test, in which no meter has a part: it is set aside.
public struct SelfTestFaultRequest: ControlRequest {
  /// What is noted against the driver now.
  public typealias Answer = [OffenceDescription]

  /// Its name on the socket.
  public static let name = "quarantine.self-test"
  /// The driver's id.
  public var driver: String
  /// The fault's code, rule and words.
  package var code: String
  package var rule: String?
  package var message: String

  package init(driver: String, code: String, rule: String? = nil, message: String) {
    self.driver = driver
    self.code = code
    self.rule = rule
    self.message = message
  }
}

/// What a driver has done wrong, as `--json` shows it.
public struct OffenceDescription: Codable, Sendable, Hashable {
  /// What came of it. A later version may have other states: they are kept by their names.
  public struct State: RawRepresentable, Codable, Sendable, Hashable, CaseIterable {
    /// Nothing yet: the next fault sets the meter aside.
    public static let noted = State(rawValue: "noted")
    /// The meter is not read with this bundle until `until`.
    public static let setAside = State(rawValue: "set_aside")
    /// The time is over; the next fault doubles it.
    public static let over = State(rawValue: "over")
    /// The bundle is not used.
    public static let quarantined = State(rawValue: "quarantined")
    /// The states that this version knows.
    public static let allCases = [noted, setAside, over, quarantined]

    /// The state's name.
    public let rawValue: String

    /// A state by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The driver's id.
  public var driver: String
  /// The SHA-256 of its bundle in hexadecimal.
  public var bundle: String
  /// The meter's serial number, System ID or address; left out for the bundle itself.
  public var meter: String?
  /// What came of it.
  public var state: State
  /// How often it has happened.
  public var count: Int
  /// When it first happened, as ISO 8601 in UTC.
  public var first: String
  /// When it last happened, as ISO 8601 in UTC.
  public var last: String
  /// Until when it is set aside, as ISO 8601 in UTC; nil in every other state.
  public var until: String?
  /// The last fault's code.
  public var code: String
  /// The rule of the driver contract that it broke, such as `R12`; nil where it broke none by name.
  public var rule: String?
  /// What happened, for people, the last time.
  public var message: String
  /// The name of the recording of the session in which it last happened; nil: there is none.
  public var recording: String?

  package init(
    driver: String, bundle: String, meter: String? = nil, state: State, count: Int, first: String, last: String,
    until: String? = nil, code: String, rule: String? = nil, message: String, recording: String? = nil
  ) {
    self.driver = driver
    self.bundle = bundle
    self.meter = meter
    self.state = state
    self.count = count
    self.first = first
    self.last = last
    self.until = until
    self.code = code
    self.rule = rule
    self.message = message
    self.recording = recording
  }
}
