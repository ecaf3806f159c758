import Foundation
import GRDB

// Users and organisations inside a transaction.

extension ReceiverStore {
  static func account(organization: String, uid: String, _ database: Database) throws -> ReceiverAccount? {
    // SQLite's text ends at a NUL: what is no id must not find the user whose id it begins with.
    guard (try? checkIdentifier(organization)) != nil, (try? checkIdentifier(uid)) != nil else { return nil }
    return try Row.fetchOne(
      database, sql: "SELECT * FROM account WHERE organization_id = ? AND uid = ?", arguments: [organization, uid]
    ).map(ReceiverAccount.init(row:))
  }

  static func accounts(organization: String, page: Page, _ database: Database) throws -> [ReceiverAccount] {
    try Row.fetchAll(
      database, sql: "SELECT * FROM account WHERE organization_id = ? ORDER BY number LIMIT ? OFFSET ?",
      arguments: [organization, page.limit, page.offset]
    ).map(ReceiverAccount.init(row:))
  }

  static func account(token: TokenDigest, _ database: Database) throws -> ReceiverAccount? {
    try Row.fetchAll(database, sql: "SELECT * FROM account WHERE token_lookup = ?", arguments: [token.lookup])
      .first { token.matches(Array($0["token_digest"] as Data)) }
      .map(ReceiverAccount.init(row:))
  }

  static func organization(token: TokenDigest, _ database: Database) throws -> String? {
    try Row.fetchAll(database, sql: "SELECT * FROM organization WHERE token_lookup = ?", arguments: [token.lookup])
      .first { token.matches(Array($0["token_digest"] as Data)) }
      .map { $0["id"] }
  }

  static func organizationExists(_ id: String, _ database: Database) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM organization WHERE id = ?)", arguments: [id]) ?? false
  }

  static func require(organization: String, uid: String, _ database: Database) throws -> ReceiverAccount {
    guard let account = try account(organization: organization, uid: uid, database) else {
      throw ReceiverError(.notFound, "There is no user \(uid) in organisation \(organization)")
    }
    return account
  }

  /// A token names one user or one organisation: shared ones would mix two people's readings.
  static func checkUnused(_ digest: TokenDigest, _ database: Database) throws {
    guard try account(token: digest, database) == nil, try organization(token: digest, database) == nil else {
      throw ReceiverError(.tokenInUse, "The token belongs to another user or organisation; choose another one")
    }
  }

  static func token(chosen text: String?) throws(ReceiverError) -> AccessToken {
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

// MARK: - Changes

extension ReceiverStore {
  static func insertUser(
    _ uid: String, _ location: UserLocation, of organization: String, token: AccessToken, time: Int64,
    _ database: Database
  ) throws -> ReceiverAccount {
    guard try organizationExists(organization, database) else {
      throw ReceiverError(.notFound, "There is no organisation \(organization); make it first")
    }
    guard try account(organization: organization, uid: uid, database) == nil else {
      throw ReceiverError(.alreadyExists, "The user \(uid) of organisation \(organization) exists already")
    }
    try checkUnused(token.digest, database)
    try database.execute(
      sql: """
        INSERT INTO account (id, organization_id, uid, token_lookup, token_digest, status, time_zone, country_code,
          created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, 'active', ?, ?, ?, ?)
        """,
      arguments: [
        makeIdentifier(), organization, uid, token.digest.lookup, token.digest.blob, location.timeZone,
        location.countryCode, time, time,
      ])
    return try require(organization: organization, uid: uid, database)
  }

  @discardableResult
  static func setToken(
    _ token: AccessToken, organization: String, uid: String, time: Int64, _ database: Database
  ) throws -> ReceiverAccount {
    let account = try require(organization: organization, uid: uid, database)
    try checkUnused(token.digest, database)
    try database.execute(
      sql: "UPDATE account SET token_lookup = ?, token_digest = ?, updated_at = ? WHERE number = ?",
      arguments: [token.digest.lookup, token.digest.blob, time, account.number])
    return try require(organization: organization, uid: uid, database)
  }

  @discardableResult
  static func setStatus(
    _ status: ReceiverAccount.Status, organization: String, uid: String, time: Int64, _ database: Database
  ) throws -> ReceiverAccount {
    let account = try require(organization: organization, uid: uid, database)
    guard account.status != status else { return account }
    try database.execute(
      sql: "UPDATE account SET status = ?, updated_at = ? WHERE number = ?",
      arguments: [status.rawValue, time, account.number])
    return try require(organization: organization, uid: uid, database)
  }

  /// The schema lets nothing of a user stay behind without them: their rows go first.
  @discardableResult
  static func deleteUser(organization: String, uid: String, _ database: Database) throws -> ReceiverAccount {
    let account = try require(organization: organization, uid: uid, database)
    try database.execute(sql: "DELETE FROM record WHERE account_number = ?", arguments: [account.number])
    try database.execute(sql: "DELETE FROM account WHERE number = ?", arguments: [account.number])
    return account
  }
}

extension TokenDigest {
  var blob: Data { Data(bytes) }
}

extension ReceiverAccount {
  init(row: Row) {
    self.init(
      id: row["id"], organization: row["organization_id"], uid: row["uid"],
      // The table's CHECK admits no third word.
      status: Status(rawValue: row["status"]) ?? .suspended,
      timeZone: row["time_zone"], countryCode: row["country_code"],
      createdAt: UTCTimestamp(milliseconds: row["created_at"]).text,
      updatedAt: UTCTimestamp(milliseconds: row["updated_at"]).text, number: row["number"])
  }
}
