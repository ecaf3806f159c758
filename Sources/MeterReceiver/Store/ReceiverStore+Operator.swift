// What an operator does beside a running receiver, in its database.

/// A user as an operator sees them.
package struct UserOverview: Sendable {
  package let account: ReceiverAccount
  /// How many records of theirs are stored, of all types.
  package let readings: Int
}

/// An organisation as an operator sees it.
package struct OrganizationOverview: Sendable {
  package let id: String
  /// How many users it has.
  package let users: Int
}

extension ReceiverStore {
  /// Every user of one organisation, or of all, by organisation and in the order in which they were made.
  ///
  /// - Throws: `notFound` when there is no such organisation, else `databaseFailure` and what is said with it.
  package func overview(organization: String?) throws(ReceiverError) -> [UserOverview] {
    try read { database -> [UserOverview] in
      if let organization, try !Self.organizationExists(organization, database) {
        throw ReceiverError(.notFound, "There is no organisation \(organization)")
      }
      let users = """
        SELECT account.*, (SELECT COUNT(*) FROM record WHERE record.account_number = account.number) AS total FROM account
        """
      let rows =
        if let organization {
          try database.rows("\(users) WHERE organization_id = $1 ORDER BY number", organization)
        } else {
          try database.rows("\(users) ORDER BY organization_id, number")
        }
      return try rows.map { UserOverview(account: try ReceiverAccount(row: $0), readings: try $0["total"]) }
    }
  }

  /// A user with the number of their records; nil where there is none.
  ///
  /// - Throws: `databaseFailure` and what is said with it.
  package func overview(organization: String, uid: String) throws(ReceiverError) -> UserOverview? {
    try read { database -> UserOverview? in
      guard let account = try Self.account(organization: organization, uid: uid, database) else { return nil }
      return UserOverview(account: account, readings: try Self.countReadings(of: account, database))
    }
  }

  /// Every organisation, by its id.
  ///
  /// - Throws: `databaseFailure` and what is said with it.
  package func organizations() throws(ReceiverError) -> [OrganizationOverview] {
    try read { database -> [OrganizationOverview] in
      try database.rows(
        """
        SELECT id, (SELECT COUNT(*) FROM account WHERE account.organization_id = organization.id) AS total
        FROM organization ORDER BY id
        """
      ).map { OrganizationOverview(id: try $0["id"], users: try $0["total"]) }
    }
  }

  /// Whether nobody can upload or be made a user.
  ///
  /// - Throws: `databaseFailure` and what is said with it.
  package func isWithoutUsers() throws(ReceiverError) -> Bool {
    try read { try $0.row("SELECT id FROM organization LIMIT 1") == nil }
  }

  /// Gives an organisation another token; the old one is refused from then on.
  ///
  /// - Returns: The new token, which cannot be read again.
  /// - Throws: `notFound`, or `databaseFailure` and what is said with it.
  package func replaceToken(organization: String) throws(ReceiverError) -> String {
    let token = AccessToken()
    try write { database in
      // SQLite's text ends at a NUL: what is no id must not find the organisation whose id it begins with.
      guard (try? Self.checkIdentifier(organization)) != nil, try Self.organizationExists(organization, database) else {
        throw ReceiverError(.notFound, "There is no organisation \(organization)")
      }
      try database.execute(
        "UPDATE organization SET token_lookup = $1, token_digest = $2 WHERE id = $3", token.digest.lookup,
        token.digest.bytes, organization)
    }
    return token.secret
  }

  /// Deletes a user; their records and images go with them, or keep them.
  ///
  /// - Parameter withReadings: Whether a user who has records is deleted at all. Nothing of it can be read again.
  /// - Returns: How many records were deleted.
  /// - Throws: `hasReadings` when there are records and they were not to go, `notFound`, or `databaseFailure` and what is said with it.
  package func deleteUser(organization: String, uid: String, withReadings: Bool) throws(ReceiverError) -> Int {
    try write { database -> Int in
      let account = try Self.require(organization: organization, uid: uid, database)
      let count = try Self.countReadings(of: account, database)
      guard count == 0 || withReadings else {
        throw ReceiverError(
          .hasReadings,
          "The user \(uid) of organisation \(organization) has \(count) stored readings; nothing was deleted")
      }
      try Self.deleteUser(organization: organization, uid: uid, database)
      return count
    }
  }

  private static func countReadings(of account: ReceiverAccount, _ database: any StoreTransaction) throws -> Int {
    try database.row("SELECT COUNT(*) AS total FROM record WHERE account_number = $1", account.number)?["total"] ?? 0
  }
}
