internal import Foundation
internal import GRDB

/// Files one unit's records inside the commit's transaction.
struct RecordCommitter {
  let db: Database
  let session: SessionRow
  let sinks: SinkList
  /// Whom the scale weighs.
  var scale = ScaleUse.onePerson

  /// Excluded records are kept for listing only, so their number is bounded.
  static let excludedLimit = 1000

  func commit(_ records: [PreparedRecord]) throws -> CommitReceipt {
    var receipt = CommitReceipt()
    for item in records { try commit(item, into: &receipt) }
    if records.contains(where: { if case .excluded = $0.disposition { true } else { false } }) { try trimExcluded() }
    return receipt
  }

  private func commit(_ item: PreparedRecord, into receipt: inout CommitReceipt) throws {
    let row = item.row
    let seen = try Seen.fetch(db, owner: session.owner, logID: row.logID)
    guard let latest = seen.last(where: { !$0.isSuspect }) else {
      let disposition = try WeightTable(db: db, owner: session.owner)
        .judge(
          row.record, forSession(item.disposition, row.record),
          // An export is of one person, and comes in any order of time.
          on: item.isRevisable ? .anybody : scale)
      try insert(row, disposition, isSuspect: false, mark: mark(of: item))
      receipt.new.append(CommitRecord(record: row.record, disposition: disposition))
      return
    }
    var record = row.record
    // A growing sum may return to an earlier value; a stored reading that returns to one has only lost its context, as one has that was
    // read again over a link that broke before its context came.
    let isRevisable = item.isRevisable || record.identityClass == .summary
    let isKnown =
      isRevisable
      ? latest.contentHash == row.contentHash : seen.contains { $0.contentHash == row.contentHash }
    let hasLostContext =
      try !isKnown && record.identityClass == .stored && !isRevisable
      && waiting(record.logID).map { record.adds(nothingTo: $0) } ?? false
    if isKnown || hasLostContext {
      if item.disposition == .pending, let released = try release(record) {
        receipt.new.append(CommitRecord(record: record, disposition: released))
      } else {
        receipt.duplicates.append(record.logID)
      }
    } else if Seen.isThrownAway(record, seen, isSuspect: false) {
      try discard(record, after: seen, isSuspect: false, into: &receipt)
    } else if !isRevisable && latest.primaryHash != row.primaryHash {
      try commitSuspect(item, seen, into: &receipt)
    } else {
      record.revision = latest.revision + 1
      let disposition = try keepingHold(forSession(item.disposition, record), of: record.logID)
      try replace(RecordRow(record), disposition, mark: mark(of: item))
      receipt.revised.append(CommitRecord(record: record, disposition: disposition))
    }
  }

  /// Files a reading that comes under the name of another one.
  private func commitSuspect(_ item: PreparedRecord, _ seen: [Seen], into receipt: inout CommitReceipt) throws {
    var record = item.row.record
    let own = LogID.collision(of: record)
    if try !Seen.fetch(db, owner: session.owner, logID: own.description).isEmpty {
      // A person has given it a name: what the meter adds to it belongs there.
      let named = PreparedRecord(
        row: try RecordRow(record.named(own)), disposition: item.disposition, isUntimed: item.isUntimed,
        arrival: item.arrival)
      return try commit(named, into: &receipt)
    }
    if Seen.isThrownAway(record, seen, isSuspect: true) {
      return try discard(record, after: seen, isSuspect: true, into: &receipt)
    }
    record.flags.formUnion(.identitySuspect)
    record.revision = (seen.last(where: \.isSuspect)?.revision ?? 0) + 1
    try insert(RecordRow(record), .held(.identityCollision), isSuspect: true, mark: mark(of: item))
    receipt.suspects.append(CommitRecord(record: record, disposition: .held(.identityCollision)))
  }

  /// Remembers another content of a reading that a person has thrown away.
  private func discard(
    _ discarded: Record, after seen: [Seen], isSuspect: Bool, into receipt: inout CommitReceipt
  ) throws {
    var record = discarded
    record.revision = (seen.last { $0.isSuspect == isSuspect }?.revision ?? 0) + 1
    try insertSeen(RecordRow(record), isSuspect: isSuspect, isDiscarded: true)
    receipt.duplicates.append(record.logID)
  }

