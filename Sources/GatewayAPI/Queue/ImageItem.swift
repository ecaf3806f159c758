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
  /// The name of the receiver that it is meant for.
  public var sink: String
  /// `waiting` (for its reading), `pending`, `in_flight`, `delivered` or `dead`.
  public var state: String
  /// Why it is dead, as a stable word; else nil.
  public var reason: String?
  /// How often it was tried.
  public var attempts: Int
  /// What the last try failed with, for people; nil: none has.
  public var lastError: String?

  enum CodingKeys: String, CodingKey {
    case position, image, size, sink, state, reason, attempts
    case logID = "log_id"
    case contentType = "content_type"
    case lastError = "last_error"
  }

  package init(
    position: Int64, logID: String, image: String, contentType: String, size: Int, sink: String, state: String,
    reason: String? = nil, attempts: Int, lastError: String? = nil
  ) {
    self.position = position
    self.logID = logID
    self.image = image
    self.contentType = contentType
    self.size = size
    self.sink = sink
    self.state = state
    self.reason = reason
    self.attempts = attempts
    self.lastError = lastError
  }
}
