internal import Foundation
internal import GRDB

/// What a person changes about a reading that waits.
public struct RecordEdit: Sendable, Hashable {
  /// A value's new number and unit.
  public struct Value: Sendable, Hashable {
    package let number: ReportedNumber
    /// Code of the unit in the dictionary.
    package let unit: UInt16

    /// A value from its parts.
    public init(number: ReportedNumber, unit: UInt16) {
      self.number = number
      self.unit = unit
    }
  }

  /// New values by the code of their metric, which must be in the record.
  package var values: [UInt16: Value]
  /// The start, of which the reading gets all but the end: how long it took stays. Nil leaves it; without an offset, which
  /// another season or place may have changed, the reading keeps its own.
  package var time: RecordTime?

  /// An edit from its parts.
  public init(values: [UInt16: Value] = [:], time: RecordTime? = nil) {
    self.values = values
    self.time = time
  }

  /// An edit of the start.
  ///
  /// - Parameters:
  ///   - start: Microseconds since 1970-01-01T00:00Z.
  ///   - offset: How far local time was ahead of UTC then; nil leaves it.
  public init(values: [UInt16: Value] = [:], startMicroseconds start: Int64, utcOffsetSeconds offset: Int? = nil) {
    self.init(
      values: values,
      time: RecordTime(
        startMicroseconds: start, endMicroseconds: start, civilMicroseconds: nil, utcOffsetSeconds: offset,
        zoneSource: offset == nil ? nil : .user, kind: .utc))
  }

  /// The record with the changes; nil when it has no such metric, the unit does not belong to it, or nothing changes.
  package func applied(to record: Record) -> Record? {
    var edited = record.values
    for (metric, change) in values {
      guard let index = edited.firstIndex(where: { $0.metric == metric }), let unit = MetricUnit.withCode(change.unit),
        Metric.withCode(metric)?.allowed(unit) != nil
      else { return nil }
      edited[index] = RecordValue(metric: metric, unit: change.unit, number: change.number)
    }
    guard let time = moved(record.time), edited != record.values || time != record.time else { return nil }
    return record.changed(
      values: edited, time: time, origin: values.isEmpty ? record.origin : .manual,
      flags: self.time == nil ? record.flags : record.flags.subtracting(.clockSuspect))
  }

  /// A reading's time with the new start; nil when that cannot be written.
  private func moved(_ old: RecordTime) -> RecordTime? {
    guard let new = time else { return old }
    let offset = new.utcOffsetSeconds ?? old.utcOffsetSeconds
    guard new.startMicroseconds != old.startMicroseconds || offset != old.utcOffsetSeconds else { return old }
    let (length, isTooLong) = old.endMicroseconds.subtractingReportingOverflow(old.startMicroseconds)
    let (end, isTooLate) = new.startMicroseconds.addingReportingOverflow(length)
    guard !isTooLong, !isTooLate, RecordTime.writable.contains(new.startMicroseconds),
      RecordTime.writable.contains(end)
    else { return nil }
    return RecordTime(
      startMicroseconds: new.startMicroseconds, endMicroseconds: end, civilMicroseconds: new.civilMicroseconds,
      utcOffsetSeconds: offset, zoneSource: offset == nil ? nil : new.zoneSource ?? .user, kind: new.kind)
  }
}

extension MeterStore {
  /// Sends readings again that a receiver has refused for good, as after its fault was mended, or whose content has stayed after their
  /// delivery, as after a broker has lost them.
  ///
  /// - Parameters:
  ///   - logIDs: The readings.
  ///   - revision: What the person was shown; a reading that has changed since is left out. Nil: whatever was refused.
  /// - Returns: The readings that are sent again, or their images; the others are left out.
  public func resubmit(_ logIDs: Set<LogID>, revision: Int? = nil) throws(StoreError) -> Set<LogID> {
    try resubmit(logIDs, reason: nil, revision: revision)
  }

  private func resubmit(_ logIDs: Set<LogID>, reason: String?, revision: Int? = nil) throws(StoreError) -> Set<LogID> {
    let resubmitted = try transaction { db in
      let session = try SessionRow.fetch(db)
      guard session.user != nil, session.ending == nil else { return Set<LogID>() }
      return try logIDs.filter { logID in
        guard try Self.isStill(revision, logID, of: session.owner, db) else { return false }
        try db.execute(
          sql: """
            UPDATE delivery SET state = 'pending', reason = NULL, attempts = 0, next_try_us = NULL
            WHERE state = 'dead' AND (?3 IS NULL OR reason = ?3)
              AND record = (SELECT id FROM record WHERE owner = ?1 AND log_id = ?2 AND suspect = 0)
            """, arguments: [session.owner, logID.description, reason])
        let isRefused = db.changesCount > 0
        let isRecord =
          try isRefused || reason == nil && KeptRecords(db: db).sendAgain(logID.description, owner: session.owner)
        let isImage = try ImageTable(db: db, owner: session.owner, sinks: SinkList(db, sinkKinds)).resubmit(
          logID.description, reason: reason)
        return isRecord || isImage
      }
    }
    if !resubmitted.isEmpty { announceChange() }
    return resubmitted
  }

