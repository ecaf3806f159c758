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
        database, "SELECT * FROM record WHERE account_number = $1 \(condition) ORDER BY number", [account.number])
    }
  }

  func store(_ records: [ValidRecord], for account: ReceiverAccount) async throws -> [StoreReceipt] {
    let time = timestamp
    return try await write(.account(account.number)) { database in
      // The user may be gone since the token was looked up, and the name another's.
      guard try Self.require(organization: account.organization, uid: account.uid, database).id == account.id else {
        throw ReceiverError(.notFound, "The user \(account.uid) has been deleted")
      }
      return try records.map { try Self.store($0, account: account.number, time: time, database) }
    }
  }

  private static func store(
    _ record: ValidRecord, account: Int64, time: Int64, _ database: any StoreTransaction
  ) throws -> StoreReceipt {
    let stored = try database.row(
      "SELECT * FROM record WHERE account_number = $1 AND space = $2 AND log_id = $3", account, record.kind.space,
      record.logID)
    guard let stored else { return try insert(record, account: account, time: time, database) }
    let outcome = try StoreOutcome(record, stored: stored, trustsHash: true)
    if outcome == .updated { try update(try stored["number"], to: record, time: time, database) }
    return try receipt(of: record, outcome, stored)
  }

  static func insert(
    _ record: ValidRecord, account: Int64, time: Int64, _ database: any StoreTransaction
  ) throws -> StoreReceipt {
    try insert(record, id: makeIdentifier(), account: account, time: time, database)
  }

  static func insert(
    _ record: ValidRecord, id: String, account: Int64, time: Int64, _ database: any StoreTransaction
  ) throws -> StoreReceipt {
    try database.execute(
      """
      INSERT INTO record (id, account_number, space, kind, log_id, revision, checksum, content, source_type, start_time,
        created_at, updated_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      """,
      id, account, record.kind.space, record.kind.name, record.logID, record.revision, record.checksum, record.content,
      record.sourceType, record.startTime.milliseconds, time, time)
    return StoreReceipt(
      outcome: .created, id: id, logID: record.logID, revision: record.revision, checksum: record.checksum,
      createdAt: UTCTimestamp(milliseconds: time))
  }

  static func update(_ number: Int64, to record: ValidRecord, time: Int64, _ database: any StoreTransaction) throws {
    try database.execute(
      """
      UPDATE record SET revision = $1, checksum = $2, content = $3, source_type = $4, start_time = $5, updated_at = $6
      WHERE number = $7
      """,
      record.revision, record.checksum, record.content, record.sourceType, record.startTime.milliseconds, time, number)
  }

  static func receipt(of record: ValidRecord, _ outcome: StoreOutcome, _ stored: SQLRow) throws -> StoreReceipt {
    StoreReceipt(
      outcome: outcome, id: try stored["id"], logID: record.logID,
      revision: outcome == .updated ? record.revision : try stored["revision"],
      checksum: outcome == .updated ? record.checksum : try stored["checksum"],
      createdAt: UTCTimestamp(milliseconds: try stored["created_at"]))
  }

  func records(
    of account: ReceiverAccount, kind: RecordKind, source: String?, window: Range<UTCTimestamp>, page: Page
  ) async throws -> [StoredRecord] {
    try await read { database in
      try StoredRecord.fetch(
        database,
        """
        SELECT * FROM record
        WHERE account_number = $1 AND space = $2 AND kind = $3 AND start_time >= $4 AND start_time < $5
          AND (CAST($6 AS TEXT) IS NULL OR source_type = $6)
        ORDER BY number LIMIT $7 OFFSET $8
        """,
        [
          account.number, kind.space, kind.name, window.lowerBound.milliseconds, window.upperBound.milliseconds, source,
          page.limit, page.offset,
        ], byteLimit: Self.pageBytes)
    }
  }

  /// A page is held in memory some times over: series of a whole day are large, and a page may have a thousand.
  static let pageBytes = 16 << 20

  func countRecords(of account: ReceiverAccount, kind: RecordKind, window: Range<UTCTimestamp>) async throws -> Int {
    try await read { database in
      let row = try database.row(
        """
        SELECT COUNT(*) AS total FROM record
        WHERE account_number = $1 AND space = $2 AND kind = $3 AND start_time >= $4 AND start_time < $5
        """,
        account.number, kind.space, kind.name, window.lowerBound.milliseconds, window.upperBound.milliseconds)
      return try row?["total"] ?? 0
    }
  }

  func latestRecord(of account: ReceiverAccount, kind: RecordKind, source: String?) async throws -> StoredRecord? {
    try await read { database in
      try StoredRecord.fetch(
        database,
        """
        SELECT * FROM record
        WHERE account_number = $1 AND space = $2 AND kind = $3 AND (CAST($4 AS TEXT) IS NULL OR source_type = $4)
        ORDER BY start_time DESC, number DESC LIMIT 1
        """,
        [account.number, kind.space, kind.name, source]
      ).first
    }
  }
}

extension StoredRecord {
  /// Reads records; with a `byteLimit` no more content than that, but always the first.
  ///
  /// - Throws: `FieldErrors` for `limit` beyond the byte limit.
  static func fetch(
    _ database: any StoreTransaction, _ sql: String, _ arguments: [(any SQLConvertible)?], byteLimit: Int = .max
  ) throws -> [StoredRecord] {
    var bytes = 0
    var rows: [SQLRow] = []
    try database.forEachRow(sql, arguments.map { $0?.sqlValue ?? .null }) { row in
      bytes += (try row["content"] as String).utf8.count
      guard bytes <= byteLimit || rows.isEmpty else {
        var errors = FieldErrors()
        errors.add("limit", "asks for more than \(byteLimit) bytes of records; at most \(rows.count) fit")
        throw errors
      }
      rows.append(row)
    }
    return try rows.map { try StoredRecord($0, database) }
  }

  private init(_ row: SQLRow, _ database: any StoreTransaction) throws {
    let (id, content): (String, String) = (try row["id"], try row["content"])
    guard case .object(let record) = try JSONValue.parse(Array(content.utf8), rules: .stored) else {
      throw ReceiverError(.databaseFailure, "The stored record \(id) is damaged")
    }
    self.init(
      id: id, type: try row["kind"], logID: try row["log_id"], revision: try row["revision"],
      checksum: try row["checksum"], createdAt: UTCTimestamp(milliseconds: try row["created_at"]).text,
      updatedAt: UTCTimestamp(milliseconds: try row["updated_at"]).text,
      media: try ReceiverStore.media(ofRecord: try row["number"], database), content: content, record: record)
  }
}
