internal import GRDB

/// A source of a user's exports, as it was ranked when it was first seen, and what the user has chosen for it.
package struct StoredHealthSource: Sendable, Hashable {
  /// What makes two spellings of it one source.
  package var key: String
  /// The name as an export has written it.
  package var name: String
  /// What kind of device it is, in the importer's words.
  package var kind: String
  /// Its place in the order that the user has chosen, from 0; nil where none was chosen.
  package var chosenPlace: Int?
  /// Whether the user has switched it off.
  package var isOff: Bool

  /// A source from its parts.
  package init(key: String, name: String, kind: String, chosenPlace: Int? = nil, isOff: Bool = false) {
    self.key = key
    self.name = name
    self.kind = kind
    self.chosenPlace = chosenPlace
    self.isOff = isOff
  }
}

extension MeterStore {
  /// The sources of a health store that the session's user has, in the order in which they were first ranked.
  ///
  /// - Throws: ``StoreError``.
  package func healthSources(family: String) throws(StoreError) -> [StoredHealthSource] {
    try reading { db in try Self.healthSources(db, owner: SessionRow.fetch(db).owner, family: family) }
  }

  private static func healthSources(
    _ db: Database, owner: String, family: String
  ) throws -> [StoredHealthSource] {
    try Row.fetchAll(
      db, sql: "SELECT * FROM health_source WHERE owner = ? AND family = ? ORDER BY place", arguments: [owner, family]
    ).map { row in
      try StoredHealthSource(
        key: row["key"], name: row["name"], kind: row["kind"], chosenPlace: row["chosen"], isOff: row["off"])
    }
  }

  /// Keeps the sources of a health store, in the order in which they rank; those that are not among them go.
  ///
  /// - Throws: ``StoreError`` with code `stale_generation` when the session is another one by now.
  package func setHealthSources(
    _ sources: [StoredHealthSource], family: String, of generation: SessionGeneration
  ) throws(StoreError) {
    try changeHealthSources(family: family, of: generation) { $0 = sources }
  }

  /// Changes the sources of a health store as they are at that moment.
  ///
  /// - Throws: ``StoreError`` with code `stale_generation` when the session is another one by now.
  package func changeHealthSources(
    family: String, of generation: SessionGeneration, _ change: (inout [StoredHealthSource]) -> Void
  ) throws(StoreError) {
    try transaction { db in
      let owner = try Self.owner(db, of: generation)
      let before = try Self.healthSources(db, owner: owner, family: family)
      var sources = before
      change(&sources)
      guard sources != before else { return }
      try db.execute(sql: "DELETE FROM health_source WHERE owner = ? AND family = ?", arguments: [owner, family])
      for (place, source) in sources.enumerated() {
        try db.execute(
          sql: """
            INSERT OR IGNORE INTO health_source (owner, family, key, place, name, kind, chosen, off)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
          arguments: [owner, family, source.key, place, source.name, source.kind, source.chosenPlace, source.isOff])
      }
    }
    announceChange()
  }
}
