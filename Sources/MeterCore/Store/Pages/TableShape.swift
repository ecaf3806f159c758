internal import GRDB

/// How the rows of one table look: what tells them apart where nothing else says whose a page was.
struct TableShape {
  struct Column {
    let name: String
    let type: String
    let mayBeNull: Bool
    /// The alias of the rowid: stored as null.
    let isRowid: Bool
  }

  let name: String
  let hasRowids: Bool
  /// In the order in which they are stored.
  let columns: [Column]
  /// How many of them every row has; later versions have added the others.
  let required: Int

  /// The tables of a database, but SQLite's and GRDB's own.
  static func all(_ db: Database) throws -> [TableShape] {
    let tables = try Row.fetchAll(
      db, sql: "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    return try tables.compactMap { table in
      let name: String = try table["name"]
      guard !name.hasPrefix("sqlite_"), !name.hasPrefix("grdb_") else { return nil }
      return try TableShape(db, name, hasRowids: !(try table["wr"] as Bool))
    }
  }

  private init(_ db: Database, _ name: String, hasRowids: Bool) throws {
    self.name = name
    self.hasRowids = hasRowids
    let rows = try Row.fetchAll(db, sql: "SELECT * FROM pragma_table_info(?) ORDER BY cid", arguments: [name])
    let keys = try rows.filter { try ($0["pk"] as Int) > 0 }
    let ordered =
      hasRowids
      ? rows
      : try keys.sorted { try ($0["pk"] as Int) < ($1["pk"] as Int) } + rows.filter { try ($0["pk"] as Int) == 0 }
    columns = try ordered.map { row in
      let isKey = try (row["pk"] as Int) > 0
      let type: String = try row["type"]
      let isRowid = hasRowids && isKey && keys.count == 1 && type == "INTEGER"
      return try Column(
        name: row["name"], type: type, mayBeNull: !(row["notnull"] as Bool) && !(isKey && !hasRowids), isRowid: isRowid)
    }
    let defaults = Set(
      try rows.filter { try ($0["dflt_value"] as String?) != nil }.map { try $0["name"] as String })
    required = (columns.lastIndex { !$0.mayBeNull && !defaults.contains($0.name) } ?? columns.startIndex) + 1
  }

  /// Whether a row could be one of this table.
  func fits(_ row: StoredRow) -> Bool {
    guard (row.rowid != nil) == hasRowids, (required...columns.count).contains(row.values.count) else { return false }
    return zip(columns, row.values).allSatisfy { column, value in
      switch value {
      case .null: column.mayBeNull || column.isRowid
      case .integer: column.type == "INTEGER" && !column.isRowid
      case .real: column.type == "REAL"
      case .text: column.type == "TEXT"
      case .blob: column.type == "BLOB"
      }
    }
  }

  /// The row's value in a column; null where an older version wrote it without.
  func value(_ name: String, of row: StoredRow) -> StoredValue {
    guard let index = columns.firstIndex(where: { $0.name == name }), index < row.values.count else { return .null }
    if columns[index].isRowid { return row.rowid.map(StoredValue.integer) ?? .null }
    return row.values[index]
  }
}