  /// What an earlier read did not ask for is delivered when one does, unless it is held for what it is then.
  private func release(_ record: Record) throws -> Disposition? {
    guard session.user != nil else { return nil }
    return try WeightTable(db: db, owner: session.owner).release(
      record, heldFor: .notAskedFor, on: scale)
  }

  /// Nothing of the default user is ever delivered, nor what no receiver has a form for.
  private func forSession(_ disposition: Disposition, _ record: Record) -> Disposition {
    guard disposition == .pending else { return disposition }
    if session.user == nil { return .held(.noSession) }
    return sinks.taking(record).isEmpty ? .held(.notDeliverable) : .pending
  }

  /// What waits for a person goes on waiting when its context arrives; only the driver's own hold ends with it, and
  /// that of what was not asked for when it is.
  private func keepingHold(_ disposition: Disposition, of logID: LogID) throws -> Disposition {
    guard disposition == .pending else { return disposition }
    let reason = try String.fetchOne(
      db,
      sql: """
        SELECT delivery.reason FROM delivery JOIN record ON record.id = delivery.record
        WHERE owner = ? AND log_id = ? AND suspect = 0 AND state = 'held'
        """, arguments: [session.owner, logID.description])
    guard let reason = reason.flatMap(HoldReason.init(rawValue:)), ![.driverAsks, .notAskedFor].contains(reason) else {
      return .pending
    }
    return .held(reason)
  }

  /// The mark of a reading whose date is not known; what is never delivered needs none.
  private func mark(of item: PreparedRecord) -> ArrivalMark? {
    guard item.isUntimed, item.row.record.time.kind == .none, case .held = item.disposition else { return nil }
    if let arrival = item.arrival {
      return ArrivalMark(bootID: arrival.bootID, bootMicroseconds: arrival.bootMicroseconds)
    }
    return .now(item.row.record.time)
  }

  private func insert(
    _ row: RecordRow, _ disposition: Disposition, isSuspect: Bool, mark: ArrivalMark? = nil
  ) throws {
    try insertRecord(row, disposition, isSuspect: isSuspect, mark: mark)
    try insertSeen(row, isSuspect: isSuspect)
  }