  /// Sends everything again that a receiver has refused for good, readings and images. What is damaged would only be put aside
  /// again, and has to be named.
  ///
  /// - Parameter reason: Only what is dead for this reason, such as `http-404`; nil for all.
  /// - Returns: The readings that are sent again, or their images.
  public func resubmitAll(reason: String? = nil) throws(StoreError) -> Set<LogID> {
    try resubmit(
      try reading { db in
        let session = try SessionRow.fetch(db)
        let names = try String.fetchAll(
          db,
          sql: """
            SELECT log_id FROM delivery JOIN record ON record.id = delivery.record
            WHERE state = 'dead' AND owner = ?1 AND suspect = 0 AND coalesce(reason = ?2, reason <> ?3)
            UNION SELECT log_id FROM media_delivery JOIN media ON media.id = media_delivery.media
            WHERE state = 'dead' AND owner = ?1 AND coalesce(reason = ?2, TRUE)
            """, arguments: [session.owner, reason, Self.damaged])
        return Set(names.compactMap { LogID($0) })
      }, reason: reason)
  }

  /// Throws readings away that a person does not want delivered. A meter that sends its memory again does not bring them
  /// back, in this session and the user's later ones.
  ///
  /// Their images go along; of a reading that is delivered, those go that its receiver has refused.
  ///
  /// - Parameters:
  ///   - logIDs: The readings.
  ///   - includingPending: Also what would be delivered; what is being sent at the moment never.
  ///   - revision: What the person was shown; a reading that has changed since stays. Nil: whatever waits.
  /// - Returns: The readings that are gone; those that are delivered, being sent or not known are left out.
  public func discard(
    _ logIDs: Set<LogID>, includingPending: Bool = false, revision: Int? = nil
  ) throws(StoreError) -> Set<LogID> {
    let kept = includingPending ? "('inFlight')" : "('inFlight', 'pending')"
    let discarded = try transaction { db in
      let session = try SessionRow.fetch(db)
      guard session.ending == nil else { return Set<LogID>() }
      return try logIDs.filter { logID in
        guard try Self.isStill(revision, logID, of: session.owner, db) else { return false }
        let row = try Int64.fetchOne(
          db,
          sql: """
            SELECT id FROM record WHERE owner = ? AND log_id = ? AND suspect = 0 AND NOT EXISTS (
              SELECT 1 FROM delivery WHERE delivery.record = record.id AND state IN \(kept))
            """, arguments: [session.owner, logID.description])
        let images = try ImageTable(db: db, owner: session.owner, sinks: SinkList(db, sinkKinds))
        guard let row else {
          return try images.discard(logID.description, all: false, includingPending: includingPending)
        }
        if try Self.isDelivered(db, row: row) {
          // The session's own receiver has it, so that it cannot be thrown away any more: the others do without.
          try images.drop(logID.description, notDeliveredIn: row)
          try db.execute(sql: "DELETE FROM delivery WHERE record = ? AND state <> 'delivered'", arguments: [row])
          try Self.finish(db, row: row, owner: session.owner, receiverID: nil, mayStay: false)
        } else {
          _ = try images.discard(logID.description, all: true, includingPending: includingPending)
          let entries = try QueueEntry.fetch(
            db, where: "owner = ? AND log_id = ? AND suspect = 0", arguments: [session.owner, logID.description])
          if let record = entries.first?.record { try WeightTable(db: db, owner: session.owner).forget(record) }
          try Self.discard(db, row: row, owner: session.owner, logID)
        }
        return true
      }
    }
    if !discarded.isEmpty { announceChange() }
    return discarded
  }

  /// Whether a reading has the content that a person was shown; nil is any, and what has gone has none that could be another one.
  private static func isStill(_ revision: Int?, _ logID: LogID, of owner: String, _ db: Database) throws -> Bool {
    guard let revision else { return true }
    let now = try Int.fetchOne(
      db, sql: "SELECT revision FROM record WHERE owner = ? AND log_id = ? AND suspect = 0",
      arguments: [owner, logID.description])
    return (now ?? revision) == revision
  }

