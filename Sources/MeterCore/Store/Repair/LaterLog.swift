internal import Foundation
internal import GRDB

/// The pages of a write-ahead log that goes on from a later state of a database than the one that is there.
///
/// Its pages do not fit the database's: rows have moved between pages in the meantime. But each page of a table holds whole rows, and
/// a reading says itself whether it is what was committed.
struct LaterLog {
  /// The database with the log: rows that need more than one page go on in it.
  let image: DatabaseImage

  /// Puts the readings of the log that the database does not have into it, without deliveries: whether they were held, refused or
  /// delivered nobody knows any more.
  ///
  /// - Returns: The names of those of which the database has another content under the same name, or that cannot be read: they are
  ///   only in the log.
  func takeReadings(_ db: Database, _ shapes: [TableShape]) throws -> [String] {
    guard let shape = shapes.first(where: { $0.name == "record" }) else { return [] }
    var lost: [String] = []
    for (_, content) in image.pagesOfLog {
      // What is the first page begins with other bytes than a table's.
      for row in TreePage(content: content, in: image)?.rows ?? [] where shape.fits(row) {
        guard let reading = Reading(row, shape) else { continue }
        if try !take(reading, db) { lost.append(reading.logID) }
      }
    }
    return lost
  }

  /// A row of the table of readings.
  private struct Reading {
    let owner: String
    let logID: String
    let revision: Int64
    let isSuspect: Int64
    let content: Data
    let hash: Data
    let committed: Int64

    init?(_ row: StoredRow, _ shape: TableShape) {
      guard case .text(let owner) = shape.value("owner", of: row),
        case .text(let logID) = shape.value("log_id", of: row),
        case .integer(let revision) = shape.value("revision", of: row),
        case .blob(let content) = shape.value("content", of: row),
        case .blob(let hash) = shape.value("content_hash", of: row),
        case .integer(let committed) = shape.value("committed_us", of: row)
      else { return nil }
      var isSuspect: Int64 = 0
      if case .integer(let value) = shape.value("suspect", of: row) { isSuspect = value }
      (self.owner, self.logID, self.revision) = (owner, logID, revision)
      (self.content, self.hash, self.committed) = (Data(content), Data(hash), committed)
      self.isSuspect = isSuspect
    }

    var isWhole: Bool {
      guard let record = try? RecordCoding.decode(content) else { return false }
      return record.logID.description == logID && Int64(record.revision) == revision
        && Data(record.contentHash) == hash && record.contentHash == record.computedHash
    }
  }

  /// Under a number of its own: the database may have given the log's to another reading.
  private func take(_ reading: Reading, _ db: Database) throws -> Bool {
    let isKnown = try Bool.fetchOne(
      db,
      sql: "SELECT EXISTS (SELECT 1 FROM record WHERE owner = ? AND log_id = ? AND suspect = ? AND content_hash = ?)",
      arguments: [reading.owner, reading.logID, reading.isSuspect, reading.hash])
    guard isKnown != true else { return true }
    guard reading.isWhole else { return false }
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO record (owner, log_id, revision, suspect, content, content_hash, committed_us)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        reading.owner, reading.logID, reading.revision, reading.isSuspect, reading.content, reading.hash,
        reading.committed,
      ])
    return db.changesCount > 0
  }
}
