internal import GRDB
import HostPrimitives

/// Records whose content stays although every sink has acknowledged it: a broker's word says that it has a reading, and a broker that is
/// killed may lose what it has. Each of their deliveries is `delivered` with the moment until which the content stays; a sink that keeps
/// nothing leaves that empty, and its word is enough for the content to go.
struct KeptRecords {
  let db: Database

  /// Of a delivery: it is done with, and its content stays.
  private static let isDone = "state = 'delivered' AND state <> 'pending' AND confirm_by_us IS NOT NULL"

  /// Of a record: every delivery of it is of that kind.
  private static let isWhole = """
    NOT EXISTS (
      SELECT 1 FROM delivery WHERE delivery.record = record.id AND (state <> 'delivered' OR confirm_by_us IS NULL))
    """

  /// Of a delivery: its record is kept, and a list of what waits leaves it out.
  static let condition = """
    (state = 'delivered' AND NOT EXISTS (
      SELECT 1 FROM delivery AS other
      WHERE other.record = delivery.record AND (other.state <> 'delivered' OR other.confirm_by_us IS NULL)))
    """

  /// Whether the content of a record stays, all of whose deliveries are delivered.
  func isKept(_ record: Int64) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(
        sql: "SELECT count(*) > 0 AND count(*) = count(confirm_by_us) FROM delivery WHERE record = ?"),
      arguments: [record]) ?? false
  }

  /// How many records are kept.
  func count() throws -> Int {
    try Int.fetchOne(
      db,
      sql: """
        SELECT count(*) FROM record
        WHERE id IN (SELECT record FROM delivery WHERE \(Self.isDone)) AND \(Self.isWhole)
        """) ?? 0
  }

  /// The names of a user's kept readings.
  func names(owner: String) throws -> [LogID] {
    try String.fetchAll(
      db,
      sql: """
        SELECT log_id FROM record
        WHERE id IN (SELECT record FROM delivery WHERE \(Self.isDone)) AND owner = ? AND suspect = 0 AND \(Self.isWhole)
        """, arguments: [owner]
    ).compactMap { LogID($0) }
  }

  /// Until when the last of a user's kept contents stays; nil where there is none.
  func latest(owner: String) throws -> Int64? {
    try Int64.fetchOne(
      db,
      sql: """
        SELECT max(confirm_by_us) FROM delivery JOIN record ON record.id = delivery.record
        WHERE \(Self.isDone) AND owner = ? AND \(Self.isWhole)
        """, arguments: [owner])
  }

  /// Whether there may be something to ``forget(now:)``.
  func isAnyOver(_ now: Int64) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM delivery WHERE \(Self.isDone) AND confirm_by_us <= ?)", arguments: [now])
      ?? false
  }

  /// Deletes contents whose time is over.
  ///
  /// - Returns: How many.
  func forget(now: Int64) throws -> Int {
    // Delivered while the host did not know the date: their time begins when it does. At a clock that began in 1970 the moment is the
    // time for which the content stays, and a little more.
    try db.execute(
      sql:
        "UPDATE delivery SET confirm_by_us = ?1 + max(confirm_by_us, ?2) WHERE \(Self.isDone) AND confirm_by_us < ?3",
      arguments: [
        now, Int64(Acknowledgement.brokerKeeps.milliseconds) * 1000, RecordAdmission.earliestBelievable,
      ])
    try db.execute(
      sql: """
        DELETE FROM record
        WHERE id IN (SELECT record FROM delivery WHERE \(Self.isDone) AND confirm_by_us <= ?1) AND NOT EXISTS (
          SELECT 1 FROM delivery WHERE delivery.record = record.id
            AND (state <> 'delivered' OR confirm_by_us IS NULL OR confirm_by_us > ?1))
        """, arguments: [now])
    return db.changesCount
  }

  /// Deletes the oldest contents to make room for new readings.
  ///
  /// - Parameter most: How many at most.
  /// - Returns: How many.
  func makeRoom(_ most: Int) throws -> Int {
    try db.execute(
      sql: """
        DELETE FROM record WHERE id IN (
          SELECT id FROM record WHERE id IN (SELECT record FROM delivery WHERE \(Self.isDone)) AND \(Self.isWhole)
          ORDER BY id LIMIT ?)
        """, arguments: [most])
    return db.changesCount
  }

  /// Sends a kept reading again to every sink that has acknowledged it.
  ///
  /// - Returns: Whether it is kept.
  func sendAgain(_ logID: String, owner: String) throws -> Bool {
    let row = try Int64.fetchOne(
      db, sql: "SELECT id FROM record WHERE owner = ? AND log_id = ? AND suspect = 0", arguments: [owner, logID])
    guard let row, try isDelivered(row) else { return false }
    try db.execute(
      sql: """
        UPDATE delivery SET state = 'pending', reason = NULL, attempts = 0, next_try_us = NULL, confirm_by_us = NULL
        WHERE record = ?
        """, arguments: [row])
    let revision = try Int.fetchOne(db, sql: "SELECT revision FROM record WHERE id = ?", arguments: [row])
    try Self.forgetDelivery(db, owner: owner, logID, revision: revision ?? 0)
    return true
  }

  private func isDelivered(_ row: Int64) throws -> Bool {
    let isOpen = try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM delivery WHERE record = ? AND state <> 'delivered')", arguments: [row])
    return try isOpen == false && isKept(row)
  }

  /// What is sent again is not delivered: neither a session's end nor a recovery takes it for that.
  static func forgetDelivery(_ db: Database, owner: String, _ logID: String, revision: Int) throws {
    try db.execute(
      sql: "UPDATE seen SET delivered_us = NULL WHERE owner = ? AND log_id = ? AND suspect = 0 AND revision = ?",
      arguments: [owner, logID, revision])
    try db.execute(sql: "DELETE FROM acceptance WHERE owner = ? AND log_id = ?", arguments: [owner, logID])
  }
}

extension MeterStore {
  /// How many delivered readings keep their content for a time, because only a broker has acknowledged them.
  package func keptCount() throws(StoreError) -> Int { try reading { db in try KeptRecords(db: db).count() } }

  /// Deletes the contents of delivered readings whose time is over.
  ///
  /// - Parameter now: The time. Call it with a disciplined clock only: one that is ahead would delete what may be needed yet.
  /// - Returns: How many readings.
  @discardableResult
  package func forgetKept(nowMicroseconds now: Int64) throws(StoreError) -> Int {
    // Nothing to delete is the usual answer, and no reason to write.
    guard try reading({ db in try KeptRecords(db: db).isAnyOver(now) }) else { return 0 }
    return try transaction(.repetition) { db in try KeptRecords(db: db).forget(now: now) }
  }

  /// Sends every reading again whose content is kept, as after a broker has lost what it had.
  ///
  /// - Returns: The readings that are sent again, under their own names.
  public func resubmitKept() throws(StoreError) -> Set<LogID> {
    let sent = try transaction { db in
      let session = try SessionRow.fetch(db)
      guard session.user != nil, session.ending == nil else { return Set<LogID>() }
      let kept = KeptRecords(db: db)
      let names = try Set(kept.names(owner: session.owner))
      return try names.filter { try kept.sendAgain($0.description, owner: session.owner) }
    }
    if !sent.isEmpty { announceChange() }
    return sent
  }
}
