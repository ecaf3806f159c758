import Foundation
import GRDB

extension ReceiverStore {
  /// Makes an organisation.
  ///
  /// - Parameters:
  ///   - id: Its id in URLs: 1 to 128 letters, digits and `-._~@+`.
  ///   - token: The token that lets it read its users' records and make users; nil makes one of 256 random bits.
  /// - Returns: The token. The database keeps only its SHA-256: it cannot be read again.
  /// - Throws: `alreadyExists`, `invalidIdentifier`, `invalidToken`, `tokenInUse` or `databaseFailure`.
  @discardableResult
  public func createOrganization(_ id: String, token: String? = nil) throws(ReceiverError) -> String {
    try Self.checkIdentifier(id)
    let token = try Self.token(chosen: token)
    try write { database in
      guard try !Self.organizationExists(id, database) else {
        throw ReceiverError(.alreadyExists, "The organisation \(id) exists already")
      }
      try Self.checkUnused(token.digest, database)
      try database.execute(
        sql: "INSERT INTO organization (id, token_lookup, token_digest, created_at) VALUES (?, ?, ?, ?)",
        arguments: [id, token.digest.lookup, token.digest.blob, timestamp])
    }
    return token.secret
  }

  /// Makes a user of an organisation.
  ///
  /// - Parameters:
  ///   - organization: The id of an organisation that exists.
  ///   - uid: The organisation's name for the user: 1 to 128 letters, digits and `-._~@+`.
  ///   - token: The token that the user's host uploads with; nil makes one of 256 random bits.
  /// - Returns: The user, and the token, which cannot be read again.
  /// - Throws: `notFound` without the organisation, `alreadyExists`, `invalidIdentifier`, `invalidToken`, `tokenInUse` or
  ///   `databaseFailure`.
  @discardableResult
  public func createUser(
    organization: String, uid: String, token: String? = nil
  ) throws(ReceiverError) -> (account: ReceiverAccount, token: String) {
    try Self.checkIdentifier(uid)
    let token = try Self.token(chosen: token)
    let account = try write { database in
      guard try Self.organizationExists(organization, database) else {
        throw ReceiverError(.notFound, "There is no organisation \(organization); make it first")
      }
      guard try Self.account(organization: organization, uid: uid, database) == nil else {
        throw ReceiverError(.alreadyExists, "The user \(uid) of organisation \(organization) exists already")
      }
      try Self.checkUnused(token.digest, database)
      try database.execute(
        sql: """
          INSERT INTO account
            (id, organization_id, uid, token_lookup, token_digest, status, created_at, updated_at)
          VALUES (?, ?, ?, ?, ?, 'active', ?, ?)
          """,
        arguments: [
          Self.makeIdentifier(), organization, uid, token.digest.lookup, token.digest.blob, timestamp, timestamp,
        ])
      return try Self.require(organization: organization, uid: uid, database)
    }
    return (account, token.secret)
  }

  /// Gives a user another token; the old one is refused from then on.
  ///
  /// - Returns: The new token, which cannot be read again.
  /// - Throws: `notFound`, `invalidToken`, `tokenInUse` or `databaseFailure`.
  @discardableResult
  public func replaceToken(
    organization: String, uid: String, token: String? = nil
  ) throws(ReceiverError) -> String {
    let token = try Self.token(chosen: token)
    try write { database in
      let account = try Self.require(organization: organization, uid: uid, database)
      try Self.checkUnused(token.digest, database)
      try database.execute(
        sql: "UPDATE account SET token_lookup = ?, token_digest = ?, updated_at = ? WHERE number = ?",
        arguments: [token.digest.lookup, token.digest.blob, timestamp, account.number])
    }
    return token.secret
  }

  /// Suspends a user or lets them upload again.
  ///
  /// - Throws: `notFound` or `databaseFailure`.
  public func setStatus(
    _ status: ReceiverAccount.Status, organization: String, uid: String
  ) throws(ReceiverError) {
    try write { database in
      let account = try Self.require(organization: organization, uid: uid, database)
      try database.execute(
        sql: "UPDATE account SET status = ?, updated_at = ? WHERE number = ?",
        arguments: [status.rawValue, timestamp, account.number])
    }
  }

  /// The user of that name, or nil.
  ///
  /// - Throws: `databaseFailure`.
  public func user(organization: String, uid: String) throws(ReceiverError) -> ReceiverAccount? {
    try read { try Self.account(organization: organization, uid: uid, $0) }
  }

