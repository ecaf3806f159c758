internal import GRDB
internal import Synchronization

extension StoreSchema {
  /// One table, index or trigger.
  private struct Object: Hashable, Sendable {
    let type: String
    let name: String
    let table: String
    let text: String
  }

  /// What the migrations make, once a process.
  private static let made = Mutex<[Object]?>(nil)

  /// Compares the tables, indexes and triggers of an opened database with those that its version makes. SQLite believes the
  /// text that stands in the file: a changed letter there renames a column, and what asks for it finds nothing.
  ///
  /// - Throws: `StoreError` with code `corrupt`, which names what is missing or changed.
  static func check(_ db: Database, _ migrator: DatabaseMigrator) throws {
    let expected = try made.withLock { made in
      if let made { return made }
      let fresh = try DatabaseQueue()
      try migrator.migrate(fresh)
      let objects = try fresh.read(objects)
      made = objects
      return objects
    }
    let found = Set(try objects(db))
    if let changed = expected.first(where: { !found.contains($0) }) {
      throw damage("the \(changed.type) \(changed.name) is not what this version makes")
    }
    // Two that claim the same page: one of them reads the other's rows.
    let shared = try Int.fetchOne(
      db, sql: "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0 GROUP BY rootpage HAVING count(*) > 1")
    if let shared { throw damage("page \(shared) belongs to two tables") }
  }

  private static func damage(_ cause: String) -> StoreError {
    StoreError(
      .corrupt,
      "the tables of the state database are damaged; run `meterhost doctor --repair`, which keeps everything that can be "
        + "read.", cause: cause)
  }

  private static func objects(_ db: Database) throws -> [Object] {
    try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, coalesce(sql, '') AS text FROM sqlite_schema").map { row in
      let name: String = try row["name"]
      let text: String = try row["text"]
      // Of GRDB's own table only the name is ours to expect.
      return try Object(
        type: row["type"], name: name, table: row["tbl_name"], text: name.hasPrefix("grdb_") ? "" : words(text))
    }
  }

  /// The text without its line breaks and indentation, which mean nothing.
  private static func words(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
