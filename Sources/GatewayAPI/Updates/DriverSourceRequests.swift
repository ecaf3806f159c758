/// A folder of driver packages that updates are looked for in, as `--json` shows it.
public struct DriverSourceDescription: Codable, Sendable, Hashable {
  /// Its address: `https://...`, or the absolute path of a folder.
  public var source: String
  /// Whether versions that are still being tried are taken.
  public var takesBeta: Bool
  /// The number of the newest index that was seen there; left out when none was.
  public var number: UInt64?
  /// The short name of the publisher whose index that was.
  public var publisher: String?
  /// When that index ends, RFC 3339 in UTC.
  public var expires: String?
  /// What was wrong when it was last looked at; left out when nothing was.
  public var problem: GatewayError.Written?

  private enum CodingKeys: String, CodingKey {
    case source, number, publisher, expires, problem
    case takesBeta = "beta"
  }

  package init(
    source: String, takesBeta: Bool, number: UInt64? = nil, publisher: String? = nil, expires: String? = nil,
    problem: GatewayError.Written? = nil
  ) {
    (self.source, self.takesBeta, self.number) = (source, takesBeta, number)
    (self.publisher, self.expires, self.problem) = (publisher, expires, problem)
  }
}

/// Where updates of drivers are looked for.
public struct DriverSourceListRequest: ControlRequest {
  /// The sources, in the order in which they were added.
  public typealias Answer = [DriverSourceDescription]

  /// Its name on the socket.
  public static let name = "drivers.source-list"
  /// It changes nothing.
  public static let onlyLooks = true
  /// What changes nothing may be asked twice.
  public static let isRepeatable = true

  /// Asks.
  public init() {}
}

/// Looks for updates in a further folder. Nothing is fetched yet.
public struct DriverSourceAddRequest: ControlRequest {
  /// All sources that there are then.
  public typealias Answer = [DriverSourceDescription]

  /// Its name on the socket.
  public static let name = "drivers.source-add"
  /// The same source twice is the same source.
  public static let isRepeatable = true
  /// An address with https, or the absolute path of a folder.
  public var source: String
  /// Whether versions that are still being tried are taken.
  public var takesBeta: Bool

  private enum CodingKeys: String, CodingKey {
    case source
    case takesBeta = "beta"
  }

  /// Adds a source.
  public init(_ source: String, takesBeta: Bool = false) {
    self.source = source
    self.takesBeta = takesBeta
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    source = try container.decode(String.self, forKey: .source)
    takesBeta = try container.decodeIfPresent(Bool.self, forKey: .takesBeta) ?? false
  }
}

/// Looks for no more updates there. Which index was seen there last stays known.
public struct DriverSourceRemoveRequest: ControlRequest {
  /// All sources that there are then.
  public typealias Answer = [DriverSourceDescription]

  /// Its name on the socket.
  public static let name = "drivers.source-remove"
  /// The source, as it was added.
  public var source: String

  /// Removes a source.
  public init(_ source: String) { self.source = source }
}
