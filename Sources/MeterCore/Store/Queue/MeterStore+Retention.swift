internal import GRDB

/// How long a reading's name is remembered after its content has gone.
///
/// It must be at least as long as a meter can send the reading again: what is forgotten too early is delivered twice.
package struct SeenRetention: Sendable, Hashable {
  /// How long at least, since the reading was committed.
  package var age: Duration
  /// How many names at most; beyond, the oldest are forgotten before their time.
  package var names: Int

  /// The default keeps three years, and five million names: half a gigabyte.
  package init(age: Duration = .seconds(3 * 366 * 86_400), names: Int = 5_000_000) {
    self.age = age
    self.names = names
  }
}

extension MeterStore {
  /// How often names are looked through.
  private static let interval: Int64 = 30 * 86_400 * 1_000_000
  private static let setting = "pruned_us"

  /// Forgets names of readings that are done with and older than the retention, once a month.
  ///
  /// - Parameters:
  ///   - nowMicroseconds: The time. Call it with a disciplined clock only: one that is years ahead would forget everything.
  ///   - retention: What is kept.
  /// - Returns: How many names were forgotten; nil when it was done less than a month ago.
  @discardableResult
  package func forgetOldNames(
    nowMicroseconds: Int64, _ retention: SeenRetention = SeenRetention()
  ) throws(StoreError) -> Int? {
    try transaction { db in
      let last = try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [Self.setting])
      if let last = last.flatMap({ Int64($0) }), (0..<Self.interval).contains(nowMicroseconds - last) { return nil }
      try db.execute(
        sql: "INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        arguments: [Self.setting, String(nowMicroseconds)])
      let isDone = """
        NOT EXISTS (SELECT 1 FROM record WHERE record.owner = seen.owner AND record.log_id = seen.log_id)
          AND NOT EXISTS (
            SELECT 1 FROM health_record WHERE health_record.owner = seen.owner AND health_record.log_id = seen.log_id)
        """
      let oldest = nowMicroseconds - Int64(retention.age.components.seconds) * 1_000_000
      try db.execute(sql: "DELETE FROM seen WHERE seen_us < ? AND \(isDone)", arguments: [oldest])
      var forgotten = db.changesCount
      let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM seen") ?? 0
      if count > retention.names {
        try db.execute(
          sql: """
            DELETE FROM seen WHERE (owner, log_id, suspect, revision) IN (
              SELECT owner, log_id, suspect, revision FROM seen WHERE \(isDone) ORDER BY seen_us LIMIT ?)
            """, arguments: [count - retention.names])
        forgotten += db.changesCount
      }
      try db.execute(
        sql: """
          DELETE FROM acceptance WHERE NOT EXISTS (
            SELECT 1 FROM seen WHERE seen.owner = acceptance.owner AND seen.log_id = acceptance.log_id)
          """)
      return forgotten
    }
  }
}
