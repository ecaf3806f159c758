/// The radios that the host uses, as `--json` shows them.
public struct RadioDescription: Sendable, Codable, Hashable {
  /// One radio.
  public struct Adapter: Sendable, Codable, Hashable {
    /// What it is called, such as `hci0`; `virtual` stands for all virtual airs together.
    public var name: String
    /// Whether it can be used now.
    public var isUp: Bool
    /// How many connections it holds at the same time; 0 where it is not known.
    public var slots: Int
    /// How many of them are taken: links that it has or is making.
    public var connections: Int
    /// The addresses of the meters that have them, such as `C0:26:DF:00:00:01`.
    public var meters: [String]

    private enum CodingKeys: String, CodingKey {
      case name, slots, connections, meters
      case isUp = "up"
    }

    package init(name: String, isUp: Bool, slots: Int, connections: Int, meters: [String]) {
      (self.name, self.isUp, self.slots, self.connections) = (name, isUp, slots, connections)
      self.meters = meters
    }
  }

  /// Those that were asked for since the host began, by name; empty as long as none was.
  public var adapters: [Adapter]

  package init(adapters: [Adapter]) { self.adapters = adapters }
}

/// Tells what the radios do: which there are, how many connections each holds, and for which meters. It waits for no radio.
public struct RadioShowRequest: ControlRequest {
  /// The radios of this moment.
  public typealias Answer = RadioDescription

  /// Its name on the socket.
  public static let name = "radio.show"
  /// It changes nothing.
  public static let onlyLooks = true
  /// What changes nothing may be asked twice.
  public static let isRepeatable = true

  /// Asks.
  public init() {}
}
