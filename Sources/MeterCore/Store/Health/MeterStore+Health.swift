internal import Foundation
internal import GRDB

// What health exports have brought, and what is chosen for them. All of it belongs to the session's user.
extension MeterStore {
  /// What is remembered of a stretch of time.
  ///
  /// - Parameters:
  ///   - start: Microseconds since 1970-01-01T00:00Z; what begins from then on,
  ///   - end: and before this.
  /// - Throws: ``StoreError``.
  package func importedTraces(
    family: String, from start: Int64, until end: Int64
  ) throws(StoreError) -> [ImportedTrace] {
    try reading { db in
      try HealthTable(db: db, owner: SessionRow.fetch(db).owner).traces(family: family, from: start, until: end)
    }
  }

  /// The records that further names stand for.
  ///
  /// - Throws: ``StoreError``.
  package func importedNames(of aliases: [LogID]) throws(StoreError) -> [LogID: LogID] {
    try reading { db in
      let table = HealthTable(db: db, owner: try SessionRow.fetch(db).owner)
      var result: [LogID: LogID] = [:]
      for alias in aliases { if let name = try table.name(of: alias) { result[alias] = name } }
      return result
    }
  }

  /// Remembers what has become of records that nothing has to be delivered for.
  ///
  /// - Throws: ``StoreError`` with code `stale_generation` when the session is another one by now.
  package func noteImported(
    _ traces: [ImportedTrace], of generation: SessionGeneration
  ) throws(StoreError) {
    guard !traces.isEmpty else { return }
    try transaction { db in
      let table = HealthTable(db: db, owner: try Self.owner(db, of: generation))
      for trace in traces { try table.note(trace, aliases: []) }
    }
  }

  /// What is subscribed to, in the importer's own form; nil for nothing.
  ///
  /// - Throws: ``StoreError``.
  package func healthSubscription() throws(StoreError) -> String? {
    try reading { db in
      let row = try Row.fetchOne(db, sql: "SELECT health FROM session WHERE id = 1")
      return try row.flatMap { row in try row["health"] as String? }
    }
  }

  /// Keeps what is subscribed to for as long as the session goes on; nil is off.
  ///
  /// - Throws: ``StoreError`` with code `stale_generation` when the session is another one by now.
  package func setHealthSubscription(
    _ subscription: String?, of generation: SessionGeneration
  ) throws(StoreError) {
    try transaction { db in
      _ = try Self.owner(db, of: generation)
      try db.execute(sql: "UPDATE session SET health = ?", arguments: [subscription])
    }
    announceChange()
  }

  /// Whom the rows of a session's generation belong to.
  static func owner(_ db: Database, of generation: SessionGeneration) throws -> String {
    let session = try SessionRow.fetch(db)
    guard session.generation == generation, session.ending == nil else {
      throw StoreError.staleGeneration(read: generation, current: session.generation)
    }
    return session.owner
  }
}
