internal import Foundation
internal import GRDB

/// Whether a stored record is what was committed.
enum RecordWitness {
  struct Unreadable {
    let id: Int64
    let name: String
  }

  /// The records that are not: their content is no record, another one's, or not what its hash says.
  static func unreadable(_ db: Database) throws -> [Unreadable] {
    let rows = try Row.fetchCursor(
      db, sql: "SELECT id, log_id, revision, content, content_hash FROM record ORDER BY id")
    var found: [Unreadable] = []
    while let row = try rows.next() {
      if try !isWhole(row) { found.append(Unreadable(id: try row["id"], name: try row["log_id"])) }
    }
    return found
  }

  private static func isWhole(_ row: Row) throws -> Bool {
    let content: Data = try row["content"]
    guard let record = try? RecordCoding.decode(content) else { return false }
    return try record.logID.description == row["log_id"] && record.revision == row["revision"]
      && Data(record.contentHash) == row["content_hash"] && record.contentHash == record.computedHash
  }
}
