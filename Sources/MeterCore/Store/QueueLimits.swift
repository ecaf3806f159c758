internal import GRDB

/// How much a state folder may hold before it takes nothing new (C9).
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
public struct QueueUsage: Sendable, Hashable {
  /// Records whose content is kept.
  public let records: Int
  /// Bytes of these contents.
  public let bytes: Int64

  static func fetch(_ db: Database) throws -> QueueUsage {
    guard let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT records, bytes FROM usage")) else {
      throw StoreError(.corrupt, "the row that counts records is missing; run `meterhost doctor --repair`.")
    }
    return QueueUsage(records: row["records"], bytes: row["bytes"])
  }
}

extension QueueLimits {
  /// Throws when a commit has brought new records and the store is beyond a limit with them.
  func check(_ db: Database, nowMicroseconds: Int64) throws {
    let usage = try QueueUsage.fetch(db)
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
        + "Bring the receiver back, or look at `meterhost queue list` and discard what nobody needs.")
  }
}

extension MeterStore {
  /// How much the folder holds.
  public func usage() throws(StoreError) -> QueueUsage {
    try reading { db in try QueueUsage.fetch(db) }
  }

  /// How many deliveries are in which state, over all sinks; counted when they change, not when one asks.
  public func tally() throws(StoreError) -> [DeliveryState: Int] {
    try reading { db in
      let rows = try Row.fetchAll(db, sql: "SELECT state, sum(entries) AS entries FROM tally GROUP BY state")
      var tally: [DeliveryState: Int] = [:]
      for row in rows {
        guard let state = DeliveryState(rawValue: row["state"]) else { continue }
        let entries: Int = row["entries"]
        if entries > 0 { tally[state] = entries }
      }
      return tally
    }
  }
}
