import HostPrimitives

/// Whom readings belong to. Two users are the same when both parts are, byte for byte: the store and the receivers tell them apart
/// in the same way.
public struct SessionUser: Sendable, Hashable, Codable {
  /// The receiver's user id.
  public let userID: String
  /// The receiver's organisation id.
  public let organizationID: String

  /// A user from both ids.
  public init(userID: String, organizationID: String) {
    self.userID = userID
    self.organizationID = organizationID
  }

  /// Whether both ids have the same bytes.
  public static func == (first: SessionUser, second: SessionUser) -> Bool {
    first.userID.isExactly(second.userID) && first.organizationID.isExactly(second.organizationID)
  }

  /// By the bytes of both ids.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(userID))
    hasher.combine(ExactText(organizationID))
  }

  /// The key under which the store files what belongs to this user.
  var ownerKey: String { "user:\(organizationID.utf8.count):\(organizationID):\(userID)" }
  /// The default user's key.
  static let defaultOwnerKey = "default"
}

/// Which stretch of the host's life a read belongs to: it changes whenever the user changes.
///
/// A read captures it when it starts; a commit under another generation fails (R23), so that a reading is never filed
/// under a user who signed in while the meter was being read.
public struct SessionGeneration: Sendable, Hashable, Codable {
  /// The persisted counter.
  public let rawValue: Int64

  /// A generation from its counter.
  public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A receiver's secret. Its descriptions never show it.
public struct AccessToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The secret itself, for the request that it goes into and the store, and nothing else.
  public let secret: String

  /// A token from its text.
  public init(_ secret: String) { self.secret = secret }

  /// Whether both are the same bytes.
  public static func == (first: AccessToken, second: AccessToken) -> Bool { first.secret.isExactly(second.secret) }
  /// By the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(ExactText(secret)) }

  /// Never the secret.
  public var description: String { "<token>" }
  /// Never the secret.
  public var debugDescription: String { "<token>" }
  /// Nothing for reflection to find.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The session in force.
public struct Session: Sendable, Hashable {
  /// The user, nil for the default user: no session.
  public let user: SessionUser?
  /// The generation that reads capture.
  public let generation: SessionGeneration
  /// Whether the receiver has accepted the token.
  public let isValidated: Bool
  /// What is kept with it.
  public var options = SessionOptions()
  /// What the user has said of their body; nil: nothing is computed of what a scale measures.
  public package(set) var body: BodyProfile?
}
