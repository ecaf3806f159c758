internal import GRDB

/// Something that brings exports by itself: a folder that is watched, a source that may post. It belongs to the session's user, and goes
/// with the session: what it brings then would be somebody else's.
package struct HealthFeed: Sendable, Hashable {
  /// What it is, in the words of whoever serves it.
  package var kind: String
  /// Its name; unique among those of its kind.
  package var name: String
  /// What it is told, in the form of whoever serves it.
  package var content: String

  /// A feed from its parts.
  package init(kind: String, name: String, content: String) {
    self.kind = kind
    self.name = name
    self.content = content
  }
}

extension MeterStore {
  /// The feeds of the session's user, by name.
  ///
  /// - Throws: ``StoreError``.
  package func healthFeeds(kind: String) throws(StoreError) -> [HealthFeed] {
    try reading { db in
      try Row.fetchAll(
        db, sql: "SELECT kind, name, content FROM health_feed WHERE owner = ? AND kind = ? ORDER BY name",
        arguments: [SessionRow.fetch(db).owner, kind]
      ).map { row in try HealthFeed(kind: row["kind"], name: row["name"], content: row["content"]) }
    }
  }

  /// Keeps a feed; one of the same kind and name is replaced.
  ///
  /// - Throws: ``StoreError`` with code `stale_generation` when the session is another one by now.
  package func setHealthFeed(_ feed: HealthFeed, of generation: SessionGeneration) throws(StoreError) {
    try transaction { db in
      let owner = try Self.owner(db, of: generation)
      try db.execute(
        sql: """
          INSERT INTO health_feed (owner, kind, name, content) VALUES (?, ?, ?, ?)
          ON CONFLICT (owner, kind, name) DO UPDATE SET content = excluded.content
          """, arguments: [owner, feed.kind, feed.name, feed.content])
    }
    announceChange()
  }

  /// Forgets a feed.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``StoreError`` with code `stale_generation` when the session is another one by now.
  @discardableResult
  package func removeHealthFeed(
    kind: String, name: String, of generation: SessionGeneration
  ) throws(StoreError) -> Bool {
    let isGone = try transaction { db in
      let owner = try Self.owner(db, of: generation)
      try db.execute(
        sql: "DELETE FROM health_feed WHERE owner = ? AND kind = ? AND name = ?", arguments: [owner, kind, name])
      return db.changesCount > 0
    }
    if isGone { announceChange() }
    return isGone
  }
}
