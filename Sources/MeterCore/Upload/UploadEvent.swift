/// What the uploader tells (C8).
public enum UploadEvent: Sendable, Hashable {
  /// The receiver has a record; its own id, when it gave one.
  case recordSubmitted(logID: LogID, revision: Int, receiverID: String?)
  /// The receiver refused a record for good; it is in the dead-letter table.
  case recordSubmissionFailed(logID: LogID, revision: Int, reason: String)
  /// An attempt failed and will be repeated.
  case retrying(logID: LogID, after: Duration, error: String)
  /// The receiver accepted the session's token.
  case sessionValidated(SessionUser)
  /// The token could not be validated yet; readings are kept.
  case sessionUnvalidated(SessionUser, reason: String)
  /// The receiver refused the token: the session is over.
  case sessionEnded(EndedSession)
  /// The store failed; the uploader tries again.
  case storeFailed(StoreError)
}

/// What ``Uploader/drain()`` came to.
public struct DrainReport: Sendable, Hashable {
  /// Deliveries that the receiver accepted meanwhile.
  public let delivered: Int
  /// Deliveries that it refused for good meanwhile.
  public let dead: Int
  /// Deliveries that still wait for a later attempt.
  public let waiting: Int
  /// How long until the next attempt; nil when nothing waits.
  public let nextTry: Duration?
  /// Whether the receiver refused the token.
  public let sessionEnded: Bool
}
