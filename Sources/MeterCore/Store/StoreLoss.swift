internal import Foundation
internal import GRDB

/// Commits that were acknowledged and are not in the database any more: its write-ahead log was cut, removed or damaged, or an
/// older copy of the database was put back.
///
/// Meters that still have the readings bring them again: where their reads stopped went with the same commits.
package struct StoreLoss: Sendable, Hashable, Codable {
  /// How many commits are missing; nil when only that can be said that nothing tells.
  package internal(set) var commits: Int64?
  /// When it was found, in microseconds since 1970-01-01T00:00Z.
  package internal(set) var foundMicroseconds: Int64
  /// The folder with database and journal as they were found; nil when there was nothing in the journal.
  package internal(set) var keptFolder: String?

  /// What is missing of a database; nil when nothing is.
  init?(_ count: CommitCount, _ testimony: CommitWitness.Testimony, kept: String?) {
    foundMicroseconds = MeterStore.nowMicroseconds
    keptFolder = kept
    switch testimony {
    case .count(let told) where told.folder == count.folder:
      guard told.number > count.number else { return nil }
      commits = told.number.subtractingReportingOverflow(count.number).partialValue
    // Before its first commit a database has no file that counts them.
    case .count, .missing, .unreadable:
      guard count.number > 0 else { return nil }
      commits = nil
    }
  }

  /// Writes it down, and goes on with a number that was never given.
  ///
  /// - Returns: What the database counts then.
  func record(_ db: Database, _ testimony: CommitWitness.Testimony) throws -> CommitCount {
    let before = try CommitCount.fetch(db)
    if case .count(let told) = testimony, told.folder == before.folder { try CommitCount.raise(db, to: told.number) }
    var losses = try Self.fetch(db)
    losses.append(self)
    try Self.keep(losses.suffix(Self.limit), db)
    try MeterStore.log(.commitsLost(HostEvent.LostCommits(commits: commits, keptFolder: keptFolder)), db)
    _ = try CommitCount.next(db)
    return try CommitCount.fetch(db)
  }

  private static let setting = "losses"
  /// So many are remembered.
  private static let limit = 16

  fileprivate static func fetch(_ db: Database) throws -> [StoreLoss] {
    let text = try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [setting])
    guard let text else { return [] }
    guard let losses = try? JSONDecoder().decode([StoreLoss].self, from: Data(text.utf8)) else {
      throw StoreError.unreadable(column: "value")
    }
    return losses
  }

  private static func keep(_ losses: some Collection<StoreLoss>, _ db: Database) throws {
    let text = String(decoding: try JSONEncoder().encode(Array(losses)), as: UTF8.self)
    try db.execute(
      sql: "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      arguments: [setting, text])
  }

  fileprivate static func forget(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [setting])
  }
}

extension MeterStore {
  /// What was found missing and nobody has acknowledged, the oldest first.
  package func losses() throws(StoreError) -> [StoreLoss] {
    try reading { db in try StoreLoss.fetch(db) } + [unrecordedLoss].compactMap(\.self)
  }

  /// Notes that somebody knows what is missing: it is not told any more.
  ///
  /// - Returns: What was acknowledged.
  @discardableResult
  package func acknowledgeLosses() throws(StoreError) -> [StoreLoss] {
    let losses = try losses()
    guard !losses.isEmpty else { return [] }
    try transaction { db in try StoreLoss.forget(db) }
    return losses
  }
}
