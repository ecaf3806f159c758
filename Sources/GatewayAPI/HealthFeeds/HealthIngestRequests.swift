/// The endpoint to which phones post exports, as `--json` shows it.
public struct HealthIngestDescription: Codable, Sendable, Hashable {
  /// Where it is to listen, as `ADDRESS:PORT`; left out: it is off.
  public var address: String?
  /// Where the running host listens now; left out: nowhere.
  public var url: String?
  /// Whether only programs of this machine can reach it.
  public var isLoopback: Bool
  /// How many bodies wait to be imported.
  public var waiting: Int
  /// How many bytes these have.
  public var waitingBytes: Int
  /// Why nobody listens though somebody is to; left out when nothing stands in the way.
  public var problem: String?

  private enum CodingKeys: String, CodingKey {
    case address, url, waiting, problem
    case isLoopback = "loopback"
    case waitingBytes = "waiting_bytes"
  }

  package init(
    address: String?, url: String?, isLoopback: Bool, waiting: Int, waitingBytes: Int, problem: String?
  ) {
    (self.address, self.url, self.isLoopback) = (address, url, isLoopback)
    (self.waiting, self.waitingBytes, self.problem) = (waiting, waitingBytes, problem)
  }
}

/// Where exports can be posted to.
public struct HealthIngestShowRequest: ControlRequest {
  /// The endpoint.
  public typealias Answer = HealthIngestDescription

  /// Its name on the socket.
  public static let name = "health.ingest-show"
  /// It changes nothing.
  public static let onlyLooks = true
  /// What changes nothing may be asked twice.
  public static let isRepeatable = true

  /// Asks.
  public init() {}
}

/// Lets the running host take exports over HTTP, or not, from now on and for later starts.
public struct HealthIngestListenRequest: ControlRequest {
  /// The endpoint as it is to be; it listens a moment later.
  public typealias Answer = HealthIngestDescription

  /// Its name on the socket.
  public static let name = "health.ingest-listen"
  /// The same address twice is the same address.
  public static let isRepeatable = true
  /// Where, as ``IngestAddress`` reads it; nil is off.
  public var address: String?

  /// Listens there; nil is off.
  public init(_ address: String?) { self.address = address }
}
