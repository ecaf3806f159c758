import GRDB

extension ReceiverStore {
  /// All measurements of a user in the order in which they arrived first.
  ///
  /// - Throws: `notFound` without the user, or `databaseFailure`.
  public func measurements(organization: String, uid: String) throws(ReceiverError) -> [StoredRecord] {
    try records(organization: organization, uid: uid, where: "AND kind = 'measurement'")
  }

  /// All records of a user, of every type and wire format, in the order in which they arrived first.
  ///
  /// - Throws: `notFound` without the user, or `databaseFailure`.
  public func records(organization: String, uid: String) throws(ReceiverError) -> [StoredRecord] {
    try records(organization: organization, uid: uid, where: "")
  }

  private func records(
    organization: String, uid: String, where condition: String
  ) throws(ReceiverError) -> [StoredRecord] {
    try read { database in
      let account = try Self.require(organization: organization, uid: uid, database)
      return try StoredRecord.fetch(
        database, sql: "SELECT * FROM record WHERE account_number = ? \(condition) ORDER BY number",
        arguments: [account.number])
    }
  }

  func store(_ records: [ValidRecord], for account: ReceiverAccount) async throws -> [StoreReceipt] {
    let time = timestamp
    return try await write { database in
      // The user may be gone since the token was looked up, and the name another's.
      guard try Self.require(organization: account.organization, uid: account.uid, database).id == account.id else {
        throw ReceiverError(.notFound, "The user \(account.uid) has been deleted")
      }
      return try records.map { try Self.store($0, account: account.number, time: time, database) }
    }
  }

  private static func store(
    _ record: ValidRecord, account: Int64, time: Int64, _ database: Database
  ) throws -> StoreReceipt {
    let stored = try Row.fetchOne(
      database, sql: "SELECT * FROM record WHERE account_number = ? AND space = ? AND log_id = ?",
      arguments: [account, record.kind.space, record.logID])
    guard let stored else { return try insert(record, account: account, time: time, database) }
    let outcome = StoreOutcome(
      record, storedKind: stored["kind"], storedRevision: stored["revision"], storedContent: stored["content"])
    if outcome == .updated { try update(stored["number"], to: record, time: time, database) }
    return receipt(of: record, outcome, stored)
  }

  static func insert(
    _ record: ValidRecord, account: Int64, time: Int64, _ database: Database
  ) throws -> StoreReceipt {
    let id = makeIdentifier()
    try database.execute(
      sql: """
        INSERT INTO record
          (id, account_number, space, kind, log_id, revision, checksum, content, start_time, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        id, account, record.kind.space, record.kind.name, record.logID, record.revision, record.checksum,
        record.content, record.startTime.milliseconds, time, time,
      ])
    return StoreReceipt(
      outcome: .created, id: id, logID: record.logID, revision: record.revision, checksum: record.checksum,
      createdAt: UTCTimestamp(milliseconds: time))
  }

  static func update(_ number: Int64, to record: ValidRecord, time: Int64, _ database: Database) throws {
    try database.execute(
      sql: """
        UPDATE record SET revision = ?, checksum = ?, content = ?, start_time = ?, updated_at = ? WHERE number = ?
        """,
      arguments: [
        record.revision, record.checksum, record.content, record.startTime.milliseconds, time, number,
      ])
  }

  static func receipt(of record: ValidRecord, _ outcome: StoreOutcome, _ stored: Row) -> StoreReceipt {
    StoreReceipt(
      outcome: outcome, id: stored["id"], logID: record.logID,
      revision: outcome == .updated ? record.revision : stored["revision"],
      checksum: outcome == .updated ? record.checksum : stored["checksum"],
      createdAt: UTCTimestamp(milliseconds: stored["created_at"]))
  }

  func records(
    of account: ReceiverAccount, kind: RecordKind, source: String?, window: Range<UTCTimestamp>, page: Page
  ) async throws -> [StoredRecord] {
    try await read { database in
      try StoredRecord.fetch(
        database,
        sql: """
          SELECT * FROM record
          WHERE account_number = :account AND space = :space AND kind = :kind AND start_time >= :start
            AND start_time < :end AND (:source IS NULL OR json_extract(content, '$.source.type') = :source)
          ORDER BY number LIMIT :limit OFFSET :offset
          """,
        arguments: [
          "account": account.number, "space": kind.space, "kind": kind.name,
          "start": window.lowerBound.milliseconds, "end": window.upperBound.milliseconds, "source": source,
          "limit": page.limit, "offset": page.offset,
        ], byteLimit: Self.pageBytes)
    }
  }

  /// A page is held in memory some times over: series of a whole day are large, and a page may have a thousand.
  static let pageBytes = 16 << 20

  func countRecords(of account: ReceiverAccount, kind: RecordKind, window: Range<UTCTimestamp>) async throws -> Int {
    try await read { database in
      try Int.fetchOne(
        database,
        sql: """
          SELECT COUNT(*) FROM record
          WHERE account_number = ? AND space = ? AND kind = ? AND start_time >= ? AND start_time < ?
          """,
        arguments: [
          account.number, kind.space, kind.name, window.lowerBound.milliseconds, window.upperBound.milliseconds,
        ]) ?? 0
    }
  }

  func latestRecord(of account: ReceiverAccount, kind: RecordKind, source: String?) async throws -> StoredRecord? {
    try await read { database in
      try StoredRecord.fetch(
        database,
        sql: """
          SELECT * FROM record
          WHERE account_number = :account AND space = :space AND kind = :kind
            AND (:source IS NULL OR json_extract(content, '$.source.type') = :source)
          ORDER BY start_time DESC, number DESC LIMIT 1
          """,
        arguments: ["account": account.number, "space": kind.space, "kind": kind.name, "source": source]
      ).first
    }
  }
}

extension StoredRecord {
  /// Reads records; with a `byteLimit` no more content than that, but always the first.
  ///
  /// - Throws: `FieldErrors` for `limit` beyond the byte limit.
  static func fetch(
    _ database: Database, sql: String, arguments: StatementArguments, byteLimit: Int = .max
  ) throws -> [StoredRecord] {
    var bytes = 0
    var records: [StoredRecord] = []
    let rows = try Row.fetchCursor(database, sql: sql, arguments: arguments)
    while let row = try rows.next() {
      let content: String = row["content"]
      bytes += content.utf8.count
      guard bytes <= byteLimit || records.isEmpty else {
        var errors = FieldErrors()
        errors.add("limit", "asks for more than \(byteLimit) bytes of records; at most \(records.count) fit")
        throw errors
      }
      records.append(try StoredRecord(row, content, database))
    }
    return records
  }

  private init(_ row: Row, _ content: String, _ database: Database) throws {
    guard case .object(let record) = try JSONValue.parse(Array(content.utf8), rules: .stored) else {
      throw ReceiverError(.databaseFailure, "The stored record \(row["id"] as String) is damaged")
    }
    self.init(
      id: row["id"], type: row["kind"], logID: row["log_id"], revision: row["revision"], checksum: row["checksum"],
      createdAt: UTCTimestamp(milliseconds: row["created_at"]).text,
      updatedAt: UTCTimestamp(milliseconds: row["updated_at"]).text,
      media: try ReceiverStore.media(ofRecord: row["number"], database), content: content, record: record)
  }
}
