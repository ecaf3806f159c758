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
  let user: SessionUser
  let pin: DeliveryPin
  let token: AccessToken?
}

/// What became of a claimed delivery.
enum DeliveryResolution: Sendable, Hashable {
  /// Its content stays until that moment, in microseconds since 1970-01-01T00:00Z, unless a sink has it for which there is none.
  case delivered(receiverID: String?, keptUntilMicroseconds: Int64? = nil)
  /// Sent again at that moment, in microseconds since 1970-01-01T00:00Z, unless the receiver has said what became of it.
  case unconfirmed(byMicroseconds: Int64)
  case retry(error: String, nextTryMicroseconds: Int64?)
  case dead(reason: String, error: String)
}

extension MeterStore {
  /// The token for a sink; nil without a session, while it ends, and for a sink that has none.
  package func credential(sink: String = defaultSink, target: SinkTarget? = nil) throws(StoreError)
    -> DeliveryCredential?
  {
    let vault = vault
    return try reading { db in
      let session = try SessionRow.fetch(db)
      guard session.ending == nil else { return nil }
      return try SinkRow.credential(db, vault: vault, session: session, sink: sink, target: target)
    }
  }

  /// The credential of a sink whether or not anything is sent there now; nil without a session.
  package func credential(ofSink sink: String) throws(StoreError) -> SinkCredential? {
    let vault = vault
    return try reading { db in
      let session = try SessionRow.fetch(db)
      guard session.ending == nil, let user = session.user, let row = try SinkRow.fetch(db, sink) else { return nil }
      let token = row.hasToken ? try TokenRow(db: db, vault: vault, sink: sink).get() : nil
      return token != nil || !row.hasToken ? SinkCredential(user: user, token: token) : nil
    }
  }

  /// Whether what the session needs to deliver can be read.
  ///
  /// - Throws: ``StoreError/Code/vault`` and ``StoreError/Code/vaultKey`` when its token cannot.
  package func checkToken() throws(StoreError) { try checkToken(sink: Self.defaultSink) }

  /// The same for one receiver of the session.
  package func checkToken(sink: String) throws(StoreError) { _ = try credential(sink: sink) }

  func markValidated(_ credential: DeliveryCredential, sink: String = defaultSink) throws(StoreError) {
    try transaction { db in try SinkRow.markValidated(db, sink: sink, tokenSerial: credential.tokenSerial) }
  }

  /// Marks pending deliveries of the current user as in flight and hands them out, those with the fewest attempts first:
  /// a record that always fails lets the others pass.
  func claim(
    sink: String, limit: Int, excluding busy: Set<LogID> = [], target: SinkTarget? = nil
  ) throws(StoreError) -> [DeliveryTicket] {
    try releaseUnanswered()
    // Nothing to claim is the usual end of a pass, and no reason to write.
    guard try pendingCount(sink: sink) > 0 else { return [] }
    let vault = vault
    let (tickets, damaged) = try transaction(.repetition) { db -> ([DeliveryTicket], Int) in
      let session = try SessionRow.fetch(db)
      guard session.user != nil, session.ending == nil,
        let credential = try SinkRow.credential(db, vault: vault, session: session, sink: sink, target: target)
      else { return ([], 0) }
      var damaged = 0
      while true {
        let rows = try Row.fetchAll(
          db.cachedStatement(
            sql: """
              SELECT record.id AS id, log_id, content, delivery.revision AS revision, attempts
              FROM delivery JOIN record ON record.id = delivery.record
              WHERE sink = ? AND state = 'pending' AND owner = ? ORDER BY attempts, record.id LIMIT ?
              """), arguments: [sink, session.owner, limit + busy.count])
        // What waits by the count, and cannot be found, would wait for ever without a word.
        if rows.isEmpty, busy.isEmpty { try HiddenRows.check(db, expecting: [.pending], sink: sink) }
        let (tickets, aside) = try Self.claim(
          rows, limit: limit, busy: busy, db, session: session, sink: sink, credential: credential)
        damaged += aside
        // Those behind the ones that were put aside have their turn at once.
        if !tickets.isEmpty || aside == 0 { return (tickets, damaged) }
      }
    }
    if damaged > 0 { announceChange() }
    return tickets
  }

