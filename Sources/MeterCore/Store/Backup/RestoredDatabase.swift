internal import Foundation
internal import GRDB

/// What a restored database holds.
package struct DatabaseContents: Sendable, Hashable {
  /// Records that wait for something.
  package var records = 0
  /// Those whose content is not what was committed: damaged before the backup was made.
  package var damaged: [String] = []
  /// Tokens of receivers.
  package var tokens = 0
  /// Keys and licences of meters.
  package var keys = 0
  /// Bonds with meters.
  package var bonds = 0
  /// What drivers keep in secret.
  package var driverSecrets = 0

  /// Whether anything in it needs the key of the vault.
  package var hasSecrets: Bool { tokens + keys + bonds + driverSecrets > 0 }
}

/// How a restored state folder goes on.
package struct RestoredIdentity: Sendable {
  /// Whether it is the machine that the backup was made on: it keeps its name.
  package var isSameMachine: Bool
  /// Which backup it came from.
  package var backup: LastBackup

  package init(isSameMachine: Bool, backup: LastBackup) {
    (self.isSameMachine, self.backup) = (isSameMachine, backup)
  }
}

/// The database of a backup, before anybody takes it for a gateway's.
struct RestoredDatabase {
  private let queue: DatabaseQueue
  private let migrator: DatabaseMigrator

  /// Events that may have been told after the backup was made: their numbers are not given again, so that a listener that was told
  /// of them hears that it has missed some. Less than the log keeps.
  private static let eventGap = 50_000

  init(path: String, _ vault: Vault) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA secure_delete = ON") }
    queue = try DatabaseQueue(path: path, configuration: configuration)
    migrator = StoreSchema.migrator(vault)
  }

  func close() throws { try queue.close() }

  /// Looks at every page and every record.
  ///
  /// - Throws: ``StoreError/Code/newerVersion``, ``StoreError/Code/corrupt``.
  func check() throws -> DatabaseContents {
    try queue.read { db in
      guard try !migrator.hasBeenSuperseded(db) else {
        throw StoreError(.newerVersion, "a newer MeterHost made this backup; install that version or a later one.")
      }
      let problems = try String.fetchAll(db, sql: "PRAGMA integrity_check(5)").filter { $0 != "ok" }
      guard problems.isEmpty else {
        throw StoreError(
          .corrupt, "the state database in the backup is damaged; use another backup.",
          cause: problems.joined(separator: "; "))
      }
      if try migrator.hasCompletedMigrations(db) { try StoreSchema.check(db, migrator) }
      // Whatever else is missing: without this row it is no database of a gateway.
      _ = try CommitCount.fetch(db)
      _ = try SessionRow.fetch(db)
      return try contents(db)
    }
  }

  private func contents(_ db: Database) throws -> DatabaseContents {
    func count(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: sql) ?? 0 }
    var contents = DatabaseContents()
    contents.records = try count("SELECT count(*) FROM record")
    contents.damaged = try RecordWitness.unreadable(db).map(\.name)
    contents.tokens = try count("SELECT count(*) FROM credential WHERE scope = 'session'")
    contents.bonds = try count("SELECT count(*) FROM credential WHERE scope = 'bond'")
    contents.keys = try count("SELECT count(*) FROM credential WHERE scope NOT IN ('session', 'bond')")
    contents.driverSecrets = try count("SELECT count(*) FROM storage WHERE \(Self.isSealed)")
    return contents
  }

  /// Whether the secrets were encrypted with a key.
  func isOpened(by key: VaultKey) throws -> Bool {
    try queue.read { db in
      let sealed = try Data.fetchOne(
        db, sql: "SELECT value FROM credential UNION ALL SELECT value FROM storage WHERE \(Self.isSealed) LIMIT 1")
      guard let sealed else { return true }
      return sealed.dropFirst(2).prefix(VaultKey.fingerprintLength).elementsEqual(key.fingerprint)
    }
  }

  /// Makes it the database of a folder that goes on from here.
  ///
  /// - Parameter keepsSecrets: Whether the key to the secrets is there. Without it they go: nothing could open them, and nothing
  ///   could be encrypted beside them.
  /// - Returns: What it counts.
  func settle(_ identity: RestoredIdentity, keepsSecrets: Bool) throws -> CommitCount {
    let count = try queue.write { db in
      if !identity.isSameMachine {
        try db.execute(sql: "UPDATE commits SET folder = ?", arguments: [UUID().uuidString.lowercased()])
      }
      // Nobody waits for an answer any more: what was being sent is sent again, under the same names.
      try db.execute(
        sql: "UPDATE delivery SET state = 'pending', confirm_by_us = NULL WHERE state = 'inFlight'")
      try db.execute(sql: "UPDATE media_delivery SET state = 'pending' WHERE state = 'inFlight'")
      if !keepsSecrets { try Self.dropSecrets(db) }
      try Self.skipEvents(db)
      let restoration = Restoration(
        microseconds: MeterStore.nowMicroseconds, madeMicroseconds: identity.backup.microseconds,
        isSameMachine: identity.isSameMachine)
      try Self.note(MeterStore.text(identity.backup), MeterStore.lastBackupSetting, db)
      try Self.note(MeterStore.text(restoration), MeterStore.restorationSetting, db)
      _ = try CommitCount.next(db)
      return try CommitCount.fetch(db)
    }
    return count
  }

  private static func note(_ text: String, _ name: String, _ db: Database) throws {
    try db.execute(
      sql: "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      arguments: [MeterStore.hostSettingName(name), text])
  }

  private static let isSealed = "\(StorageTable.isSecret) AND substr(value, 1, 1) = x'01'"

  private static func dropSecrets(_ db: Database) throws {
    try db.execute(
      sql: """
        UPDATE meter SET paired_us = NULL, bond = NULL WHERE EXISTS (
          SELECT 1 FROM credential WHERE scope = 'bond'
            AND (subject = meter.address OR substr(subject, -length(meter.address) - 1) = '/' || meter.address))
        """)
    try db.execute(sql: "DELETE FROM credential")
    try db.execute(sql: "DELETE FROM storage WHERE \(isSealed)")
  }

  private static func skipEvents(_ db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO sqlite_sequence (name, seq)
          SELECT 'event', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'event')
        """)
    try db.execute(sql: "UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'event'", arguments: [eventGap])
  }
}
