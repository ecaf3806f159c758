import Crypto
import HostPrimitives

extension ReceiverStore {
  func addMedia(
    _ bytes: [UInt8], type: MediaType, toRecord record: String, of account: ReceiverAccount, limit: Int
  ) async throws -> MediaOutcome {
    guard (try? Self.checkIdentifier(record)) != nil else { return .noRecord }
    let checksum = SHA256.hash(data: bytes).hexadecimal
    let time = timestamp
    return try await write(.account(account.number)) { database in
      let found = try database.row(
        "SELECT number FROM record WHERE id = $1 AND account_number = $2", record, account.number)
      guard let number: Int64 = try found?["number"] else { return .noRecord }
      let stored = try Self.media(ofRecord: number, database)
      if let same = stored.first(where: { $0.checksum == checksum }) { return .unchanged(same) }
      guard stored.count < limit else { return .tooMany }
      let media = StoredMedia(
        id: Self.makeIdentifier(), contentType: type.rawValue, size: bytes.count, checksum: checksum,
        createdAt: UTCTimestamp(milliseconds: time).text)
      try database.execute(
        """
        INSERT INTO media (id, record_number, checksum, content_type, size, content, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """,
        media.id, number, checksum, media.contentType, media.size, bytes, time)
      return .created(media)
    }
  }

  func mediaContent(id: String, of account: ReceiverAccount) async throws -> (type: MediaType, bytes: [UInt8])? {
    guard (try? Self.checkIdentifier(id)) != nil else { return nil }
    return try await read { database in
      let row = try database.row(
        """
        SELECT media.* FROM media JOIN record ON record.number = media.record_number
        WHERE media.id = $1 AND record.account_number = $2
        """,
        id, account.number)
      guard let row else { return nil }
      guard let type = MediaType(rawValue: try row["content_type"]) else {
        throw ReceiverError(.databaseFailure, "The stored image \(id) is damaged")
      }
      return (type, try row["content"])
    }
  }

  /// The images of a record in the order in which they arrived.
  static func media(ofRecord number: Int64, _ database: any StoreTransaction) throws -> [StoredMedia] {
    try database.rows(
      "SELECT id, content_type, size, checksum, created_at FROM media WHERE record_number = $1 ORDER BY number", number
    ).map { row in
      StoredMedia(
        id: try row["id"], contentType: try row["content_type"], size: try row["size"],
        checksum: try row["checksum"], createdAt: UTCTimestamp(milliseconds: try row["created_at"]).text)
    }
  }
}
