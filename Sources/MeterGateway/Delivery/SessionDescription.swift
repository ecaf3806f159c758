import Foundation
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
  /// Why it has not, when the session has just started.
  public var reason: String?
  /// The session of another user that ended for this one.
  public var ended: EndedSessionDescription?

  /// Describes a session.
  public init(_ session: Session, receiver: String?) {
    user = session.user?.userID
    organization = session.user?.organizationID
    // The address of a session that has ended is nobody's.
    self.receiver = session.user == nil ? nil : receiver
    validated = session.isValidated
  }

  /// Describes a session that has just started.
  public init(_ start: GatewayDelivery.Start, receiver: String) {
    self.init(start.session, receiver: receiver)
    reason = start.unvalidated
    ended = start.ended.map(EndedSessionDescription.init)
  }
}

/// A session that has ended, as `--json` shows it.
public struct EndedSessionDescription: Sendable, Codable, Hashable {
  /// The user's id.
  public var user: String
  /// The organisation's id.
  public var organization: String
  /// How many readings no receiver has accepted.
  public var unsynced: Int
  /// Where those readings are kept; nil when there are none.
  public var recoveryFile: String?

  enum CodingKeys: String, CodingKey {
    case user, organization, unsynced
    case recoveryFile = "recovery_file"
  }

  /// Describes what a session's end has left.
  public init(_ ended: EndedSession) {
    user = ended.user.userID
    organization = ended.user.organizationID
    unsynced = ended.unsynced.count
    recoveryFile = ended.recoveryFile?.path
  }
}
