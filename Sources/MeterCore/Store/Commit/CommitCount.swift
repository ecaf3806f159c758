internal import Foundation
internal import GRDB

/// How many transactions a state folder has committed, and which folder counts: in the database as the last thing of each
/// transaction, and in a file beside it (``CommitWitness``) once the transaction is on disk.
struct CommitCount: Equatable, Sendable {
  /// The database's own name, so that the count of another one is not taken for its own.
  var folder: String
  var number: Int64

  /// The table's name in the file.
  static let table = "commits"
  /// No folder gets there: what says that it has is damaged, or was written by somebody who wants the numbers to run out.
  static let limit: Int64 = 1 << 53

  static func fetch(_ db: Database) throws -> CommitCount {
    let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT folder, number FROM commits WHERE id = 1"))
    guard let row else {
      throw StoreError(.corrupt, "the row that counts commits is missing; run `meterhost doctor --repair`.")
    }
    let count = try CommitCount(folder: row["folder"], number: row["number"])
    guard count.isPossible else {
      throw StoreError(
        .corrupt, "the number of commits cannot be one; run `meterhost doctor --repair`.",
        cause: "\(count.number) in the column number")
    }
    return count
  }

  /// Whether a folder may have come to that number.
  var isPossible: Bool { (0...Self.limit).contains(number) }

  /// Removes a row whose number cannot be one.
  static func removeImpossible(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM commits WHERE number NOT BETWEEN 0 AND ?", arguments: [limit])
  }

  /// Writes the row as it is into the log: a log that begins with it is seen to continue the database (``LogOrigin``), whatever number
  /// comes next.
  static func repeatInLog(_ db: Database) throws {
    let count = try fetch(db)
    // SQLite writes no page that does not change.
    try db.execute(sql: "DELETE FROM commits")
    try db.execute(
      sql: "INSERT INTO commits (id, folder, number) VALUES (1, ?, ?)", arguments: [count.folder, count.number])
  }

  /// Makes the row of a database that has none.
  static func begin(_ db: Database) throws {
    try db.execute(
      sql: "INSERT OR IGNORE INTO commits (id, folder, number) VALUES (1, ?, 0)",
      arguments: [UUID().uuidString.lowercased()])
  }

  /// Counts a transaction that has changed something.
  ///
  /// - Returns: Its number.
  static func next(_ db: Database) throws -> Int64 {
    try db.cachedStatement(sql: "UPDATE commits SET number = number + 1 WHERE id = 1").execute()
    return try fetch(db).number
  }

  /// Goes on from a number that was given before: none is given twice.
  static func raise(_ db: Database, to number: Int64) throws {
    try db.execute(sql: "UPDATE commits SET number = max(number, ?) WHERE id = 1", arguments: [number])
  }
}

extension Salvage {
  /// What a database file counts, read without SQLite, which may write over what it does not take; nil when that cannot be
  /// read, or the file is of a version that does not count.
  static func commitCount(in image: DatabaseImage) -> CommitCount? {
    Salvage(image: image, shapes: []).firstRow(of: CommitCount.table).flatMap { CommitCount($0) }
  }
}

extension CommitCount {
  /// Nil for a row of another table, and for a number that cannot be one.
  init?(_ row: StoredRow) {
    // Where a new table's page was something else before a half-written checkpoint, there may be another table's or index's rows.
    guard row.rowid == 1, row.values.count == 3, row.values[0] == .null, case .text(let folder) = row.values[1],
      folder.utf8.count == 36, case .integer(let number) = row.values[2]
    else { return nil }
    self.init(folder: folder, number: number)
    guard isPossible else { return nil }
  }
}
