// Users and organisations inside a transaction.

extension ReceiverStore {
  static func account(organization: String, uid: String, _ database: any StoreTransaction) throws -> ReceiverAccount? {
    // SQLite's text ends at a NUL: what is no id must not find the user whose id it begins with.
    guard (try? checkIdentifier(organization)) != nil, (try? checkIdentifier(uid)) != nil else { return nil }
    return try database.row("SELECT * FROM account WHERE organization_id = $1 AND uid = $2", organization, uid)
      .map(ReceiverAccount.init(row:))
  }

  static func accounts(organization: String, page: Page, _ database: any StoreTransaction) throws -> [ReceiverAccount] {
    try database.rows(
      "SELECT * FROM account WHERE organization_id = $1 ORDER BY number LIMIT $2 OFFSET $3", organization, page.limit,
      page.offset
    ).map(ReceiverAccount.init(row:))
  }

  static func account(token: TokenDigest, _ database: any StoreTransaction) throws -> ReceiverAccount? {
    try database.rows("SELECT * FROM account WHERE token_lookup = $1", token.lookup)
      .first { token.matches(try $0["token_digest"]) }
      .map(ReceiverAccount.init(row:))
  }

  static func organization(token: TokenDigest, _ database: any StoreTransaction) throws -> String? {
    try database.rows("SELECT * FROM organization WHERE token_lookup = $1", token.lookup)
      .first { token.matches(try $0["token_digest"]) }
      .map { try $0["id"] }
  }

  static func organizationExists(_ id: String, _ database: any StoreTransaction) throws -> Bool {
    guard (try? checkIdentifier(id)) != nil else { return false }
    return try database.row("SELECT id FROM organization WHERE id = $1", id) != nil
  }

  static func require(organization: String, uid: String, _ database: any StoreTransaction) throws -> ReceiverAccount {
    guard let account = try account(organization: organization, uid: uid, database) else {
      throw ReceiverError(.notFound, "There is no user \(uid) in organisation \(organization)")
    }
    return account
  }

  /// A token names one user or one organisation: shared ones would mix two people's readings.
  static func checkUnused(_ digest: TokenDigest, _ database: any StoreTransaction) throws {
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
    _ database: any StoreTransaction
  ) throws -> ReceiverAccount {
    guard try organizationExists(organization, database) else {
      throw ReceiverError(.notFound, "There is no organisation \(organization); make it first")
    }
    guard try account(organization: organization, uid: uid, database) == nil else {
      throw ReceiverError(.alreadyExists, "The user \(uid) of organisation \(organization) exists already")
    }
    try checkUnused(token.digest, database)
    try database.execute(
      """
      INSERT INTO account (id, organization_id, uid, token_lookup, token_digest, status, time_zone, country_code,
        created_at, updated_at)
      VALUES ($1, $2, $3, $4, $5, 'active', $6, $7, $8, $9)
      """,
      makeIdentifier(), organization, uid, token.digest.lookup, token.digest.bytes, location.timeZone,
      location.countryCode, time, time)
    return try require(organization: organization, uid: uid, database)
  }

  @discardableResult
  static func setToken(
    _ token: AccessToken, organization: String, uid: String, time: Int64, _ database: any StoreTransaction
  ) throws -> ReceiverAccount {
    let account = try require(organization: organization, uid: uid, database)
    try checkUnused(token.digest, database)
    try database.execute(
      "UPDATE account SET token_lookup = $1, token_digest = $2, updated_at = $3 WHERE number = $4",
      token.digest.lookup, token.digest.bytes, time, account.number)
    return try require(organization: organization, uid: uid, database)
  }

  @discardableResult
  static func setStatus(
    _ status: ReceiverAccount.Status, organization: String, uid: String, time: Int64, _ database: any StoreTransaction
  ) throws -> ReceiverAccount {
    let account = try require(organization: organization, uid: uid, database)
    guard account.status != status else { return account }
    try database.execute(
      "UPDATE account SET status = $1, updated_at = $2 WHERE number = $3", status.rawValue, time, account.number)
    return try require(organization: organization, uid: uid, database)
  }

  /// The schema lets nothing of a user stay behind without them: their rows go first.
  @discardableResult
  static func deleteUser(organization: String, uid: String, _ database: any StoreTransaction) throws -> ReceiverAccount
  {
    let account = try require(organization: organization, uid: uid, database)
    try database.execute("DELETE FROM record WHERE account_number = $1", account.number)
    try database.execute("DELETE FROM refused WHERE account_number = $1", account.number)
    try database.execute("DELETE FROM account WHERE number = $1", account.number)
    return account
  }
}

extension ReceiverAccount {
  init(row: SQLRow) throws(ReceiverError) {
    self.init(
      id: try row["id"], organization: try row["organization_id"], uid: try row["uid"],
      // The table's CHECK admits no third word.
      status: Status(rawValue: try row["status"]) ?? .suspended,
      timeZone: try row[optional: "time_zone"], countryCode: try row[optional: "country_code"],
      createdAt: UTCTimestamp(milliseconds: try row["created_at"]).text,
      updatedAt: UTCTimestamp(milliseconds: try row["updated_at"]).text, number: try row["number"])
  }
}