  /// - Returns: What can be sent, and how many were put aside.
  private static func claim(
    _ rows: [Row], limit: Int, busy: Set<LogID>, _ db: Database, session: SessionRow, sink: String,
    credential: DeliveryCredential
  ) throws -> (tickets: [DeliveryTicket], damaged: Int) {
    var (tickets, damaged): ([DeliveryTicket], Int) = ([], 0)
    for row in rows where tickets.count < limit {
      guard let record = RecordCoding.intact(try row["content"], named: LogID(try row["log_id"])) else {
        try putAside(row, db, sink: sink)
        damaged += 1
        continue
      }
      // Two revisions of one reading never travel at once: they could arrive in the wrong order.
      guard !busy.contains(record.logID) else { continue }
      try db.cachedStatement(
        sql: "UPDATE delivery SET state = 'inFlight', attempts = attempts + 1 WHERE record = ? AND sink = ?"
      ).execute(arguments: [row["id"] as Int64, sink])
      tickets.append(
        try DeliveryTicket(
          row: row["id"], sink: sink, record: record, attempts: Int(try row["attempts"] as Int32) + 1,
          user: credential.user,
          pin: DeliveryPin(
            generation: session.generation, tokenSerial: credential.tokenSerial, revision: record.revision),
          token: credential.token))
    }
    return (tickets, damaged)
  }

  /// The reason of a delivery whose content is not what was committed: it is never sent, and stops no other.
  static let damaged = "damaged"

  private static func putAside(_ row: Row, _ db: Database, sink: String) throws {
    let error = "its content is not what was stored; run `meterhost doctor --repair`, and read the meter again"
    try db.execute(
      sql: "UPDATE delivery SET state = 'dead', reason = ?, last_error = ? WHERE record = ? AND sink = ?",
      arguments: [damaged, error, row["id"] as Int64, sink])
    guard let logID = LogID(try row["log_id"]) else { return }
    try log(
      .recordSubmissionFailed(
        HostEvent.RefusedRecord(logID: logID, revision: row["revision"], sink: sink, reason: damaged, error: error)), db
    )
  }

  /// Files the answers to claimed deliveries in one transaction.
  ///
  /// - Returns: For each whether it still applied; false when the session, the revision or the claim is gone.
  func resolve(_ answers: [(ticket: DeliveryTicket, resolution: DeliveryResolution)]) throws(StoreError) -> [Bool] {
    guard !answers.isEmpty else { return [] }
    // An answer that is lost is asked for again, under the same name.
    let applied = try transaction(.repetition) { db in
      let session = try SessionRow.fetch(db)
      let sinks = try SinkRow.names(db)
      let applied = try answers.map { ticket, resolution in
        guard session.generation == ticket.pin.generation else { return false }
        return try Self.resolve(db, ticket, resolution, owner: session.owner, sinks: sinks)
      }
      try Self.noteAttempts(zip(answers, applied), db)
      return applied
    }
    let isDead = zip(answers, applied).contains { answer, applied in
      if applied, case .dead = answer.resolution { true } else { false }
    }
    if isDead { announceChange() }
    return applied
  }

