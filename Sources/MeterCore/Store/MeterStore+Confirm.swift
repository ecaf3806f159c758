internal import Foundation
internal import GRDB

extension MeterStore {
  /// Releases readings that wait for a person's word: they are delivered from now on (R27).
  ///
  /// Readings that are held for another reason than a person's decision stay held: there is nobody to deliver them
  /// for (`no_session`), no way to deliver them (`not_deliverable`), or another reading of the same name
  /// (`identity_collision`). What this host does not understand (`unknown_metric`) can be released once an update does.
  ///
  /// - Returns: The readings that were released; those that were not held, or are held for such a reason, are left out.
  /// - Throws: ``StoreError``; then nothing was released.
  public func confirm(_ logIDs: Set<LogID>) throws(StoreError) -> Set<LogID> {
    let released = try transaction { db in
      let session = try SessionRow.fetch(db)
      guard session.user != nil, session.ending == nil else { return Set<LogID>() }
      return try logIDs.filter { logID in
        guard try !Self.isBeyondThisHost(logID, owner: session.owner, db) else { return false }
        try db.execute(
          sql: """
            UPDATE delivery SET state = 'pending', reason = NULL
            WHERE state = 'held' AND reason NOT IN (?, ?, ?)
              AND record = (SELECT id FROM record WHERE owner = ? AND log_id = ? AND suspect = 0)
            """,
          arguments: [
            HoldReason.noSession.rawValue, HoldReason.notDeliverable.rawValue, HoldReason.identityCollision.rawValue,
            session.owner, logID.description,
          ])
        return db.changesCount > 0
      }
    }
    if !released.isEmpty { announceChange() }
    return released
  }

  /// Whether a reading is held for a metric, unit or text that this host still does not know.
  private static func isBeyondThisHost(_ logID: LogID, owner: String, _ db: Database) throws -> Bool {
    let content = try Data.fetchOne(
      db,
      sql: """
        SELECT record.content FROM record JOIN delivery ON delivery.record = record.id
        WHERE owner = ? AND log_id = ? AND suspect = 0 AND state = 'held' AND reason = ?
        """, arguments: [owner, logID.description, HoldReason.unknownMetric.rawValue])
    return try content.map { try !RecordChecks.isKnown(RecordCoding.decode($0)) } ?? false
  }
}
