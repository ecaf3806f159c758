internal import GRDB

// Deliveries that somebody in between has, and of which the receiver has not said what became of them. They are in flight with a moment
// by which it is to say so; a restart leaves them alone until then.
extension MeterStore {
  /// A date that has gone back makes no reading wait longer than this for its confirmation.
  private static let longestConfirmation: Int64 = 86_400_000_000

  /// Sends again what was not confirmed in time.
  func releaseUnconfirmed(sink: String, now: Int64) throws(StoreError) {
    let isAny = try reading { db in
      try Bool.fetchOne(
        db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM delivery WHERE \(Self.isLate))"),
        arguments: ["sink": sink, "now": now, "longest": Self.longestConfirmation]) ?? false
    }
    guard isAny else { return }
    try transaction(.repetition) { db in
      try db.execute(
        sql: """
          UPDATE delivery SET state = 'pending', confirm_by_us = NULL, last_error = 'no confirmation came in time'
          WHERE \(Self.isLate)
          """, arguments: ["sink": sink, "now": now, "longest": Self.longestConfirmation])
    }
  }

  private static let isLate = """
    sink = :sink AND state = 'inFlight' AND confirm_by_us IS NOT NULL
      AND (confirm_by_us <= :now OR confirm_by_us > :now + :longest)
    """

  /// When the first delivery that waits for its confirmation is sent again, in microseconds since 1970-01-01T00:00Z.
  func nextUnconfirmed(sink: String) throws(StoreError) -> Int64? {
    try reading { db in
      try Int64.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT min(confirm_by_us) FROM delivery WHERE state = 'inFlight' AND sink = ? AND confirm_by_us IS NOT NULL
            """), arguments: [sink])
    }
  }

  /// The delivery that a confirmation is for, as its engine would have claimed it; nil when nothing waits for it any more.
  func unconfirmed(_ logID: LogID, revision: Int, sink: String) throws(StoreError) -> DeliveryTicket? {
    let vault = vault
    return try reading { db in
      let session = try SessionRow.fetch(db)
      guard session.ending == nil, let user = session.user, let sinkRow = try SinkRow.fetch(db, sink) else {
        return nil
      }
      let row = try Row.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT record.id AS id, log_id, content, attempts FROM delivery JOIN record ON record.id = delivery.record
            WHERE owner = ? AND log_id = ? AND suspect = 0 AND sink = ? AND delivery.revision = ?
              AND state = 'inFlight' AND confirm_by_us IS NOT NULL
            """), arguments: [session.owner, logID.description, sink, revision])
      guard let row, let record = RecordCoding.intact(try row["content"], named: logID) else { return nil }
      return try DeliveryTicket(
        row: row["id"], sink: sink, record: record, attempts: Int(row["attempts"] as Int32), user: user,
        pin: DeliveryPin(generation: session.generation, tokenSerial: sinkRow.tokenSerial, revision: revision),
        token: sinkRow.hasToken ? TokenRow(db: db, vault: vault, sink: sink).get() : nil)
    }
  }
}
