/// What a sink is to the session.
public enum SinkRole: String, Sendable, Hashable, Codable, CaseIterable {
  /// The session's own receiver: it stays as long as the session, and a credential that it refuses ends that.
  case session
  /// A receiver beside it: a credential that it refuses stops deliveries there, and nothing else.
  case further
}
