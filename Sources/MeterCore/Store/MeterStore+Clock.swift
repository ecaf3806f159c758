package import Foundation
internal import GRDB

extension MeterStore {
  /// Gives readings their time that came while the host did not know the date: those of this boot, for which the time
  /// since is known. They keep their names, get the next revision, and are delivered if nothing else holds them.
  ///
  /// Call it when the host's clock is synchronised. Readings of an earlier boot go on waiting for a person, because nothing
  /// tells how long the host was off.
  ///
  /// - Parameter zone: The gateway's; that of the session's user goes before it.
  /// - Returns: The corrected records.
  @discardableResult
  package func correctTimes(by clock: BootClock = .now, zone: TimeZone = .gateway) throws(StoreError) -> [Record] {
    let waits = try reading { db in
      try Bool.fetchOne(
        db, sql: "SELECT EXISTS (SELECT 1 FROM untimed WHERE boot_id = ?)", arguments: [clock.bootID]) ?? false
    }
    // Nearly always: no reason to write.
    guard waits else { return [] }
    let corrected = try transaction { db in
      let session = try SessionRow.fetch(db)
      guard session.ending == nil else { return [Record]() }
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT record.log_id AS log_id, boot_us FROM untimed JOIN record ON record.id = untimed.record
          WHERE boot_id = ? AND owner = ? AND suspect = 0 ORDER BY record.id
          """, arguments: [clock.bootID, session.owner])
      let sinks = try SinkList(db, sinkKinds)
      return try rows.compactMap { row in
        try UntimedRow(logID: row["log_id"], bootMicroseconds: row["boot_us"])
          .correct(db, session, sinks, clock: clock, zone: zone)
      }
    }
    if !corrected.isEmpty { announceChange() }
    return corrected
  }
}

/// A reading whose date is not known, and when it was since boot.
struct UntimedRow {
  let logID: String
  let bootMicroseconds: Int64

  /// - Returns: The corrected record; nil when a person has given it a time already.
  func correct(
    _ db: Database, _ session: SessionRow, _ sinks: SinkList, clock: BootClock, zone: TimeZone
  ) throws -> Record? {
    let entries = try QueueEntry.fetch(
      db, where: "owner = ? AND log_id = ? AND suspect = 0 ORDER BY sink", arguments: [session.owner, logID])
    guard let record = entries.first?.record, record.time.kind == .none,
      entries.allSatisfy({ $0.state == .held })
    else { return nil }
    let start = clock.utcMicroseconds(ofBoot: bootMicroseconds)
    let userZone = session.options.timeZone
    let time = RecordTime(
      startMicroseconds: start, endMicroseconds: start, civilMicroseconds: nil,
      utcOffsetSeconds: CivilTime(zone: userZone ?? zone).offset(atUTC: start),
      zoneSource: userZone == nil ? .gateway : .user, kind: .none)
    // That the meter's own clock is not set stays true.
    let isOfMeter = entries.contains { $0.reason == HoldReason.clockSuspect.rawValue }
    let changed = record.changed(
      values: record.values, time: time, origin: record.origin,
      flags: isOfMeter ? record.flags : record.flags.subtracting(.clockSuspect))
    let filed = try RecordCommitter(db: db, session: session, sinks: sinks).replace(changed, keeping: entries)
    try db.execute(
      sql: """
        DELETE FROM untimed WHERE record = (SELECT id FROM record WHERE owner = ? AND log_id = ? AND suspect = 0)
        """, arguments: [session.owner, logID])
    guard session.user != nil else {
      try db.execute(
        sql: """
          UPDATE delivery SET reason = ? WHERE state = 'held' AND reason = ?
            AND record = (SELECT id FROM record WHERE owner = ? AND log_id = ? AND suspect = 0)
          """,
        arguments: [
          HoldReason.noSession.rawValue, HoldReason.hostClockUnsynchronized.rawValue, session.owner, logID,
        ])
      return filed
    }
    // The record does not say which scale it is from: what is unlike the person's weight is held, of whatever scale, and so is what may
    // be of one that several people share.
    let scale = try MeterTable(db: db).hasSharedScale() ? ScaleUse.severalPeople : .onePerson
    _ = try WeightTable(db: db, owner: session.owner).release(filed, heldFor: .hostClockUnsynchronized, on: scale)
    return filed
  }
}
