public import MeterCore

/// A session as `--json` shows it; the token never stands in it.
public struct SessionDescription: Sendable, Codable, Hashable {
  /// The user's id; nil without a session.
  public var user: String?
  /// The organisation's id.
  public var organization: String?
  /// The receiver's address.
  public var receiver: String?
  /// Whether the receiver has accepted the token.
  public var validated: Bool

  /// Describes a session.
  public init(_ session: Session, receiver: String?) {
    user = session.user?.userID
    organization = session.user?.organizationID
    self.receiver = receiver
    validated = session.isValidated
  }
}
