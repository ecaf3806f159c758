/// A source that may post exports, as `--json` shows it; its token is shown once, when it is made.
public struct HealthTokenDescription: Codable, Sendable, Hashable {
  /// Its name, such as `phone`.
  public var name: String
  /// When its token was made, RFC 3339 in UTC.
  public var made: String
  /// When something of it was last imported or dropped, RFC 3339 in UTC; left out: never.
  public var lastUsed: String?
  /// How many bodies of it came to an end: imported, or dropped because they cannot be.
  public var posts: Int
  /// How many records of it were new or changed.
  public var accepted: Int
  /// How many were there already.
  public var duplicates: Int
  /// How many samples could not be taken.
  public var refused: Int
  /// What was wrong with its last body; left out when nothing was.
  public var error: GatewayError.Written?

  private enum CodingKeys: String, CodingKey {
    case name, made, posts, accepted, duplicates, refused, error
    case lastUsed = "last_used"
  }

  package init(name: String, made: String) {
    (self.name, self.made) = (name, made)
    (posts, accepted, duplicates, refused) = (0, 0, 0, 0)
  }
}

/// Makes the token of a new source.
public struct HealthTokenNewRequest: ControlRequest {
  /// The source and its token.
  public struct Answer: Codable, Sendable, Hashable {
    /// The source's name.
    public var name: String
    /// Its token, which is shown this once: 256 random bits in base64url.
    public var token: String

    package init(name: String, token: String) { (self.name, self.token) = (name, token) }
  }

  /// Its name on the socket.
  public static let name = "health.token-new"
  /// The source's name: 1 to 64 of letters, digits, `-`, `_` and `.`, the first a letter or a digit.
  public var source: String

  /// A token for a source.
  public init(_ source: String) { self.source = source }
}

/// The sources that may post exports.
public struct HealthTokenListRequest: ControlRequest {
  /// The sources, by name.
  public typealias Answer = [HealthTokenDescription]

  /// Its name on the socket.
  public static let name = "health.token-list"
  /// It changes nothing.
  public static let onlyLooks = true
  /// What changes nothing may be asked twice.
  public static let isRepeatable = true

  /// Asks.
  public init() {}
}

/// Takes a source's token back: what it posts from now on is refused. What it has posted before is imported.
public struct HealthTokenRevokeRequest: ControlRequest {
  /// Always true.
  public typealias Answer = Bool

  /// Its name on the socket.
  public static let name = "health.token-revoke"
  /// The source's name.
  public var source: String

  /// Takes the token of a source back.
  public init(_ source: String) { self.source = source }
}
