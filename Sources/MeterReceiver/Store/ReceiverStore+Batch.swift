// Records of many users in one transaction.

/// A record and the user whose it is.
struct BatchedRecord: Sendable {
  /// The user's row.
  let account: Int64
  let record: ValidRecord

  fileprivate var key: RecordKey { RecordKey(account: account, space: record.kind.space, logID: record.logID) }
}

/// What names one record of all.
private struct RecordKey: Hashable {
  let account: Int64
  let space: String
  let logID: String
}

extension ReceiverStore {
  /// Stores records one after the other by the rule of revisions, each with a receipt of its own. What is new goes in with one
  /// statement where the database has lists.
  static func store(
    _ batch: [BatchedRecord], time: Int64, _ database: any StoreTransaction
  ) throws -> [StoreReceipt] {
    var pending = PendingRecords(stored: try stored(Array(Set(batch.map(\.key))), database), time: time)
    let receipts = try batch.map { try pending.add($0) }
    try insert(pending.created, time: time, database)
    for (number, record) in pending.replaced.sorted(by: { $0.key < $1.key }) {
      try update(number, to: record, time: time, database)
    }
    return receipts
  }

  private static func stored(
    _ keys: [RecordKey], _ database: any StoreTransaction
  ) throws -> [RecordKey: SQLRow] {
    var found: [RecordKey: SQLRow] = [:]
    guard database.hasLists else {
      for key in keys {
        found[key] = try database.row(
          "SELECT * FROM record WHERE account_number = $1 AND space = $2 AND log_id = $3", key.account, key.space,
          key.logID)
      }
      return found
    }
    try database.forEachRow(
      """
      SELECT record.* FROM unnest($1, $2, $3) AS asked (account, space, log)
      JOIN record ON account_number = asked.account AND record.space = asked.space AND log_id = asked.log
      """,
      [.integers(keys.map(\.account)), .texts(keys.map(\.space)), .texts(keys.map(\.logID))]
    ) { row in
      found[RecordKey(account: try row["account_number"], space: try row["space"], logID: try row["log_id"])] = row
    }
    return found
  }

  private static func insert(
    _ created: [CreatedRecord], time: Int64, _ database: any StoreTransaction
  ) throws {
    guard !created.isEmpty else { return }
    guard database.hasLists else {
      for each in created {
        _ = try insert(each.item.record, id: each.id, account: each.item.account, time: time, database)
      }
      return
    }
    let records = created.map(\.item.record)
    try database.execute(
      """
      INSERT INTO record (id, account_number, space, kind, log_id, revision, checksum, content, source_type, start_time,
        created_at, updated_at)
      SELECT fresh.*, $11, $11 FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS fresh
      """,
      [
        .texts(created.map(\.id)), .integers(created.map(\.item.account)), .texts(records.map(\.kind.space)),
        .texts(records.map(\.kind.name)), .texts(records.map(\.logID)), .integers(records.map { Int64($0.revision) }),
        .texts(records.map(\.checksum)), .texts(records.map(\.content)), .texts(records.map(\.sourceType)),
        .integers(records.map(\.startTime.milliseconds)), .integer(time),
      ])
  }
}

/// A record that has no row yet.
private struct CreatedRecord {
  var item: BatchedRecord
  let id: String
}

/// What a batch comes to: the rule of revisions over what is stored and what came earlier in the same batch.
private struct PendingRecords {
  private var places: [RecordKey: SQLRow]
  private var indices: [RecordKey: Int] = [:]
  private(set) var created: [CreatedRecord] = []
  /// By the number of the row that is there.
  private(set) var replaced: [Int64: ValidRecord] = [:]
  private let time: Int64

  init(stored: [RecordKey: SQLRow], time: Int64) { (places, self.time) = (stored, time) }

  mutating func add(_ item: BatchedRecord) throws -> StoreReceipt {
    let (key, record) = (item.key, item.record)
    guard let place = places[key] else {
      let id = ReceiverStore.makeIdentifier()
      indices[key] = created.count
      created.append(CreatedRecord(item: item, id: id))
      places[key] = Self.row(record, id: id, number: 0, createdAt: time)
      return StoreReceipt(
        outcome: .created, id: id, logID: record.logID, revision: record.revision, checksum: record.checksum,
        createdAt: UTCTimestamp(milliseconds: time))
    }
    let outcome = try StoreOutcome(record, stored: place, trustsHash: true)
    if outcome == .updated {
      let number: Int64 = try place["number"]
      if let index = indices[key] { created[index].item = item } else { replaced[number] = record }
      places[key] = Self.row(record, id: try place["id"], number: number, createdAt: try place["created_at"])
    }
    return try ReceiverStore.receipt(of: record, outcome, place)
  }

  /// What a row of the record would say.
  private static func row(_ record: ValidRecord, id: String, number: Int64, createdAt: Int64) -> SQLRow {
    SQLRow(
      names: ["number", "id", "kind", "revision", "checksum", "content", "created_at"],
      values: [
        .integer(number), .text(id), .text(record.kind.name), .integer(Int64(record.revision)), .text(record.checksum),
        .text(record.content), .integer(createdAt),
      ])
  }
}
