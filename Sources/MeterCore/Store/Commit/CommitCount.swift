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

  static func fetch(_ db: Database) throws -> CommitCount {
    let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT folder, number FROM commits WHERE id = 1"))
    guard let row else {
      throw StoreError(.corrupt, "the row that counts commits is missing; run `meterhost doctor --repair`.")
    }
    return try CommitCount(folder: row["folder"], number: row["number"])
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
    Salvage(image: image, shapes: []).firstRow(of: CommitCount.table).flatMap { row in
      guard row.values.count == 3, case .text(let folder) = row.values[1], case .integer(let number) = row.values[2]
      else { return nil }
      return CommitCount(folder: folder, number: number)
    }
  }
}