  private static func resolve(
    _ db: Database, _ ticket: DeliveryTicket, _ resolution: DeliveryResolution, owner: String, sinks: [String]
  ) throws -> Bool {
    let isOpen = try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT state = 'inFlight' FROM delivery WHERE record = ? AND sink = ? AND revision = ?"),
      arguments: [ticket.row, ticket.sink, ticket.pin.revision])
    guard isOpen == true else { return false }
    switch resolution {
    case .delivered(let receiverID, let keptUntil):
      try close(db, ticket, owner: owner, receiverID: receiverID, keptUntil: keptUntil, sinks: sinks)
      try log(
        .recordSubmitted(
          HostEvent.SubmittedRecord(
            logID: ticket.record.logID, revision: ticket.pin.revision, sink: ticket.sink, receiverID: receiverID)), db)
    case .unconfirmed(let moment):
      try db.execute(
        sql: "UPDATE delivery SET confirm_by_us = ?, next_try_us = NULL WHERE record = ? AND sink = ?",
        arguments: [moment, ticket.row, ticket.sink])
    case .retry(let error, let nextTry):
      try db.execute(
        sql: """
          UPDATE delivery SET state = 'pending', last_error = ?, next_try_us = ?, confirm_by_us = NULL WHERE record = ? AND sink = ?
          """, arguments: [error, nextTry, ticket.row, ticket.sink])
    case .dead(let reason, let error):
      try db.execute(
        sql: "UPDATE delivery SET state = 'dead', reason = ?, last_error = ? WHERE record = ? AND sink = ?",
        arguments: [reason, error, ticket.row, ticket.sink])
      try log(
        .recordSubmissionFailed(
          HostEvent.RefusedRecord(
            logID: ticket.record.logID, revision: ticket.pin.revision, sink: ticket.sink, reason: reason, error: error)),
        db)
    }
    return true
  }

  /// Deletes the content when every sink has accepted it; what was seen stays. Images of the record may follow it now.
  private static func close(
    _ db: Database, _ ticket: DeliveryTicket, owner: String, receiverID: String?, keptUntil: Int64?, sinks: [String]
  ) throws {
    let logID = ticket.record.logID.description
    try db.cachedStatement(
      sql: "UPDATE delivery SET state = 'delivered', confirm_by_us = ? WHERE record = ? AND sink = ?"
    ).execute(arguments: [keptUntil, ticket.row, ticket.sink])
    if sinks.count > 1 {
      try Acceptance.note(db, owner: owner, logID: logID, sink: ticket.sink, receiverID: receiverID)
    }
    try ImageTable.release(db, owner: owner, logID, sink: ticket.sink, receiverID: receiverID)
    try finish(db, row: ticket.row, owner: owner, receiverID: ticket.sink == defaultSink ? receiverID : nil)
  }

  /// Keeps with the sink what became of its last attempts.
  private static func noteAttempts(
    _ round: some Sequence<((ticket: DeliveryTicket, resolution: DeliveryResolution), Bool)>, _ db: Database
  ) throws {
    var (accepted, failed): (Set<String>, [String: String]) = ([], [:])
    for ((ticket, resolution), isApplied) in round where isApplied {
      switch resolution {
      case .delivered: accepted.insert(ticket.sink)
      case .retry(let error, _): failed[ticket.sink] = error
      case .dead(let reason, let error): failed[ticket.sink] = error.isEmpty ? reason : error
      case .unconfirmed: break
      }
    }
    for sink in accepted {
      try db.cachedStatement(sql: "UPDATE sink SET last_success_us = ? WHERE name = ?")
        .execute(arguments: [nowMicroseconds, sink])
    }
    for (sink, error) in failed {
      try db.cachedStatement(sql: "UPDATE sink SET last_error = ?, last_error_us = ? WHERE name = ?")
        .execute(arguments: [error, nowMicroseconds, sink])
    }
  }

  /// Deletes a record's content when no sink needs it any more, unless it stays for a time (``KeptRecords``).
  ///
  /// - Parameters:
  ///   - receiverID: What the session's own receiver calls it; nil keeps what is known.
  ///   - mayStay: Whether it may stay; not where a person has thrown the rest of it away.
  static func finish(
    _ db: Database, row: Int64, owner: String, receiverID: String?, mayStay: Bool = true
  ) throws {
    let isOpen = try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM delivery WHERE record = ? AND state <> 'delivered')"),
      arguments: [row])
    guard isOpen == false,
      let name = try Row.fetchOne(
        db.cachedStatement(sql: "SELECT log_id, suspect, revision FROM record WHERE id = ?"), arguments: [row])
    else { return }
    let stays = try mayStay && KeptRecords(db: db).isKept(row)
    if !stays { try db.cachedStatement(sql: "DELETE FROM record WHERE id = ?").execute(arguments: [row]) }
    // Where there are several, the id that is kept here is the one of the session's own receiver.
    let own = try String.fetchOne(
      db.cachedStatement(sql: "SELECT receiver_id FROM acceptance WHERE owner = ? AND log_id = ? AND sink = ?"),
      arguments: [owner, name["log_id"] as String, defaultSink])
    try db.cachedStatement(
      sql: """
        UPDATE seen SET delivered_us = ?, receiver_id = coalesce(?, receiver_id)
        WHERE owner = ? AND log_id = ? AND suspect = ? AND revision = ?
        """
    ).execute(
      arguments: [
        nowMicroseconds, own ?? receiverID, owner, name["log_id"] as String, name["suspect"] as Bool,
        name["revision"] as Int,
      ])
  }

  /// How many deliveries wait for this sink. They are the current user's: those of others end with their sessions, and
  /// nothing of the default user is ever pending.
  func pendingCount(sink: String) throws(StoreError) -> Int {
    try reading { db in
      try Int.fetchOne(
        db.cachedStatement(sql: "SELECT sum(entries) FROM tally WHERE sink = ? AND state IN ('pending', 'inFlight')"),
        arguments: [sink]) ?? 0
    }
  }
}
