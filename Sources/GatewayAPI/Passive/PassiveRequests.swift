/// What is read passively, as `--json` shows it.
public struct PassiveDescription: Codable, Sendable, Hashable {
  /// One chosen peripheral.
  public struct Entry: Codable, Sendable, Hashable {
    /// Its id in the catalogue.
    public var peripheral: UInt32
    /// The catalogue entry's name, to show, or that the catalogue does not have it any more.
    public var name: String
    /// Whether it can be read passively: `yes`, `unreliable` when meters of it are sometimes missed, or `no` where the
    /// catalogue has changed.
    public var passive: String

    package init(peripheral: UInt32, name: String, passive: String) {
      self.peripheral = peripheral
      self.name = name
      self.passive = passive
    }
  }

  /// The chosen peripherals, by id; empty is off.
  public var peripherals: [Entry]
  /// Whether a service runs that reads them.
  public var isRunning: Bool
  /// Why nothing is read at the moment, though something is chosen; left out when nothing stands in the way.
  public var problem: String?

  enum CodingKeys: String, CodingKey {
    case peripherals, problem
    case isRunning = "running"
  }

  package init(peripherals: [Entry], isRunning: Bool, problem: String? = nil) {
    self.peripherals = peripherals
    self.isRunning = isRunning
    self.problem = problem
  }
}

/// Tells what is read passively.
public struct PassiveShowRequest: ControlRequest {
  /// What is read.
  public typealias Answer = PassiveDescription

  /// Its name on the socket.
  public static let name = "passive.show"
  /// It changes nothing.
  public static let onlyLooks = true
  /// What changes nothing may be asked twice.
  public static let isRepeatable = true

  /// Asks.
  public init() {}
}

/// Chooses what is read passively; an empty set is off.
public struct PassiveSetRequest: ControlRequest {
  /// What is read then.
  public typealias Answer = PassiveDescription

  /// Its name on the socket.
  public static let name = "passive.set"
  /// The same set twice is the same set.
  public static let isRepeatable = true
  /// The ids of the catalogue's entries that are read from now on, instead of those before.
  public var peripherals: [UInt32]

  /// Chooses these.
  public init(_ peripherals: [UInt32]) { self.peripherals = peripherals }
}
