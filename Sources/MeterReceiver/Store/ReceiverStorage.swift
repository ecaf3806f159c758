/// What the receiver's HTTP calls need of a database. `ReceiverStore` is the one in SQLite; a second one has to keep the
/// same promises: a write that has returned is on disk, each call is one transaction, and two calls at the same moment
/// come out as if one had been first.
///
/// Every call throws `ReceiverError` (`databaseFailure` and what is said with it), or `CancellationError` when the server
/// stops.
protocol ReceiverStorage: Sendable {
  /// Now, in milliseconds since 1970 in UTC.
  var timestamp: Int64 { get }

  /// The user who uploads with that token.
  func account(token: AccessToken) async throws -> ReceiverAccount?
  /// The user of that name.
  func account(organization: String, uid: String) async throws -> ReceiverAccount?
  /// The user of an organisation with that id of the receiver's, or else of that name.
  func account(organization: String, idOrUID: String) async throws -> ReceiverAccount?
  /// The id of the organisation with that token.
  func organization(token: AccessToken) async throws -> String?

  /// A page of an organisation's users in the order in which they were made.
  func users(organization: String, page: Page) async throws -> [ReceiverAccount]
  /// How many users `users` has in all its pages.
  func countUsers(organization: String) async throws -> Int
  /// What has delivered records for a user, the newest first; at most a hundred.
  func sources(of account: ReceiverAccount) async throws -> [UserSource]
  /// Makes a user with a random token, which cannot be read again. Throws `alreadyExists` and `invalidIdentifier`.
  func makeUser(
    _ uid: String, location: UserLocation, organization: String
  ) async throws -> (account: ReceiverAccount, token: String)
  /// Gives a user another random token; the old one is refused from then on. Throws `notFound`.
  func refreshToken(organization: String, uid: String) async throws -> (account: ReceiverAccount, token: String)
  /// Changes those parts of a user's location that are given. Throws `notFound`.
  func changeLocation(
    _ change: UserLocation.Change, organization: String, uid: String
  ) async throws -> ReceiverAccount
  /// Suspends a user or lets them upload again. Throws `notFound`.
  func changeStatus(
    _ status: ReceiverAccount.Status, organization: String, uid: String
  ) async throws -> ReceiverAccount
  /// Deletes a user with everything of theirs. Throws `notFound`.
  func removeUser(organization: String, uid: String) async throws -> ReceiverAccount

  /// Stores records in one transaction. Throws `notFound` when the user has gone.
  func store(_ records: [ValidRecord], for account: ReceiverAccount) async throws -> [StoreReceipt]
  /// A page of a user's records of one kind whose start lies in the window, in the order in which they arrived first;
  /// `source` is the type of their source, nil for all. Throws `FieldErrors` for a page too large to be held in memory.
  func records(
    of account: ReceiverAccount, kind: RecordKind, source: String?, window: Range<UTCTimestamp>, page: Page
  ) async throws -> [StoredRecord]
  /// How many records `records` has in all its pages.
  func countRecords(of account: ReceiverAccount, kind: RecordKind, window: Range<UTCTimestamp>) async throws -> Int
  /// Replaces the content of the record with the receiver's id `id`, nil if the user has no such record of that kind.
  ///
  /// - Parameters:
  ///   - countsItself: Whether the client has said a revision, to which the rule of revisions then applies. Otherwise other
  ///     content is the next revision.
  ///   - make: The new record, from the stored one's log_id and revision; its errors come out.
  func replaceRecord(
    id: String, kind: RecordKind, of account: ReceiverAccount, countsItself: Bool,
    with make: @escaping @Sendable (_ logID: String, _ revision: Int) throws(FieldErrors) -> ValidRecord
  ) async throws -> StoreReceipt?
  /// Stores an image with a record, named by the receiver's id, unless the record has the same image already.
  func addMedia(
    _ bytes: [UInt8], type: MediaType, toRecord record: String, of account: ReceiverAccount, limit: Int
  ) async throws -> MediaOutcome
  /// An image of one of the user's records.
  func mediaContent(id: String, of account: ReceiverAccount) async throws -> (type: MediaType, bytes: [UInt8])?
  /// Deletes a record with its images; false if the user has no such record of that kind.
  func deleteRecord(id: String, kind: RecordKind, of account: ReceiverAccount) async throws -> Bool
  /// The record of one kind with the latest start, or of several the one that arrived last.
  func latestRecord(of account: ReceiverAccount, kind: RecordKind, source: String?) async throws -> StoredRecord?
}

/// Which part of a list is asked for.
struct Page: Sendable, Equatable {
  var limit: Int
  var offset: Int
}

/// Something that delivers records for a user, by the type of their source.
struct UserSource: Sendable, Equatable {
  let type: String
  /// When its first record came: RFC 3339, UTC.
  let connectedAt: String
  /// When its last record came or changed: RFC 3339, UTC.
  let lastProcessedAt: String
}

/// Where a user lives, as far as the organisation has told.
struct UserLocation: Sendable, Equatable {
  /// The name of a zone in the tz database.
  var timeZone: String?
  /// ISO 3166-1 alpha-2.
  var countryCode: String?

  /// What a request changes: nil leaves a part as it is, `.some(nil)` forgets it.
  struct Change: Sendable, Equatable {
    var timeZone: String??
    var countryCode: String??
  }
}
