internal import GRDB

/// The tables of what was imported for one user.
struct HealthTable {
  let db: Database
  let owner: String

  /// Remembers a record, under its further names, too. What was remembered of it before goes.
  func note(_ trace: ImportedTrace, aliases: [LogID]) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO health_record
          (owner, log_id, family, kind, word, start_us, end_us, source, content, exported_us, vanished)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (owner, log_id) DO UPDATE SET start_us = excluded.start_us, end_us = excluded.end_us,
          source = excluded.source, content = excluded.content, exported_us = excluded.exported_us,
          vanished = excluded.vanished
        """
    ).execute(
      arguments: [
        owner, trace.logID.description, trace.family, trace.kind, trace.word, trace.startMicroseconds,
        trace.endMicroseconds, trace.source, trace.content, trace.exportedMicroseconds, trace.isVanished,
      ])
    for alias in aliases {
      try db.cachedStatement(
        sql: """
          INSERT INTO health_alias (owner, alias, log_id) VALUES (?, ?, ?)
          ON CONFLICT (owner, alias) DO UPDATE SET log_id = excluded.log_id
          """
      ).execute(arguments: [owner, alias.description, trace.logID.description])
    }
  }

  /// What is remembered of a stretch of time, without what the store itself does not know any more: that comes as new.
  func traces(family: String, from start: Int64, until end: Int64) throws -> [ImportedTrace] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT * FROM health_record WHERE owner = ? AND family = ? AND start_us >= ? AND start_us < ?
          AND EXISTS (SELECT 1 FROM seen WHERE seen.owner = health_record.owner AND seen.log_id = health_record.log_id)
        """, arguments: [owner, family, start, end]
    ).map(trace)
  }

  /// What is remembered of one record.
  func trace(_ row: Row) throws -> ImportedTrace {
    let text: String = try row["log_id"]
    guard let logID = LogID(text) else { throw StoreError.unreadable(column: "log_id") }
    var trace = try ImportedTrace(
      logID: logID, family: row["family"], kind: row["kind"], word: row["word"], startMicroseconds: row["start_us"],
      endMicroseconds: row["end_us"], source: row["source"], content: row["content"],
      exportedMicroseconds: row["exported_us"])
    trace.isVanished = try row["vanished"]
    return trace
  }

  /// The record that a further name stands for.
  func name(of alias: LogID) throws -> LogID? {
    try String.fetchOne(
      db.cachedStatement(sql: "SELECT log_id FROM health_alias WHERE owner = ? AND alias = ?"),
      arguments: [owner, alias.description]
    ).flatMap { LogID($0) }
  }

  /// Forgets what the end of a session takes along: everything but the order of sources, which the next import of the same user must not
  /// turn round.
  func forgetSession() throws {
    for table in ["health_record", "health_alias", "health_import", "health_sample", "health_feed"] {
      try db.execute(sql: "DELETE FROM \(table) WHERE owner = ?", arguments: [owner])
    }
  }
}
