/// What the engine of one sink tells.
public enum DeliveryEvent: Sendable, Hashable {
  /// The receiver has a record; its own id, when it gave one.
  case recordSubmitted(logID: LogID, revision: Int, receiverID: String?, sink: String)
  /// The receiver refused a record for good, or its wire format cannot carry it; it is in the dead-letter table.
  case recordSubmissionFailed(logID: LogID, revision: Int, record: Record, reason: String, sink: String)
  /// An attempt failed and will be repeated.
  case retrying(logID: LogID, after: Duration, error: String, sink: String)
  /// The receiver has an image; its own id and address of it, when it gave them. `image` is the SHA-256 of its bytes.
  case recordImageSubmitted(logID: LogID, image: String, mediaID: String?, url: String?, sink: String)
  /// The receiver refused an image for good; its record is delivered.
  case recordImageSubmissionFailed(logID: LogID, image: String, reason: String, sink: String)
  /// An attempt to send an image failed and will be repeated; after hours, as `error` says then, when it is refused again and again
  /// or fails while the receiver takes others.
  case imageRetrying(logID: LogID, image: String, after: Duration, error: String, sink: String)
  /// The receiver accepted the session's token.
  case sessionValidated(SessionUser)
  /// The token could not be validated yet; readings are kept.
  case sessionUnvalidated(SessionUser, reason: String)
  /// The receiver refused the token: the session is over.
  case sessionEnded(EndedSession)
  /// A receiver beside the session's own refused its token: readings wait until it gets a new one.
  case sinkRefused(sink: String)
  /// The receiver's clock and this machine's differ, by more or by less than before.
  case clockSkew(ClockSkew, sink: String)
  /// The store failed; the engine tries again.
  case storeFailed(StoreError)
  /// The listener was too slow: so many events are not in its stream. The event log has what they told of records, images
  /// and sessions.
  case missed(Int)
}

/// What ``DeliveryEngine/drain()`` came to.
public struct DrainReport: Sendable, Hashable {
  /// Deliveries that the receiver accepted meanwhile.
  public var delivered = 0
  /// Deliveries that it refused for good meanwhile.
  public var dead = 0
  /// Deliveries that still wait for a later attempt.
  public var waiting = 0
  /// Images that it accepted meanwhile.
  package var images = 0
  /// Images that it refused for good meanwhile.
  package var deadImages = 0
  /// Images that still wait for a later attempt.
  package var waitingImages = 0
  /// How long until the next attempt; nil when nothing waits.
  public var nextTry: Duration?
  /// Whether the receiver refused the token.
  public var sessionEnded = false

  /// A report from its parts.
  package init(
    delivered: Int = 0, dead: Int = 0, waiting: Int = 0, nextTry: Duration? = nil, sessionEnded: Bool = false
  ) {
    self.delivered = delivered
    self.dead = dead
    self.waiting = waiting
    self.nextTry = nextTry
    self.sessionEnded = sessionEnded
  }

  /// Adds what came about at another receiver.
  package mutating func add(_ other: DrainReport) {
    delivered += other.delivered
    dead += other.dead
    waiting += other.waiting
    images += other.images
    deadImages += other.deadImages
    waitingImages += other.waitingImages
    nextTry = [nextTry, other.nextTry].compactMap { $0 }.min()
    sessionEnded = sessionEnded || other.sessionEnded
  }
}
