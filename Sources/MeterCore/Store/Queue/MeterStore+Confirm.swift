internal import Foundation
internal import GRDB

extension MeterStore {
  /// Releases readings that wait for a person's word: they are delivered from now on (R27).
  ///
  /// Readings that are held for another reason than a person's decision stay held: there is nobody to deliver them
  /// for (`no_session`), no way to deliver them (`not_deliverable`), or another reading of the same name
  /// (`identity_collision`). What this host does not understand (`unknown_metric`) can be released once an update does, and
  /// what came without a time while the host did not know the date once it has one, from ``correctTimes(by:zone:)`` or from
  /// ``edit(_:_:)``, whatever it is held for.
  ///
  /// - Parameters:
  ///   - logIDs: The readings.
  ///   - revision: What the person was shown; a reading that has changed since stays held. Nil: whatever waits.
  /// - Returns: The readings that were released; those that were not held, or are held for such a reason, are left out.
  /// - Throws: ``StoreError``; then nothing was released.
  public func confirm(_ logIDs: Set<LogID>, revision: Int? = nil) throws(StoreError) -> Set<LogID> {
    let released = try transaction { db in
      let session = try SessionRow.fetch(db)
      guard session.user != nil, session.ending == nil else { return Set<LogID>() }
      return try logIDs.filter { logID in
        let entries = try QueueEntry.fetch(
          db, where: "owner = ? AND log_id = ? AND suspect = 0 AND state = 'held'",
          arguments: [session.owner, logID.description])
        guard entries.allSatisfy({ $0.record != nil && (revision ?? $0.revision) == $0.revision }),
          !Self.isBeyondThisHost(entries),
          try !Self.isUntimed(entries, db)
        else { return false }
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
        guard db.changesCount > 0 else { return false }
        if let record = entries.first?.record { try WeightTable(db: db, owner: session.owner).confirm(record) }
        return true
      }
    }
    if !released.isEmpty { announceChange() }
    return released
  }

  /// Whether a reading is held for a metric, unit or text that this host still does not know.
  private static func isBeyondThisHost(_ entries: [QueueEntry]) -> Bool {
    entries.contains { entry in
      entry.reason == HoldReason.unknownMetric.rawValue
        && entry.record.map { !RecordRules.contract.isKnown($0) } == true
    }
  }

  /// Whether a reading has no time but that of its arrival at a host that did not know the date.
  private static func isUntimed(_ entries: [QueueEntry], _ db: Database) throws -> Bool {
    guard let entry = entries.first, let time = entry.record?.time, time.kind == .none else { return false }
    return try time.startMicroseconds < RecordAdmission.earliestBelievable
      || entries.contains { $0.reason == HoldReason.hostClockUnsynchronized.rawValue }
      || ArrivalMark.fetch(db, record: entry.position) != nil
  }
}
