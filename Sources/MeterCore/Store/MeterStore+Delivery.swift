internal import Foundation
internal import GRDB

/// What an upload in flight is bound to: an answer that finds another generation or revision changes nothing.
struct DeliveryPin: Sendable, Hashable {
  let generation: SessionGeneration
  let tokenSerial: Int64
  let revision: Int
}

/// One delivery that the uploader has claimed.
struct DeliveryTicket: Sendable {
  let row: Int64
  let sink: String
  let record: Record
  let attempts: Int
  let pin: DeliveryPin
  let token: AccessToken
}

/// What became of a claimed delivery.
enum DeliveryResolution: Sendable, Hashable {
  case delivered(receiverID: String?)
  case retry(error: String, nextTryMicroseconds: Int64?)
  case dead(reason: String, error: String)
}

/// The current token and what it is for.
struct DeliveryCredential: Sendable {
  let user: SessionUser
  let token: AccessToken
  let tokenSerial: Int64
  let isValidated: Bool
}

extension MeterStore {
  func credential() throws(StoreError) -> DeliveryCredential? {
    let vault = vault
    return try reading { db in
      let row = try SessionRow.fetch(db)
      guard let user = row.user, row.ending == nil, let token = try TokenRow(db: db, vault: vault).get() else {
        return nil
      }
      return DeliveryCredential(
        user: user, token: token, tokenSerial: row.tokenSerial, isValidated: row.isValidated)
    }
  }

  func markValidated(tokenSerial: Int64) throws(StoreError) {
    try transaction { db in
      try db.execute(sql: "UPDATE session SET validated = 1 WHERE token_serial = ?", arguments: [tokenSerial])
    }
  }

  /// Marks pending deliveries of the current user as in flight and hands them out, those with the fewest attempts first:
  /// a record that always fails lets the others pass.
  func claim(sink: String, limit: Int, excluding busy: Set<LogID> = []) throws(StoreError) -> [DeliveryTicket] {
    let vault = vault
    return try transaction { db in
      let session = try SessionRow.fetch(db)
      guard session.user != nil, session.ending == nil, let token = try TokenRow(db: db, vault: vault).get() else {
        return []
      }
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT record.id AS id, content, attempts FROM delivery JOIN record ON record.id = delivery.record
          WHERE sink = ? AND state = 'pending' AND owner = ? ORDER BY attempts, record.id LIMIT ?
          """, arguments: [sink, session.owner, limit + busy.count])
      var tickets: [DeliveryTicket] = []
      for row in rows where tickets.count < limit {
        let record = try RecordCoding.decode(row["content"])
        // Two revisions of one reading never travel at once: they could arrive in the wrong order.
        guard !busy.contains(record.logID) else { continue }
        try db.execute(
          sql: "UPDATE delivery SET state = 'inFlight', attempts = attempts + 1 WHERE record = ? AND sink = ?",
          arguments: [row["id"] as Int64, sink])
        tickets.append(
          DeliveryTicket(
            row: row["id"], sink: sink, record: record, attempts: (row["attempts"] as Int) + 1,
            pin: DeliveryPin(
              generation: session.generation, tokenSerial: session.tokenSerial, revision: record.revision),
            token: token))
      }
      return tickets
    }
  }

  /// Files the answer to a claimed delivery.
  ///
  /// - Returns: Whether it still applied; false when the session, the revision or the claim is gone.
  func resolve(_ ticket: DeliveryTicket, _ resolution: DeliveryResolution) throws(StoreError) -> Bool {
    let applied = try transaction { db in
      let session = try SessionRow.fetch(db)
      guard session.generation == ticket.pin.generation else { return false }
      let isOpen = try Bool.fetchOne(
        db, sql: "SELECT state = 'inFlight' FROM delivery WHERE record = ? AND sink = ? AND revision = ?",
        arguments: [ticket.row, ticket.sink, ticket.pin.revision])
      guard isOpen == true else { return false }
      switch resolution {
      case .delivered(let receiverID):
        try Self.close(db, ticket, owner: session.owner, receiverID: receiverID)
        try Self.log(
          .recordSubmitted(
            HostEvent.SubmittedRecord(
              logID: ticket.record.logID, revision: ticket.pin.revision, sink: ticket.sink, receiverID: receiverID)), db
        )
      case .retry(let error, let nextTry):
        try db.execute(
          sql: """
            UPDATE delivery SET state = 'pending', last_error = ?, next_try_us = ? WHERE record = ? AND sink = ?
            """, arguments: [error, nextTry, ticket.row, ticket.sink])
      case .dead(let reason, let error):
        try db.execute(
          sql: "UPDATE delivery SET state = 'dead', reason = ?, last_error = ? WHERE record = ? AND sink = ?",
          arguments: [reason, error, ticket.row, ticket.sink])
        try Self.log(
          .recordSubmissionFailed(
            HostEvent.RefusedRecord(
              logID: ticket.record.logID, revision: ticket.pin.revision, sink: ticket.sink, reason: reason,
              error: error)), db)
      }
      return true
    }
    if applied, case .dead = resolution { announceChange() }
    if applied { announceEvent() }
    return applied
  }

  /// Deletes the content when every sink has accepted it; what was seen stays (C9).
  private static func close(_ db: Database, _ ticket: DeliveryTicket, owner: String, receiverID: String?) throws {
    try db.execute(
      sql: "UPDATE delivery SET state = 'delivered' WHERE record = ? AND sink = ?",
      arguments: [ticket.row, ticket.sink])
    let isOpen = try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM delivery WHERE record = ? AND state <> 'delivered')",
      arguments: [ticket.row])
    guard isOpen == false else { return }
    try db.execute(sql: "DELETE FROM record WHERE id = ?", arguments: [ticket.row])
    try db.execute(
      sql: """
        UPDATE seen SET delivered_us = ?, receiver_id = ?
        WHERE owner = ? AND log_id = ? AND suspect = ? AND revision = ?
        """,
      arguments: [
        MeterStore.nowMicroseconds, receiverID, owner, ticket.record.logID.description,
        ticket.record.flags.contains(.identitySuspect), ticket.pin.revision,
      ])
  }

  /// How many deliveries wait for this sink. They are the current user's: those of others end with their sessions, and
  /// nothing of the default user is ever pending.
  func pendingCount(sink: String) throws(StoreError) -> Int {
    try reading { db in
      try Int.fetchOne(
        db, sql: "SELECT sum(entries) FROM tally WHERE sink = ? AND state IN ('pending', 'inFlight')",
        arguments: [sink]) ?? 0
    }
  }
}
