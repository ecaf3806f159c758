internal import Foundation
internal import GRDB

/// A content that was committed under a name.
struct Seen {
  let revision: Int
  let contentHash: Data
  let primaryHash: Data
  let isSuspect: Bool

  static func fetch(_ db: Database, owner: String, logID: String) throws -> [Seen] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT revision, content_hash, primary_hash, suspect FROM seen
          WHERE owner = ? AND log_id = ? ORDER BY revision
          """), arguments: [owner, logID]
    ).map { row in
      Seen(
        revision: row["revision"], contentHash: row["content_hash"], primaryHash: row["primary_hash"],
        isSuspect: row["suspect"])
    }
  }
}
