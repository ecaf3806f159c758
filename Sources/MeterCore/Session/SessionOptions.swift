public import Foundation

/// What is kept with a session beside its user and token, and goes with it; the zone waits for the user's next session.
public struct SessionOptions: Sendable, Hashable {
  /// How the session's own receiver is reached; the format is the caller's. Nil when the caller keeps it elsewhere.
  public var receiver: [UInt8]?
  /// The IANA name of the user's time zone; nil when the host's counts.
  public var zone: String?

  /// Options from their parts.
  public init(receiver: [UInt8]? = nil, zone: String? = nil) {
    self.receiver = receiver
    self.zone = zone
  }
}

extension SessionOptions {
  /// The user's time zone; nil when the host's counts, also when this machine does not know the name any more. What an earlier
  /// version has taken for a name counts as it did there, so that no update moves a user.
  public var timeZone: TimeZone? { zone.flatMap(TimeZone.init(identifier:)) }
}
