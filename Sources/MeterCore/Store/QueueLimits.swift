internal import Foundation
internal import GRDB
internal import Synchronization

/// How much a state folder may hold before it takes nothing new.
///
/// What is full refuses: a reading that was acknowledged is never dropped for a newer one, and a meter whose readings
/// are refused keeps them, because nothing is confirmed to it. Later revisions of readings that are there are always
/// taken.
public struct QueueLimits: Sendable, Hashable {
  /// Records whose content is kept: waiting, held, refused, and excluded ones.
  public var records: Int
  /// Bytes of these contents.
  public var bytes: Int64
  /// How long the oldest record may wait for its receiver; nil for any time.
  public var age: Duration?

  /// Limits; the defaults hold what a busy gateway reads in years, in less than the smallest memory card.
  public init(records: Int = 2_000_000, bytes: Int64 = 2 << 30, age: Duration? = nil) {
    self.records = records
    self.bytes = bytes
    self.age = age
  }
}

/// How much a state folder holds.
package struct QueueUsage: Sendable, Hashable {
  /// Records whose content is kept.
  package let records: Int
  /// Bytes of these contents.
  package let bytes: Int64

  static func fetch(_ db: Database) throws -> QueueUsage {
    guard let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT records, bytes FROM usage")) else {
      throw StoreError(.corrupt, "the row that counts records is missing; run `meterhost doctor --repair`.")
    }
    return try QueueUsage(records: row["records"], bytes: row["bytes"])
  }
}

extension QueueLimits {
  /// Throws when a commit has brought new records and the store is beyond a limit with them. Contents that only stay for a time after
  /// their delivery make room first.
  func check(_ db: Database, nowMicroseconds: Int64) throws {
    var usage = try QueueUsage.fetch(db)
    while usage.records > records || usage.bytes > bytes, try KeptRecords(db: db).makeRoom(100) > 0 {
      usage = try QueueUsage.fetch(db)
    }
    if usage.records > records {
      throw full("holds \(usage.records - 1) records, and its limit is \(records)")
    }
    if usage.bytes > bytes { throw full("would hold \(usage.bytes) bytes, and its limit is \(bytes)") }
    guard let age else { return }
    let oldest = try Int64.fetchOne(
      db,
      sql: """
        SELECT committed_us FROM record WHERE id = (SELECT min(record) FROM delivery WHERE state = 'pending')
        """)
    guard let oldest, nowMicroseconds - oldest > Int64(age.components.seconds) * 1_000_000 else { return }
    throw full("has a record that waits for its receiver for longer than \(age.components.seconds) seconds")
  }

  private func full(_ problem: String) -> StoreError {
    StoreError(
      .queueFull,
      "the queue is full: it \(problem). Nothing of this was stored, and nothing that was stored is lost. "
        + "Bring the receiver back, look at `meterhost queue list` and discard what nobody needs, or raise the limit: "
        + "`meterhost queue limits --help`.")
  }
}

extension MeterStore {
  /// How much the folder holds.
  package func usage() throws(StoreError) -> QueueUsage {
    try reading { db in try QueueUsage.fetch(db) }
  }

  /// How many deliveries are in which state; counted when they change, not when one asks.
  ///
  /// - Parameter sink: At which sink; nil for all.
  package func tally(sink: String? = nil) throws(StoreError) -> [DeliveryState: Int] {
    try reading { db in
      let rows = try Row.fetchAll(
        db, sql: "SELECT state, sum(entries) AS entries FROM tally WHERE sink = coalesce(?, sink) GROUP BY state",
        arguments: [sink])
      var tally: [DeliveryState: Int] = [:]
      for row in rows {
        guard let state = DeliveryState(rawValue: try row["state"]) else {
          throw StoreError.unreadable(column: "state")
        }
        let entries: Int = try row["entries"]
        if entries > 0 { tally[state] = entries }
      }
      return tally
    }
  }
}

extension MeterStore {
  /// How many readings of the session's user wait for a person's word: those that ``confirm(_:)`` can release, or will once they
  /// have a time. What the default user has read is nobody's to confirm.
  package func awaitingWord() throws(StoreError) -> Int {
    try reading { db in
      let session = try SessionRow.fetch(db)
      guard session.user != nil else { return 0 }
      return try Int.fetchOne(
        db,
        sql: """
          SELECT count(DISTINCT delivery.record) FROM delivery JOIN record ON record.id = delivery.record
          WHERE state = 'held' AND state <> 'pending' AND owner = ? AND reason NOT IN (?, ?)
          """,
        arguments: [session.owner, HoldReason.noSession.rawValue, HoldReason.notDeliverable.rawValue]) ?? 0
    }
  }
}

// Limits that a user has set stay with the folder.
extension QueueLimits {
  /// As the `setting` table keeps them.
  private struct Kept: Codable {
    var records: Int
    var bytes: Int64
    var ageSeconds: Int64?
  }

  private static let setting = "limits"

  /// What was set for the folder; the defaults when nobody has.
  static func fetch(_ db: Database) throws -> QueueLimits {
    let text = try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [setting])
    // Settings of another version are no reason to refuse the folder.
    guard let text, let kept = try? JSONDecoder().decode(Kept.self, from: Data(text.utf8)) else { return QueueLimits() }
    return QueueLimits(
      records: kept.records, bytes: kept.bytes, age: kept.ageSeconds.map { .seconds($0) })
  }

  func keep(_ db: Database) throws {
    let kept = Kept(records: records, bytes: bytes, ageSeconds: age?.components.seconds)
    try db.execute(
      sql: "INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      arguments: [Self.setting, String(decoding: try JSONEncoder().encode(kept), as: UTF8.self)])
  }
}

extension MeterStore {
  /// Sets how much the folder may hold, from the next commit on and for later openings. What is there stays, whatever the
  /// limits.
  public func setLimits(_ limits: QueueLimits) throws(StoreError) {
    try transaction { db in try limits.keep(db) }
    currentLimits.withLock { $0 = limits }
  }
}
