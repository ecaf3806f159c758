internal import Foundation
internal import GRDB
internal import Logging

extension MeterStore {
  /// Writes records, their deliveries and the drivers' keys of all units in one transaction (R25).
  ///
  /// When it returns, everything is on disk; when it throws, nothing of any unit is.
  ///
  /// - Parameter units: The units in the driver's order.
  /// - Returns: A receipt a unit, in the same order.
  /// - Throws: ``StoreError``: ``StoreError/Code/staleGeneration`` when the user changed since a unit's read started,
  ///   ``StoreError/Code/queueFull`` when new records are beyond the limits, ``StoreError/Code/imageRefused`` and ``StoreError/Code/notFound`` for an image without a reading that is delivered, ``StoreError/Code/storageLimit`` and ``StoreError/Code/storageKey`` for a driver that breaks R23, and the
  ///   database's own.
  public func commit(_ units: [CommitUnit]) throws(StoreError) -> [CommitReceipt] {
    let receipts = try transaction { db in try self.write(units, db) }
    announce(receipts)
    return receipts
  }

  /// The same, in one transaction with what others submit at the same time: many meters share one wait for the disk.
  ///
  /// - Throws: as ``commit(_:)``; what is refused here takes nothing of the others with it.
  public func submit(_ units: [CommitUnit]) async throws(StoreError) -> [CommitReceipt] {
    let result = await withCheckedContinuation { continuation in
      group.submit(CommitGroup.Submission(units: units) { continuation.resume(returning: $0) }) { submissions in
        self.write(submissions)
      }
    }
    return try result.get()
  }

  /// Writes what several submitters want: all that is not refused is on disk when it returns, or nothing is.
  private func write(_ submissions: [[CommitUnit]]) -> [Result<[CommitReceipt], StoreError>] {
    do throws(StoreError) {
      let results = try transaction { db in
        try submissions.map { units -> Result<[CommitReceipt], StoreError> in
          // One alone needs no point to return to: its refusal rolls the transaction back.
          guard submissions.count > 1 else { return .success(try self.write(units, db)) }
          var receipts: [CommitReceipt] = []
          do {
            try db.inSavepoint {
              receipts = try self.write(units, db)
              return .commit
            }
          } catch let refusal as StoreError {
            return .failure(refusal)
          }
          return .success(receipts)
        }
      }
      for case .success(let receipts) in results { announce(receipts) }
      return results
    } catch {
      return submissions.map { _ in .failure(error) }
    }
  }

  private func write(_ units: [CommitUnit], _ db: Database) throws -> [CommitReceipt] {
    let session = try SessionRow.fetch(db)
    let sinks = try SinkRow.names(db)
    let receipts = try units.map { unit in
      guard unit.generation == session.generation, session.ending == nil else {
        throw StoreError.staleGeneration(read: unit.generation, current: session.generation)
      }
      var receipt = try RecordCommitter(db: db, session: session, sinks: sinks).commit(unit.records)
      receipt.images = try ImageTable(db: db, owner: session.owner, sinks: sinks).add(unit.images)
      try StorageTable(db: db, vault: vault, session: session, family: unit.family, meter: unit.meter)
        .apply(unit.writes)
      return receipt
    }
    if receipts.contains(where: { !$0.new.isEmpty || !$0.suspects.isEmpty || !$0.images.isEmpty }) {
      try limits.check(db, nowMicroseconds: Self.nowMicroseconds)
    }
    return receipts
  }

  private static let logger = LogArea.core.logger

  private func announce(_ receipts: [CommitReceipt]) {
    for item in receipts.flatMap({ $0.new + $0.revised + $0.suspects }) {
      // Values only for those who have asked for them.
      let values = LogSwitch.shared.showsValues ? item.record.values.map(\.logText).joined(separator: ", ") : nil
      Self.logger.debug(
        "a record was committed",
        metadata: ["log_id": "\(item.record.logID)", "revision": "\(item.record.revision)"]
          .merging(values.map { ["values": "\($0)"] } ?? [:]) { $1 })
    }
    let isChange = receipts.contains {
      !$0.new.isEmpty || !$0.revised.isEmpty || !$0.suspects.isEmpty || !$0.images.isEmpty
    }
    if isChange { announceChange() }
  }
}

extension RecordValue {
  fileprivate var logText: String { "\(metricName) \(number) \(ucum)" }
}

/// Files one unit's records inside the commit's transaction.
struct RecordCommitter {
  let db: Database
  let session: SessionRow
  let sinks: [String]

  /// Excluded records are kept for listing only, so their number is bounded.
  static let excludedLimit = 1000

  func commit(_ records: [CommitRecord]) throws -> CommitReceipt {
    var receipt = CommitReceipt()
    for item in records { try commit(item, into: &receipt) }
    if records.contains(where: { if case .excluded = $0.disposition { true } else { false } }) { try trimExcluded() }
    return receipt
  }

