/// What happens on a connection beside what was asked.
package enum NATSEvent: Sendable, Hashable {
  /// A server has taken the client.
  case connected(NATSAddress, version: String)
  /// The connection is over, and another is tried.
  case disconnected(NATSError)
  /// A server could not be used.
  case failed(NATSAddress, NATSError)
  /// A server does not let this key do something.
  case refused(NATSServerWords)
  /// A subscription's reader was too slow: so many messages in all are lost to it.
  case slowConsumer(subject: String, dropped: Int)
}

/// How a connection is.
package enum NATSStatus: Sendable, Hashable {
  /// Nobody has asked for it yet.
  case idle
  /// It is being made; what the last attempt failed at.
  case connecting(NATSError?)
  /// It stands.
  case connected(NATSAddress)
  /// It was closed by its owner.
  case closed
}
