internal import Foundation
internal import GRDB

/// A content that was committed under a name.
struct Seen {
  let revision: Int
  let contentHash: Data
  let primaryHash: Data
  let isSuspect: Bool
  /// A person has thrown it away.
  let isDiscarded: Bool

  static func fetch(_ db: Database, owner: String, logID: String) throws -> [Seen] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT revision, content_hash, primary_hash, suspect, discarded_us IS NOT NULL AS discarded FROM seen
          WHERE owner = ? AND log_id = ? ORDER BY revision
          """), arguments: [owner, logID]
    ).map { row in
      try Seen(
        revision: row["revision"], contentHash: row["content_hash"], primaryHash: row["primary_hash"],
        isSuspect: row["suspect"], isDiscarded: row["discarded"])
    }
  }

  /// Whether a person has thrown the reading away of which this is another content, such as a meal that came later. A sum
  /// that has grown is another value, which nobody has thrown away.
  ///
  /// - Parameter isSuspect: Whether it is one that came under the name of another reading.
  static func isThrownAway(_ record: Record, _ seen: [Seen], isSuspect: Bool) -> Bool {
    guard record.identityClass != .summary else { return false }
    let primaryHash = Data(record.primaryHash)
    let contents = seen.filter { $0.isSuspect == isSuspect }
    // Those that came under one reading's name are different readings.
    if isSuspect { return contents.contains { $0.isDiscarded && $0.primaryHash == primaryHash } }
    return contents.last?.isDiscarded == true && contents.contains { $0.primaryHash == primaryHash }
  }

  /// The revision of the next reading that comes under another one's name.
  static func nextSuspect(_ db: Database, owner: String, logID: String) throws -> Int {
    let last = try Int.fetchOne(
      db, sql: "SELECT max(revision) FROM seen WHERE owner = ? AND log_id = ? AND suspect = 1",
      arguments: [owner, logID])
    return (last ?? 0) + 1
  }

  /// Forgets what no receiver has and nobody has thrown away, so that the same user's next read of the meter brings it
  /// again. Call it before the records go.
  ///
  /// What came before a content that is done with stays known: it was replaced, and would replace its successor if it
  /// came as new. Where there are several receivers, the session's own counts; the others go with the session.
  static func forgetUndelivered(_ db: Database, owner: String) throws {
    try db.execute(
      sql: """
        DELETE FROM seen WHERE owner = :owner AND delivered_us IS NULL AND discarded_us IS NULL
          AND NOT (suspect = 0 AND EXISTS (
            SELECT 1 FROM seen AS later
            WHERE later.owner = seen.owner AND later.log_id = seen.log_id AND later.suspect = 0
              AND later.revision > seen.revision
              AND (later.delivered_us IS NOT NULL OR later.discarded_us IS NOT NULL)))
          AND NOT (suspect = 0 AND EXISTS (
            SELECT 1 FROM record JOIN delivery ON delivery.record = record.id AND sink = :sink
            WHERE record.owner = seen.owner AND record.log_id = seen.log_id AND record.suspect = 0
              AND (state = 'delivered' AND record.revision >= seen.revision
                OR record.revision > seen.revision AND EXISTS (
                  SELECT 1 FROM acceptance
                  WHERE acceptance.owner = seen.owner AND acceptance.log_id = seen.log_id
                    AND acceptance.sink = :sink))))
        """, arguments: ["owner": owner, "sink": MeterStore.defaultSink])
  }
}