  /// Whether the session's own receiver has accepted a record that others still need.
  private static func isDelivered(_ db: Database, row: Int64) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM delivery WHERE record = ? AND sink = ? AND state = 'delivered')",
      arguments: [row, defaultSink]) ?? false
  }

  private static func discard(_ db: Database, row: Int64, owner: String, _ logID: LogID) throws {
    try db.execute(sql: "DELETE FROM record WHERE id = ?", arguments: [row])
    try db.execute(
      sql: """
        UPDATE seen SET discarded_us = ? WHERE owner = ? AND log_id = ? AND suspect = 0 AND delivered_us IS NULL
        """, arguments: [nowMicroseconds, owner, logID.description])
  }

  /// Whether a person may change a reading: it waits for one at some receiver, and is not on its way to another.
  package static func mayBeEdited(_ entries: [QueueEntry]) -> Bool {
    entries.contains { $0.state == .held || $0.state == .dead }
      && entries.allSatisfy { $0.state != .inFlight && $0.state != .excluded }
  }

  /// Changes a reading that is held or was refused. It keeps its name, gets the next revision, and goes on waiting until it is
  /// confirmed or sent again; the meter's own value does not come back. Receivers that have it, or were to get it, get the
  /// new revision at once.
  ///
  /// - Parameters:
  ///   - logID: The reading.
  ///   - edit: What is changed.
  ///   - revision: What the person was shown; a reading that has changed since stays as it is. Nil: whatever waits.
  /// - Returns: The changed record; nil when there is no such reading that waits, or the edit does not fit it.
  public func edit(_ logID: LogID, _ edit: RecordEdit, revision: Int? = nil) throws(StoreError) -> Record? {
    let edited = try transaction { db -> Record? in
      let session = try SessionRow.fetch(db)
      guard session.ending == nil else { return nil }
      let entries = try QueueEntry.fetch(
        db, where: "owner = ? AND log_id = ? AND suspect = 0 ORDER BY sink",
        arguments: [session.owner, logID.description])
      guard let record = entries.first?.record, Self.mayBeEdited(entries),
        let changed = edit.applied(to: record), try Self.isStill(revision, logID, of: session.owner, db)
      else {
        return nil
      }
      return try RecordCommitter(db: db, session: session, sinks: SinkList(db, sinkKinds)).replace(
        changed, keeping: entries)
    }
    if edited != nil { announceChange() }
    return edited
  }

  /// Whether deliveries are paused.
  public func isPaused() throws(StoreError) -> Bool {
    try reading { db in
      try Bool.fetchOne(db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM setting WHERE name = 'paused')")) ?? false
    }
  }

  /// Pauses or resumes deliveries; it outlives the process. Readings are taken and kept all the while.
  public func setPaused(_ isPaused: Bool) throws(StoreError) {
    try transaction { db in
      if isPaused {
        try db.execute(
          sql: "INSERT INTO setting VALUES ('paused', ?) ON CONFLICT DO NOTHING",
          arguments: [String(Self.nowMicroseconds)])
      } else {
        try db.execute(sql: "DELETE FROM setting WHERE name = 'paused'")
      }
    }
    announceChange()
  }

  /// What is logged, as it was set for this folder; nil when nobody has.
  package func logSettings() throws(StoreError) -> LogSettings? {
    try reading { db in
      let text = try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = 'log'")
      // Settings of another version are no reason to refuse the folder.
      return text.flatMap { try? JSONDecoder().decode(LogSettings.self, from: Data($0.utf8)) }
    }
  }

  /// Keeps what is to be logged.
  package func setLogSettings(_ settings: LogSettings) throws(StoreError) {
    try transaction { db in
      let text = String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
      try db.execute(
        sql: "INSERT INTO setting VALUES ('log', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        arguments: [text])
    }
  }

  /// Gives the disk back what delivered readings have left, a part at a time so that nobody waits long.
  ///
  /// - Parameters:
  ///   - pages: How many pages at most.
  ///   - spare: Free pages that the next readings may have; fewer are left alone.
  /// - Returns: Whether there may be more.
  @discardableResult
  package func giveBackSpace(pages: Int = 2_000, keeping spare: Int = 0) throws(StoreError) -> Bool {
    do {
      return try writing { db in
        let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
        guard free > spare else { return false }
        // Each step frees one page.
        let statement = try db.makeStatement(sql: "PRAGMA incremental_vacuum(\(min(pages, free - spare)))")
        _ = try Row.fetchAll(statement)
        return free - spare > pages
      }
    } catch {
      throw StoreError.mapping(error)
    }
  }
}
