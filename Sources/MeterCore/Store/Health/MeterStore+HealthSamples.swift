package import Foundation
internal import GRDB

/// A sample that came in a piece and not in an export: a later piece may belong to the same day or night.
package struct StoredHealthSample: Sendable, Hashable {
  /// The local day in which it begins, in days since 1970-01-01.
  package var day: Int64
  /// Names it: the same sample that comes again is one.
  package var digest: Data
  /// The sample in the importer's own form.
  package var content: Data

  /// A sample from its parts.
  package init(day: Int64, digest: Data, content: Data) {
    self.day = day
    self.digest = digest
    self.content = content
  }
}

extension MeterStore {
  /// The samples of some local days that came in pieces.
  ///
  /// - Throws: ``StoreError``.
  package func healthSamples(
    family: String, days: ClosedRange<Int64>, limit: Int
  ) throws(StoreError) -> [StoredHealthSample] {
    try reading { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT day, digest, content FROM health_sample WHERE owner = ? AND family = ? AND day BETWEEN ? AND ?
          ORDER BY day, digest LIMIT ?
          """, arguments: [SessionRow.fetch(db).owner, family, days.lowerBound, days.upperBound, limit]
      ).map { row in
        try StoredHealthSample(day: row["day"], digest: row["digest"], content: row["content"])
      }
    }
  }

  /// Keeps samples that came in a piece, and forgets those of days that no import looks at any more.
  ///
  /// - Parameter oldest: The first day that is kept.
  /// - Returns: How many were not known.
  /// - Throws: ``StoreError`` with code `stale_generation` when the session is another one by now.
  @discardableResult
  package func addHealthSamples(
    _ samples: [StoredHealthSample], family: String, oldest: Int64, of generation: SessionGeneration
  ) throws(StoreError) -> Int {
    try transaction { db in
      let owner = try Self.owner(db, of: generation)
      try db.execute(
        sql: "DELETE FROM health_sample WHERE owner = ? AND family = ? AND day < ?", arguments: [owner, family, oldest])
      var added = 0
      for sample in samples where sample.day >= oldest {
        try db.cachedStatement(
          sql: """
            INSERT INTO health_sample (owner, family, day, digest, content) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (owner, family, day, digest) DO UPDATE SET content = excluded.content
              WHERE content <> excluded.content
            """
        ).execute(arguments: [owner, family, sample.day, sample.digest, sample.content])
        added += db.changesCount
      }
      return added
    }
  }
}
