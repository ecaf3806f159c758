public import Foundation

/// What is kept with a session beside its user and token, and goes with it; the zone waits for the user's next session.
public struct SessionOptions: Sendable, Hashable {
  /// The kind of the session's own receiver, and how it is reached. Nil when the caller keeps it elsewhere.
  public var receiver: SinkTarget?
  /// The IANA name of the user's time zone; nil when the host's counts.
  public var zone: String?

  /// Options from their parts.
  public init(receiver: SinkTarget? = nil, zone: String? = nil) {
    self.receiver = receiver
    self.zone = zone
  }
}

extension SessionOptions {
  /// The user's time zone; nil when the host's counts.
  ///
  /// What earlier versions have taken for a name and is none, such as `BST`, counts as if nothing had been set: which place it
  /// stood for was never what the person meant. ``unknownZone`` tells it.
  public var timeZone: TimeZone? { zone.flatMap { TimeZone(databaseName: $0) } }

  /// What is kept as a zone's name and is none, or none that this machine knows; nil where all is well.
  package var unknownZone: String? { timeZone == nil ? zone : nil }
}
