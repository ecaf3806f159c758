public import MeterCore

/// One image of the queue as `--json` shows it.
public struct ImageItem: Sendable, Codable, Hashable {
  /// Its place in the queue, which `--after` takes.
  public var position: Int64
  /// The id of the reading that it belongs to.
  public var logID: String
  /// SHA-256 of its bytes in hexadecimal.
  public var image: String
  /// `image/jpeg` or `image/png`.
  public var contentType: String
  /// How many bytes it has.
  public var size: Int
  /// The sink that it is meant for.
  public var sink: String
  /// waiting, pending, in_flight, delivered or dead.
  public var state: String
  /// Why it is dead.
  public var reason: String?
  /// How often it was tried.
  public var attempts: Int
  /// What the last try came to.
  public var lastError: String?

  enum CodingKeys: String, CodingKey {
    case position, image, size, sink, state, reason, attempts
    case logID = "log_id"
    case contentType = "content_type"
    case lastError = "last_error"
  }

  /// Describes an image of the queue.
  public init(_ entry: ImageEntry) {
    position = entry.position
    logID = "\(entry.logID)"
    image = entry.checksum
    contentType = entry.contentType.rawValue
    size = entry.size
    sink = entry.sink
    state = entry.state == .inFlight ? "in_flight" : entry.state.rawValue
    reason = entry.reason
    attempts = entry.attempts
    lastError = entry.lastError
  }
}
