import GRDB

/// What became of a record that was valid.
enum StoreOutcome: String, Sendable {
  /// The log_id was new.
  case created
  /// The same content is stored already: a retry.
  case unchanged
  /// A higher revision has replaced the content.
  case updated
  /// A higher revision is stored already; nothing has changed.
  case superseded
  /// Another content is stored under the same revision; nothing has changed.
  case conflict
}

/// A record's place in the store after a write, and what the write did.
struct StoreReceipt: Sendable, Equatable {
  let outcome: StoreOutcome
  let id: String
  let logID: String
  let revision: Int
  let checksum: String
  let createdAt: UTCTimestamp
}

extension ReceiverStore {
  /// All measurements of a user in the order in which they arrived first.
  ///
  /// - Throws: `notFound` without the user, or `databaseFailure`.
  public func measurements(organization: String, uid: String) throws(ReceiverError) -> [StoredMeasurement] {
    try read { database in
      guard let account = try Self.account(organization: organization, uid: uid, database) else {
        throw ReceiverError(.notFound, "There is no user \(uid) in organisation \(organization)")
      }
      return try StoredMeasurement.fetch(
        database, sql: "SELECT * FROM measurement WHERE account_number = ? ORDER BY number",
        arguments: [account.number])
    }
  }

  /// Stores records in one transaction: they are on disk, all of them, when this returns.
  func store(_ measurements: [ValidRecord], for account: ReceiverAccount) async throws -> [StoreReceipt] {
    let time = timestamp
    return try await write { database in
      try measurements.map { try Self.store($0, account: account.number, time: time, database) }
    }
  }

  private static func store(
    _ measurement: ValidRecord, account: Int64, time: Int64, _ database: Database
  ) throws -> StoreReceipt {
    let stored = try Row.fetchOne(
      database, sql: "SELECT * FROM measurement WHERE account_number = ? AND log_id = ?",
      arguments: [account, measurement.logID])
    guard let stored else {
      let id = makeIdentifier()
      try database.execute(
        sql: """
          INSERT INTO measurement
            (id, account_number, log_id, revision, checksum, content, start_time, created_at, updated_at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          id, account, measurement.logID, measurement.revision, measurement.checksum, measurement.content,
          measurement.startTime.milliseconds, time, time,
        ])
      return StoreReceipt(
        outcome: .created, id: id, logID: measurement.logID, revision: measurement.revision,
        checksum: measurement.checksum, createdAt: UTCTimestamp(milliseconds: time))
    }
    let outcome = outcome(
      of: measurement, storedRevision: stored["revision"], storedContent: stored["content"])
    if outcome == .updated {
      try database.execute(
        sql: """
          UPDATE measurement SET revision = ?, checksum = ?, content = ?, start_time = ?, updated_at = ? WHERE number = ?
          """,
        arguments: [
          measurement.revision, measurement.checksum, measurement.content, measurement.startTime.milliseconds, time,
          stored["number"] as Int64,
        ])
    }
    return StoreReceipt(
      outcome: outcome, id: stored["id"], logID: measurement.logID,
      revision: outcome == .updated ? measurement.revision : stored["revision"],
      checksum: outcome == .updated ? measurement.checksum : stored["checksum"],
      createdAt: UTCTimestamp(milliseconds: stored["created_at"]))
  }

  /// The rule of revisions, apart from the database.
  static func outcome(
    of measurement: ValidRecord, storedRevision: Int, storedContent: String
  ) -> StoreOutcome {
    if measurement.revision > storedRevision { return .updated }
    if measurement.revision < storedRevision { return .superseded }
    // Bytes, not characters: Swift's == takes two normal forms of a letter for one.
    return measurement.content.utf8.elementsEqual(storedContent.utf8) ? .unchanged : .conflict
  }

  /// A page of a user's measurements whose start lies in the window, in the order in which they arrived first.
  func measurements(
    of account: ReceiverAccount, window: Range<UTCTimestamp>, page: Page
  ) async throws -> [StoredMeasurement] {
    try await read { database in
      try StoredMeasurement.fetch(
        database,
        sql: """
          SELECT * FROM measurement WHERE account_number = ? AND start_time >= ? AND start_time < ?
          ORDER BY number LIMIT ? OFFSET ?
          """,
        arguments: [
          account.number, window.lowerBound.milliseconds, window.upperBound.milliseconds, page.limit, page.offset,
        ])
    }
  }

  /// The measurement with the latest start, or of several the one that arrived last.
  func latestMeasurement(of account: ReceiverAccount) async throws -> StoredMeasurement? {
    try await read { database in
      try StoredMeasurement.fetch(
        database,
        sql: "SELECT * FROM measurement WHERE account_number = ? ORDER BY start_time DESC, number DESC LIMIT 1",
        arguments: [account.number]
      ).first
    }
  }
}

extension StoredMeasurement {
  fileprivate static func fetch(
    _ database: Database, sql: String, arguments: StatementArguments
  ) throws -> [StoredMeasurement] {
    try Row.fetchAll(database, sql: sql, arguments: arguments).map { row in
      let content: String = row["content"]
      guard case .object(let record) = try JSONValue.parse(Array(content.utf8), rules: .stored) else {
        throw ReceiverError(.databaseFailure, "The stored record \(row["id"] as String) is damaged")
      }
      return StoredMeasurement(
        id: row["id"], logID: row["log_id"], revision: row["revision"], checksum: row["checksum"],
        createdAt: UTCTimestamp(milliseconds: row["created_at"]).text,
        updatedAt: UTCTimestamp(milliseconds: row["updated_at"]).text, content: content, record: record)
    }
  }
}
