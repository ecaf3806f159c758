/// A user of the receiver: somebody whose readings arrive under one token.
public struct ReceiverAccount: Sendable, Equatable {
  /// Whether a user's token is accepted.
  public enum Status: String, Sendable {
    /// The user uploads.
    case active
    /// The user's uploads are refused with 401; what is stored stays readable to the organisation.
    case suspended
  }

  /// The receiver's id of the user, unique over all organisations.
  public let id: String
  /// The organisation that the user belongs to.
  public let organization: String
  /// The organisation's own name for the user, unique in it.
  public let uid: String
  /// Whether the user's token is accepted.
  public let status: Status
  /// The user's time zone by its name in the tz database, such as `Europe/Berlin`, where the organisation has told it.
  public let timeZone: String?
  /// The user's country by ISO 3166-1 alpha-2, such as `DE`, where the organisation has told it.
  public let countryCode: String?
  /// When the user was made: RFC 3339, UTC.
  public let createdAt: String
  /// When the user was last changed: RFC 3339, UTC.
  public let updatedAt: String
  /// The row that measurements refer to.
  let number: Int64
}