  private func insertRecord(
    _ row: RecordRow, _ disposition: Disposition, isSuspect: Bool, mark: ArrivalMark? = nil
  ) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO record (owner, log_id, revision, suspect, content, content_hash, committed_us)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        session.owner, row.logID, row.record.revision, isSuspect, row.content, row.contentHash,
        MeterStore.nowMicroseconds,
      ])
    let number = db.lastInsertedRowID
    try insertDeliveries(of: number, row.record, disposition)
    try mark?.insert(db, record: number)
  }

  private func replace(_ row: RecordRow, _ disposition: Disposition, mark: ArrivalMark? = nil) throws {
    let earlier = try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT id FROM record WHERE owner = ? AND log_id = ? AND suspect = 0"),
      arguments: [session.owner, row.logID])
    // A reading that came without a time goes on having none until somebody gives it one: its first arrival counts.
    var mark = mark
    if let earlier, row.record.time.kind == .none, disposition != .pending {
      mark = try ArrivalMark.fetch(db, record: earlier) ?? mark
    }
    // A new row and not an update: what is in flight for the old one finds nothing to change.
    try db.execute(sql: "DELETE FROM record WHERE id = ?", arguments: [earlier])
    try insert(row, disposition, isSuspect: false, mark: mark)
  }

  /// Puts a reading back that a recovery file kept, with its revision, in the place of an older content.
  func restore(_ record: Record, _ disposition: Disposition, isSuspect: Bool) throws {
    var mark: ArrivalMark?
    // The time of arrival of a host that did not know the date.
    if record.time.kind == .none, record.identityClass != .stored, record.flags.contains(.clockSuspect),
      case .held = disposition
    {
      mark = .unknown
    }
    if isSuspect {
      try insert(RecordRow(record), disposition, isSuspect: true, mark: mark)
    } else {
      try replace(RecordRow(record), disposition, mark: mark)
    }
  }

  /// Puts a reading back whose content is remembered already, for receivers that have it not.
  func restoreKnown(_ record: Record) throws {
    try insertRecord(RecordRow(record), .pending, isSuspect: false)
  }

  /// What waits under a name, undamaged.
  private func waiting(_ logID: LogID) throws -> Record? {
    try Data.fetchOne(
      db.cachedStatement(sql: "SELECT content FROM record WHERE owner = ? AND log_id = ? AND suspect = 0"),
      arguments: [session.owner, logID.description]
    ).flatMap { RecordCoding.intact($0, named: logID) }
  }

  /// Whether a reading is in the queue, in whatever state.
  static func isWaiting(_ db: Database, owner: String, logID: String) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM record WHERE owner = ? AND log_id = ? AND suspect = 0)",
      arguments: [owner, logID]) ?? false
  }

  /// Puts an edited record in the place of the one that waits: held or refused deliveries stay that, and all others get
  /// the new revision, also those of receivers that have the earlier one.
  func replace(_ edited: Record, keeping entries: [QueueEntry]) throws -> Record {
    var record = edited
    let seen = try Seen.fetch(db, owner: session.owner, logID: record.logID.description)
    record.revision = (seen.last { !$0.isSuspect }?.revision ?? 0) + 1
    let isHeld = entries.allSatisfy { $0.state == .held }
    try replace(RecordRow(record), isHeld ? .held(.awaitingConfirmation) : .pending)
    var waiting = Dictionary(entries.map { ($0.sink, $0) }) { first, _ in first }
      .filter { [.held, .dead].contains($0.value.state) }
    // A receiver that came later than a reading that waits for a person waits like the others.
    if isHeld, let first = entries.first {
      for sink in sinks.names where waiting[sink] == nil { waiting[sink] = first }
    }
    for (sink, entry) in waiting {
      try db.execute(
        sql: """
          UPDATE delivery SET state = ?, reason = ?, attempts = ?, last_error = ?
          WHERE sink = ? AND record = (SELECT id FROM record WHERE owner = ? AND log_id = ? AND suspect = 0)
          """,
        arguments: [
          entry.state.rawValue, entry.reason, entry.attempts, entry.lastError, sink, session.owner,
          record.logID.description,
        ])
    }
    return record
  }

  private func insertDeliveries(of row: Int64, _ record: Record, _ disposition: Disposition) throws {
    let takers = sinks.taking(record)
    // What comes back from a recovery file, or was corrected, may be for nobody by now.
    let isForNobody = takers.isEmpty && disposition == .pending
    let (state, reason): (DeliveryState, String?) =
      switch isForNobody ? .held(.notDeliverable) : disposition {
      case .pending: (.pending, nil)
      case .held(let reason): (.held, reason.rawValue)
      case .excluded(let reason): (.excluded, reason.rawValue)
      }
    // What nobody takes is shown with every receiver that will not.
    for sink in takers.isEmpty ? sinks.names : takers {
      try db.cachedStatement(
        sql: "INSERT INTO delivery (record, sink, state, reason, revision) VALUES (?, ?, ?, ?, ?)"
      ).execute(
        arguments: [row, sink, state.rawValue, reason, record.revision])
    }
  }

  private func insertSeen(_ row: RecordRow, isSuspect: Bool, isDiscarded: Bool = false) throws {
    let now = MeterStore.nowMicroseconds
    try db.cachedStatement(
      sql: """
        INSERT INTO seen (owner, log_id, revision, content_hash, primary_hash, suspect, seen_us, discarded_us)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        session.owner, row.logID, row.record.revision, row.contentHash, row.primaryHash, isSuspect, now,
        isDiscarded ? now : nil,
      ])
  }

  private func trimExcluded() throws {
    try db.execute(
      sql: """
        DELETE FROM record WHERE id IN (
          SELECT DISTINCT record.id FROM record JOIN delivery ON delivery.record = record.id
          WHERE owner = ? AND state = 'excluded' ORDER BY record.id DESC LIMIT -1 OFFSET ?)
        """, arguments: [session.owner, Self.excludedLimit])
  }
}
