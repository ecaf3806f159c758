// Users and organisations for requests.

extension ReceiverStore: ReceiverStorage {
  func account(token: AccessToken) async throws -> ReceiverAccount? {
    let digest = token.digest
    return try await read { try Self.account(token: digest, $0) }
  }

  func account(organization: String, uid: String) async throws -> ReceiverAccount? {
    try await read { try Self.account(organization: organization, uid: uid, $0) }
  }

  func organization(token: AccessToken) async throws -> String? {
    let digest = token.digest
    return try await read { try Self.organization(token: digest, $0) }
  }

  func users(organization: String, page: Page) async throws -> [ReceiverAccount] {
    try await read { try Self.accounts(organization: organization, page: page, $0) }
  }

  func countUsers(organization: String) async throws -> Int {
    try await read { database in
      try database.row("SELECT COUNT(*) AS total FROM account WHERE organization_id = $1", organization)?["total"] ?? 0
    }
  }

  func sources(of account: ReceiverAccount) async throws -> [UserSource] {
    try await read { database in
      try database.rows(
        """
        SELECT source_type, MIN(created_at) AS first_at, MAX(updated_at) AS last_at FROM record
        WHERE account_number = $1 AND source_type IS NOT NULL
        GROUP BY source_type ORDER BY first_at DESC, source_type LIMIT 100
        """, account.number
      ).map { row in
        UserSource(
          type: try row["source_type"], connectedAt: UTCTimestamp(milliseconds: try row["first_at"]).text,
          lastProcessedAt: UTCTimestamp(milliseconds: try row["last_at"]).text)
      }
    }
  }

  func makeUser(
    _ uid: String, location: UserLocation, organization: String
  ) async throws -> (account: ReceiverAccount, token: String) {
    try Self.checkIdentifier(uid)
    let (token, time) = (AccessToken(), timestamp)
    let account = try await write {
      try Self.insertUser(uid, location, of: organization, token: token, time: time, $0)
    }
    return (account, token.secret)
  }

  func refreshToken(organization: String, uid: String) async throws -> (account: ReceiverAccount, token: String) {
    let (token, time) = (AccessToken(), timestamp)
    let account = try await write {
      try Self.setToken(token, organization: organization, uid: uid, time: time, $0)
    }
    return (account, token.secret)
  }

  func changeLocation(
    _ change: UserLocation.Change, organization: String, uid: String
  ) async throws -> ReceiverAccount {
    let time = timestamp
    return try await write { database in
      let account = try Self.require(organization: organization, uid: uid, database)
      let location = UserLocation(
        timeZone: change.timeZone ?? account.timeZone, countryCode: change.countryCode ?? account.countryCode)
      try database.execute(
        "UPDATE account SET time_zone = $1, country_code = $2, updated_at = $3 WHERE number = $4",
        location.timeZone, location.countryCode, time, account.number)
      return try Self.require(organization: organization, uid: uid, database)
    }
  }

  func changeStatus(
    _ status: ReceiverAccount.Status, organization: String, uid: String
  ) async throws -> ReceiverAccount {
    let time = timestamp
    return try await write {
      try Self.setStatus(status, organization: organization, uid: uid, time: time, $0)
    }
  }

  func removeUser(organization: String, uid: String) async throws -> ReceiverAccount {
    try await write { try Self.deleteUser(organization: organization, uid: uid, $0) }
  }
}
