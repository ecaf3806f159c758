internal import Foundation
internal import GRDB

/// Readings that came under the log_id of another reading, with other values: the meter was reset and counts from the
/// beginning, or it is faulty. They are never delivered under that log_id, which would overwrite the other one.
extension MeterStore {
  /// Gives such a reading a log_id of its own, the same wherever and whenever that is done. Under it the reading waits for
  /// a person's word like any other, and what its meter adds to it later belongs there.
  ///
  /// - Returns: The log_id; nil when there is no such reading.
  package func nameSuspect(_ name: QueueName) throws(StoreError) -> LogID? {
    let logID = try transaction { db -> LogID? in
      let session = try SessionRow.fetch(db)
      guard session.ending == nil, let row = try SuspectRow.fetch(db, owner: session.owner, name),
        let record = row.record
      else { return nil }
      let mark = try ArrivalMark.fetch(db, record: row.id)
      try row.delete(db)
      let own = record.named(.collision(of: record))
      let prepared = PreparedRecord(row: try RecordRow(own), disposition: .held(.awaitingConfirmation))
      _ = try RecordCommitter(db: db, session: session, sinks: SinkList(db, sinkKinds)).commit([prepared])
      let number = try Int64.fetchOne(
        db, sql: "SELECT id FROM record WHERE owner = ? AND log_id = ? AND suspect = 0",
        arguments: [session.owner, own.logID.description])
      if let mark, let number { try mark.insert(db, record: number) }
      return own.logID
    }
    if logID != nil { announceChange() }
    return logID
  }

  /// Throws such a reading away. A meter that sends it again does not bring it back.
  ///
  /// - Returns: Whether there was one.
  package func discardSuspect(_ name: QueueName) throws(StoreError) -> Bool {
    let isDiscarded = try transaction { db in
      let session = try SessionRow.fetch(db)
      guard session.ending == nil, let row = try SuspectRow.fetch(db, owner: session.owner, name) else { return false }
      try row.delete(db)
      try db.execute(
        sql: "UPDATE seen SET discarded_us = ? WHERE owner = ? AND log_id = ? AND suspect = 1 AND revision = ?",
        arguments: [Self.nowMicroseconds, session.owner, name.logID.description, name.suspect])
      return true
    }
    if isDiscarded { announceChange() }
    return isDiscarded
  }
}

/// The row of such a reading.
private struct SuspectRow {
  let id: Int64
  /// Nil when it is damaged: it can be thrown away, and be no reading of its own.
  let record: Record?

  static func fetch(_ db: Database, owner: String, _ name: QueueName) throws -> SuspectRow? {
    guard let number = name.suspect else { return nil }
    // By the index of what does not wait for a receiver: such readings are held.
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT record.id AS id, content FROM delivery JOIN record ON record.id = delivery.record
        WHERE state = 'held' AND state <> 'pending' AND owner = ? AND log_id = ? AND suspect = 1
          AND record.revision = ?
        """, arguments: [owner, name.logID.description, number])
    return try row.map { try SuspectRow(id: $0["id"], record: RecordCoding.intact($0["content"], named: name.logID)) }
  }

  func delete(_ db: Database) throws { try db.execute(sql: "DELETE FROM record WHERE id = ?", arguments: [id]) }
}
