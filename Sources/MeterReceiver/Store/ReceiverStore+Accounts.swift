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
        "INSERT INTO organization (id, token_lookup, token_digest, created_at) VALUES ($1, $2, $3, $4)",
        id, token.digest.lookup, token.digest.bytes, timestamp)
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
    let time = timestamp
    let account = try write {
      try Self.insertUser(uid, UserLocation(), of: organization, token: token, time: time, $0)
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
    let time = timestamp
    _ = try write { try Self.setToken(token, organization: organization, uid: uid, time: time, $0) }
    return token.secret
  }

  /// Suspends a user or lets them upload again.
  ///
  /// - Throws: `notFound` or `databaseFailure`.
  public func setStatus(
    _ status: ReceiverAccount.Status, organization: String, uid: String
  ) throws(ReceiverError) {
    let time = timestamp
    _ = try write { try Self.setStatus(status, organization: organization, uid: uid, time: time, $0) }
  }

  /// Deletes a user with everything of theirs: token, records and images. Nothing of it can be read again.
  ///
  /// - Throws: `notFound` or `databaseFailure`.
  public func deleteUser(organization: String, uid: String) throws(ReceiverError) {
    _ = try write { try Self.deleteUser(organization: organization, uid: uid, $0) }
  }

  /// The user of that name, or nil.
  ///
  /// - Throws: `databaseFailure`.
  public func user(organization: String, uid: String) throws(ReceiverError) -> ReceiverAccount? {
    try read { try Self.account(organization: organization, uid: uid, $0) }
  }

  /// Makes an organisation of a start option exist with its token, however often the receiver is started.
  func provision(_ seed: ReceiverConfiguration.Organization) throws(ReceiverError) {
    guard try read({ try Self.organizationExists(seed.id, $0) }) else {
      try createOrganization(seed.id, token: seed.token)
      return
    }
    let token = try AccessToken(chosen: seed.token)
    try write { database in
      guard try Self.organization(token: token.digest, database) != seed.id else { return }
      try Self.checkUnused(token.digest, database)
      try database.execute(
        "UPDATE organization SET token_lookup = $1, token_digest = $2 WHERE id = $3",
        token.digest.lookup, token.digest.bytes, seed.id)
    }
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