  /// Makes organisation and user of a start option exist with their tokens, however often the receiver is started.
  ///
  /// A user who exists keeps id, status and records; another token in the options replaces theirs.
  func provision(_ seed: ReceiverConfiguration.Account) throws(ReceiverError) {
    if try !read({ try Self.organizationExists(seed.organization, $0) }) {
      try createOrganization(seed.organization, token: seed.organizationToken)
    }
    guard try user(organization: seed.organization, uid: seed.uid) != nil else {
      try createUser(organization: seed.organization, uid: seed.uid, token: seed.token)
      return
    }
    let digest = try AccessToken(chosen: seed.token).digest
    let owner = try read { try Self.account(token: digest, $0) }
    if owner?.organization != seed.organization || owner?.uid != seed.uid {
      try replaceToken(organization: seed.organization, uid: seed.uid, token: seed.token)
    }
  }
}

// MARK: - Look-ups for requests

extension ReceiverStore {
  /// The user who uploads with that token.
  func account(token: AccessToken) async throws -> ReceiverAccount? {
    let digest = token.digest
    return try await read { try Self.account(token: digest, $0) }
  }

  /// The user of that name.
  func account(organization: String, uid: String) async throws -> ReceiverAccount? {
    try await read { try Self.account(organization: organization, uid: uid, $0) }
  }

  /// The id of the organisation with that token.
  func organization(token: AccessToken) async throws -> String? {
    let digest = token.digest
    return try await read { try Self.organization(token: digest, $0) }
  }
}

// MARK: - Look-ups inside a transaction

extension ReceiverStore {
  static func account(organization: String, uid: String, _ database: Database) throws -> ReceiverAccount? {
    try Row.fetchOne(
      database, sql: "SELECT * FROM account WHERE organization_id = ? AND uid = ?", arguments: [organization, uid]
    ).map(ReceiverAccount.init(row:))
  }

  private static func account(token: TokenDigest, _ database: Database) throws -> ReceiverAccount? {
    try Row.fetchAll(database, sql: "SELECT * FROM account WHERE token_lookup = ?", arguments: [token.lookup])
      .first { token.matches(Array($0["token_digest"] as Data)) }
      .map(ReceiverAccount.init(row:))
  }

  private static func organization(token: TokenDigest, _ database: Database) throws -> String? {
    try Row.fetchAll(database, sql: "SELECT * FROM organization WHERE token_lookup = ?", arguments: [token.lookup])
      .first { token.matches(Array($0["token_digest"] as Data)) }
      .map { $0["id"] }
  }

  private static func organizationExists(_ id: String, _ database: Database) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM organization WHERE id = ?)", arguments: [id]) ?? false
  }

  private static func require(organization: String, uid: String, _ database: Database) throws -> ReceiverAccount {
    guard let account = try account(organization: organization, uid: uid, database) else {
      throw ReceiverError(.notFound, "There is no user \(uid) in organisation \(organization)")
    }
    return account
  }

  /// A token names one user or one organisation: shared ones would mix two people's readings.
  private static func checkUnused(_ digest: TokenDigest, _ database: Database) throws {
    guard try account(token: digest, database) == nil, try organization(token: digest, database) == nil else {
      throw ReceiverError(.tokenInUse, "The token belongs to another user or organisation; choose another one")
    }
  }

  private static func token(chosen text: String?) throws(ReceiverError) -> AccessToken {
    if let text { try AccessToken(chosen: text) } else { AccessToken() }
  }

  /// - Throws: `invalidIdentifier` unless the id can stand in a URL path as it is.
  static func checkIdentifier(_ id: String) throws(ReceiverError) {
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~@+".utf8)
    guard (1...128).contains(id.utf8.count), id.utf8.allSatisfy(allowed.contains), id != ".", id != ".." else {
      throw ReceiverError(
        .invalidIdentifier, "Ids of organisations and users have 1 to 128 letters, digits and -._~@+")
    }
  }
}

extension TokenDigest {
  fileprivate var blob: Data { Data(bytes) }
}

extension ReceiverAccount {
  fileprivate init(row: Row) {
    self.init(
      id: row["id"], organization: row["organization_id"], uid: row["uid"],
      // The table's CHECK admits no third word.
      status: Status(rawValue: row["status"]) ?? .suspended,
      createdAt: UTCTimestamp(milliseconds: row["created_at"]).text,
      updatedAt: UTCTimestamp(milliseconds: row["updated_at"]).text, number: row["number"])
  }
}
