internal import GRDB

/// A record of an export that a later one has not, and where copies of it are.
package struct VanishedRecord: Sendable, Hashable {
  /// A receiver that has accepted it.
  package struct Holder: Sendable, Hashable {
    /// The receiver's name in the session.
    package var sink: String
    /// The receiver's own id of it; nil where its answer had none.
    package var receiverID: String?
  }

  /// What is remembered of it.
  package var trace: ImportedTrace
  /// The receivers of the session that have it, the session's own first.
  package var holders: [Holder]
  /// The receivers for which it, or a later content of it, still waits in the queue.
  package var waiting: [String]
  /// Whether it is being sent at the moment.
  package var isBeingSent: Bool
}

extension HealthTable {
  /// The names of what has vanished, the earliest first, without what the store itself does not know any more.
  func vanishedNames(limit: Int) throws -> [LogID] {
    try String.fetchAll(
      db,
      sql: """
        SELECT log_id FROM health_record WHERE owner = ? AND vanished = 1
          AND EXISTS (SELECT 1 FROM seen WHERE seen.owner = health_record.owner AND seen.log_id = health_record.log_id)
        ORDER BY start_us, log_id LIMIT ?
        """, arguments: [owner, limit]
    ).map { text in
      guard let logID = LogID(text) else { throw StoreError.unreadable(column: "log_id") }
      return logID
    }
  }

  /// A record that has vanished; nil for any other one.
  func vanished(_ logID: LogID, sinks: [String]) throws -> VanishedRecord? {
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT * FROM health_record WHERE owner = ?1 AND log_id = ?2 AND vanished = 1
          AND EXISTS (SELECT 1 FROM seen WHERE owner = ?1 AND log_id = ?2)
        """, arguments: [owner, logID.description])
    guard let row else { return nil }
    let states = try Row.fetchAll(
      db,
      sql: """
        SELECT sink, state FROM delivery JOIN record ON record.id = delivery.record
        WHERE owner = ? AND log_id = ? AND suspect = 0 ORDER BY sink
        """, arguments: [owner, logID.description]
    ).map { row in (sink: try row["sink"] as String, state: DeliveryState(rawValue: try row["state"])) }
    return VanishedRecord(
      trace: try trace(row), holders: try sinks.compactMap { try holder(logID, sink: $0, isOwn: $0 == sinks.first) },
      waiting: states.filter { $0.state != .delivered }.map(\.sink),
      isBeingSent: states.contains { $0.state == .inFlight })
  }

  /// Whether a receiver has accepted any content of a record. What the session's own has got while it was alone stands only in `seen`.
  private func holder(_ logID: LogID, sink: String, isOwn: Bool) throws -> VanishedRecord.Holder? {
    let noted = try Row.fetchOne(
      db, sql: "SELECT receiver_id FROM acceptance WHERE owner = ? AND log_id = ? AND sink = ?",
      arguments: [owner, logID.description, sink])
    if let noted { return VanishedRecord.Holder(sink: sink, receiverID: try noted["receiver_id"]) }
    guard isOwn else { return nil }
    let seen = try Row.fetchOne(
      db,
      sql: """
        SELECT receiver_id FROM seen WHERE owner = ? AND log_id = ? AND suspect = 0 AND delivered_us IS NOT NULL
        ORDER BY receiver_id IS NULL, revision DESC LIMIT 1
        """, arguments: [owner, logID.description])
    guard let seen else { return nil }
    let receiverID: String? = try seen["receiver_id"]
    // What others have and it has not, it had no form for.
    let isOfOthersOnly =
      try receiverID == nil
      && Bool.fetchOne(
        db, sql: "SELECT EXISTS (SELECT 1 FROM acceptance WHERE owner = ? AND log_id = ?)",
        arguments: [owner, logID.description]) == true
    return isOfOthersOnly ? nil : VanishedRecord.Holder(sink: sink, receiverID: receiverID)
  }

  /// Forgets a record altogether: its trace, its further names, what was seen and accepted of it, and what of it waits, with its images.
  ///
  /// - Parameter samples: Of pieces, of which it was made: a later piece would bring it again with them.
  func forget(_ logID: LogID, family: String, samples: [StoredHealthSample]) throws {
    let name = logID.description
    let entries = try QueueEntry.fetch(
      db, where: "owner = ? AND log_id = ? AND suspect = 0", arguments: [owner, name])
    if let record = entries.first?.record { try WeightTable(db: db, owner: owner).forget(record) }
    try db.execute(sql: "DELETE FROM media WHERE owner = ? AND log_id = ?", arguments: [owner, name])
    for table in ["record", "seen"] {
      try db.execute(
        sql: "DELETE FROM \(table) WHERE owner = ? AND log_id = ? AND suspect = 0", arguments: [owner, name])
    }
    for table in ["acceptance", "health_alias", "health_record"] {
      try db.execute(sql: "DELETE FROM \(table) WHERE owner = ? AND log_id = ?", arguments: [owner, name])
    }
    for sample in samples {
      try db.execute(
        sql: "DELETE FROM health_sample WHERE owner = ? AND family = ? AND day = ? AND digest = ?",
        arguments: [owner, family, sample.day, sample.digest])
    }
  }
}

extension MeterStore {
  /// Vanished records that are looked at together.
  package static let vanishedLimit = 100_000

  /// The names of records that the last export that should have had them has not, the earliest first.
  ///
  /// - Throws: ``StoreError``.
  package func vanishedNames() throws(StoreError) -> [LogID] {
    try reading { db in
      try HealthTable(db: db, owner: SessionRow.fetch(db).owner).vanishedNames(limit: Self.vanishedLimit)
    }
  }

  /// What is known of records that have vanished, in the order of their names; others are left out.
  ///
  /// - Throws: ``StoreError``.
  package func vanishedRecords(_ logIDs: [LogID]) throws(StoreError) -> [VanishedRecord] {
    try reading { db in
      let table = HealthTable(db: db, owner: try SessionRow.fetch(db).owner)
      let sinks = try SinkRow.names(db)
      return try logIDs.compactMap { try table.vanished($0, sinks: sinks) }
    }
  }

  /// Forgets a record whose copies are gone: an export that has it again brings it as new.
  ///
  /// - Parameters:
  ///   - vanished: As it was when its copies were deleted.
  ///   - samples: Of pieces, of which it was made.
  /// - Returns: False when it is another one by now, as when it was sent meanwhile: then nothing is forgotten.
  /// - Throws: ``StoreError`` with code `stale_generation` when the session is another one by now.
  package func forgetVanished(
    _ vanished: VanishedRecord, samples: [StoredHealthSample], of generation: SessionGeneration
  ) throws(StoreError) -> Bool {
    let isForgotten = try transaction { db in
      let table = HealthTable(db: db, owner: try Self.owner(db, of: generation))
      let now = try table.vanished(vanished.trace.logID, sinks: SinkRow.names(db))
      guard let now, now == vanished, !now.isBeingSent else { return false }
      try table.forget(vanished.trace.logID, family: vanished.trace.family, samples: samples)
      return true
    }
    if isForgotten { announceChange() }
    return isForgotten
  }
}