  private func commit(_ item: CommitRecord, into receipt: inout CommitReceipt) throws {
    var record = item.record
    let seen = try Seen.fetch(db, owner: session.owner, logID: record.logID)
    guard let latest = seen.last(where: { !$0.isSuspect }) else {
      let disposition = forSession(item.disposition)
      record.revision = 1
      try insert(record, disposition, isSuspect: false)
      receipt.new.append(CommitRecord(record: record, disposition: disposition))
      return
    }
    // A growing sum may return to an earlier value; a stored reading that returns to one has only lost its context.
    let isKnown =
      record.identityClass == .summary
      ? latest.contentHash == record.contentHash : seen.contains { $0.contentHash == record.contentHash }
    if isKnown {
      if item.disposition == .pending, try release(record.logID) {
        receipt.new.append(item)
      } else {
        receipt.duplicates.append(record.logID)
      }
    } else if record.identityClass != .summary && latest.primaryHash != record.primaryHash {
      record.flags.formUnion(.identitySuspect)
      record.revision = (seen.last(where: \.isSuspect)?.revision ?? 0) + 1
      try insert(record, .held(.identityCollision), isSuspect: true)
      receipt.suspects.append(CommitRecord(record: record, disposition: .held(.identityCollision)))
    } else {
      record.revision = latest.revision + 1
      let disposition = try keepingHold(forSession(item.disposition), of: record.logID)
      try replace(record, disposition)
      receipt.revised.append(CommitRecord(record: record, disposition: disposition))
    }
  }

  /// What an earlier read did not ask for is delivered when one does.
  private func release(_ logID: LogID) throws -> Bool {
    guard session.user != nil else { return false }
    try db.execute(
      sql: """
        UPDATE delivery SET state = 'pending', reason = NULL WHERE state = 'held' AND reason = ?
          AND record = (SELECT id FROM record WHERE owner = ? AND log_id = ? AND suspect = 0)
        """, arguments: [HoldReason.notAskedFor.rawValue, session.owner, logID.description])
    return db.changesCount > 0
  }

  /// Nothing of the default user is ever delivered (C3).
  private func forSession(_ disposition: Disposition) -> Disposition {
    disposition == .pending && session.user == nil ? .held(.noSession) : disposition
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

  private func insert(_ record: Record, _ disposition: Disposition, isSuspect: Bool) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO record (owner, log_id, revision, suspect, content, content_hash, committed_us)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        session.owner, record.logID.description, record.revision, isSuspect, try RecordCoding.encode(record),
        Data(record.contentHash), MeterStore.nowMicroseconds,
      ])
    let row = db.lastInsertedRowID
    try insertDeliveries(of: row, record, disposition)
    if disposition == .held(.hostClockUnsynchronized), record.time.kind == .none {
      try UntimedRow.insert(db, record: row, record.time, clock: .now)
    }
    try insertSeen(record, isSuspect: isSuspect)
  }

  private func replace(_ record: Record, _ disposition: Disposition) throws {
    // A new row and not an update: what is in flight for the old one finds nothing to change.
    try db.execute(
      sql: "DELETE FROM record WHERE owner = ? AND log_id = ? AND suspect = 0",
      arguments: [session.owner, record.logID.description])
    try insert(record, disposition, isSuspect: false)
  }

  /// Puts a reading back that a recovery file kept, with its revision, in the place of an older content.
  func restore(_ record: Record, _ disposition: Disposition, isSuspect: Bool) throws {
    if isSuspect {
      try insert(record, disposition, isSuspect: true)
    } else {
      try replace(record, disposition)
    }
  }

  /// Puts an edited record in the place of the one that waits, with its deliveries as they stand.
  func replace(_ edited: Record, keeping entries: [QueueEntry]) throws -> Record {
    var record = edited
    let seen = try Seen.fetch(db, owner: session.owner, logID: record.logID)
    record.revision = (seen.last { !$0.isSuspect }?.revision ?? 0) + 1
    try replace(record, .held(.awaitingConfirmation))
    for entry in entries {
      try db.execute(
        sql: """
          UPDATE delivery SET state = ?, reason = ?, attempts = ?, last_error = ?
          WHERE sink = ? AND record = (SELECT id FROM record WHERE owner = ? AND log_id = ? AND suspect = 0)
          """,
        arguments: [
          entry.state.rawValue, entry.reason, entry.attempts, entry.lastError, entry.sink, session.owner,
          record.logID.description,
        ])
    }
    return record
  }

  private func insertDeliveries(of row: Int64, _ record: Record, _ disposition: Disposition) throws {
    let (state, reason): (DeliveryState, String?) =
      switch disposition {
      case .pending: (.pending, nil)
      case .held(let reason): (.held, reason.rawValue)
      case .excluded(let reason): (.excluded, reason.rawValue)
      }
    for sink in sinks {
      try db.cachedStatement(
        sql: "INSERT INTO delivery (record, sink, state, reason, revision) VALUES (?, ?, ?, ?, ?)"
      ).execute(
        arguments: [row, sink, state.rawValue, reason, record.revision])
    }
  }

  private func insertSeen(_ record: Record, isSuspect: Bool) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO seen (owner, log_id, revision, content_hash, primary_hash, suspect, seen_us)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        session.owner, record.logID.description, record.revision, Data(record.contentHash), Data(record.primaryHash),
        isSuspect, MeterStore.nowMicroseconds,
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

/// A content that was committed under a name.
struct Seen {
  let revision: Int
  let contentHash: [UInt8]
  let primaryHash: [UInt8]
  let isSuspect: Bool

  static func fetch(_ db: Database, owner: String, logID: LogID) throws -> [Seen] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT revision, content_hash, primary_hash, suspect FROM seen
          WHERE owner = ? AND log_id = ? ORDER BY revision
          """), arguments: [owner, logID.description]
    ).map { row in
      Seen(
        revision: row["revision"], contentHash: Array(row["content_hash"] as Data),
        primaryHash: Array(row["primary_hash"] as Data), isSuspect: row["suspect"])
    }
  }
}
