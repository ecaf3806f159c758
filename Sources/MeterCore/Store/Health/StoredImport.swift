internal import GRDB

/// An import as the store remembers it.
package struct StoredImport: Sendable, Hashable {
  /// How far it has come.
  package enum State: String, Sendable, Hashable, CaseIterable {
    /// It goes on, or was cut off: then it is done again from its beginning.
    case running
    /// Everything of it is in the queue.
    case done
    /// Everything that could be read of it is in the queue.
    case partial
    /// Nothing could be read.
    case failed
  }

  /// Its number; imports count from 1.
  package var number: Int64
  /// SHA-256 of the export's bytes in hexadecimal.
  package var digest: String
  /// What was wanted of it, in the importer's own form: the same bytes with another wish are another import.
  package var wish: String
  /// What people call the export.
  package var name: String
  /// How far it has come.
  package var state: State
  /// Microseconds since 1970-01-01T00:00Z.
  package var beganMicroseconds: Int64
  /// Microseconds since 1970-01-01T00:00Z; nil before its end.
  package var endedMicroseconds: Int64?
  /// What came of it, in the importer's own form; nil before its end.
  package var report: String?
}

extension MeterStore {
  /// Imports that are remembered for each user; of more the oldest go.
  static let importLimit = 1_000

  /// Notes that an import begins.
  ///
  /// - Returns: Its number.
  /// - Throws: ``StoreError`` with code `stale_generation` when the session is another one by now.
  package func beginImport(
    digest: String, wish: String, name: String, of generation: SessionGeneration
  ) throws(StoreError) -> Int64 {
    let now = Self.nowMicroseconds
    return try transaction { db in
      let owner = try Self.owner(db, of: generation)
      try db.execute(
        sql: """
          INSERT INTO health_import (owner, digest, wish, name, state, began_us) VALUES (?, ?, ?, ?, 'running', ?)
          """, arguments: [owner, digest, wish, name, now])
      let number = db.lastInsertedRowID
      try db.execute(
        sql: """
          DELETE FROM health_import WHERE owner = ?1 AND id NOT IN (
            SELECT id FROM health_import WHERE owner = ?1 ORDER BY id DESC LIMIT ?2)
          """, arguments: [owner, Self.importLimit])
      return number
    }
  }

  /// Notes how an import has ended, and tells of the records that it has put into the queue.
  ///
  /// - Parameter processed: How many records of each type are new or changed.
  /// - Throws: ``StoreError`` with code `stale_generation` when the session is another one by now.
  package func endImport(
    _ number: Int64, _ state: StoredImport.State, report: String, processed: [RecordType: Int],
    of generation: SessionGeneration
  ) throws(StoreError) {
    let now = Self.nowMicroseconds
    try transaction { db in
      let owner = try Self.owner(db, of: generation)
      try db.execute(
        sql: "UPDATE health_import SET state = ?, ended_us = ?, report = ? WHERE id = ? AND owner = ?",
        arguments: [state.rawValue, now, report, number, owner])
      for (type, count) in processed.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where count > 0 {
        try Self.log(.healthRecordsProcessed(HostEvent.ProcessedRecords(type: type, count: count)), db)
      }
    }
  }

  /// The imports of the session's user, the newest first.
  ///
  /// - Throws: ``StoreError``.
  package func imports(limit: Int = StoredImport.listed) throws(StoreError) -> [StoredImport] {
    try reading { db in
      try Row.fetchAll(
        db, sql: "SELECT * FROM health_import WHERE owner = ? ORDER BY id DESC LIMIT ?",
        arguments: [SessionRow.fetch(db).owner, limit]
      ).map(StoredImport.init)
    }
  }

  /// One import of the session's user; nil when there is none of this number.
  ///
  /// - Throws: ``StoreError``.
  package func importRow(_ number: Int64) throws(StoreError) -> StoredImport? {
    try reading { db in
      try Row.fetchOne(
        db, sql: "SELECT * FROM health_import WHERE owner = ? AND id = ?",
        arguments: [SessionRow.fetch(db).owner, number]
      ).map(StoredImport.init)
    }
  }

  /// The last import of the same bytes with the same wish that has ended; nil when there is none.
  ///
  /// - Throws: ``StoreError``.
  package func lastImport(digest: String, wish: String) throws(StoreError) -> StoredImport? {
    try reading { db in
      try Row.fetchOne(
        db,
        sql: """
          SELECT * FROM health_import WHERE owner = ? AND digest = ? AND wish = ? AND state IN ('done', 'partial')
          ORDER BY id DESC LIMIT 1
          """, arguments: [SessionRow.fetch(db).owner, digest, wish]
      ).map(StoredImport.init)
    }
  }
}

extension StoredImport {
  /// How many a list shows.
  package static let listed = 50

  init(_ row: Row) throws {
    let word: String = try row["state"]
    guard let state = State(rawValue: word) else { throw StoreError.unreadable(column: "state") }
    self.init(
      number: try row["id"], digest: try row["digest"], wish: try row["wish"], name: try row["name"], state: state,
      beganMicroseconds: try row["began_us"], endedMicroseconds: try row["ended_us"], report: try row["report"])
  }
}
