internal import Foundation
internal import GRDB

/// Secrets that belong to the host and not to a driver's storage: credentials, the session's token, bonds.
struct CredentialTable {
  let db: Database
  let vault: Vault

  static let table = "credential"

  func set(_ value: [UInt8], scope: String, subject: String, name: String) throws {
    // What is about to be replaced needs no key any more.
    try remove(scope: scope, subject: subject, name: name)
    let sealed = try vault.seal(
      value, .host, for: [Self.table, scope, subject, name], mayMakeKey: try !Self.holdsSecrets(db))
    try db.execute(
      sql: """
        INSERT INTO credential (scope, subject, name, value, changed_us) VALUES (?, ?, ?, ?, ?)
        """, arguments: [scope, subject, name, sealed, MeterStore.nowMicroseconds])
  }

  func get(scope: String, subject: String, name: String) throws -> [UInt8]? {
    let sealed = try Data.fetchOne(
      db.cachedStatement(sql: "SELECT value FROM credential WHERE scope = ? AND subject = ? AND name = ?"),
      arguments: [scope, subject, name])
    return try sealed.map { try vault.open($0, for: [Self.table, scope, subject, name]).bytes }
  }

  /// - Returns: Whether there was one.
  @discardableResult
  func remove(scope: String, subject: String, name: String) throws -> Bool {
    try db.execute(
      sql: "DELETE FROM credential WHERE scope = ? AND subject = ? AND name = ?", arguments: [scope, subject, name])
    return db.changesCount > 0
  }

  /// Whether anything in the database needs the key that encrypted it. What is sealed begins with the number of its layout.
  static func holdsSecrets(_ db: Database) throws -> Bool {
    try Bool.fetchOne(
      db,
      sql: """
        SELECT EXISTS (SELECT 1 FROM credential)
          OR EXISTS (SELECT 1 FROM storage WHERE \(StorageTable.isSecret) AND substr(value, 1, 1) = x'01')
        """) ?? false
  }
}

/// The session's tokens among the credentials: the one for its own receiver, and those for others.
struct TokenRow {
  private let table: CredentialTable
  private let subject: String

  private static let (scope, name) = ("session", "access-token")

  init(db: Database, vault: Vault, sink: String = MeterStore.defaultSink) {
    table = CredentialTable(db: db, vault: vault)
    subject = Self.subject(sink)
  }

  private static func subject(_ sink: String) -> String { sink == MeterStore.defaultSink ? "" : sink }

  func set(_ token: AccessToken) throws {
    try table.set(Array(token.secret.utf8), scope: Self.scope, subject: subject, name: Self.name)
  }

  func get() throws -> AccessToken? {
    let bytes = try table.get(scope: Self.scope, subject: subject, name: Self.name)
    return bytes.map { AccessToken(String(decoding: $0, as: UTF8.self)) }
  }

  /// Whether there is a token for the session's own receiver, and so a session.
  static func exists(_ db: Database) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM credential WHERE scope = ? AND subject = '' AND name = ?)",
      arguments: [scope, name]) ?? false
  }

  /// Removes the token for one sink, or all.
  static func remove(_ db: Database, sink: String? = nil) throws {
    try db.execute(
      sql: "DELETE FROM credential WHERE scope = ? AND name = ? AND subject = coalesce(?, subject)",
      arguments: [scope, name, sink.map(subject)])
  }
}
