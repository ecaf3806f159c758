import Crypto
import Foundation
import GRDB

extension ReceiverStore {
  func addMedia(
    _ bytes: [UInt8], type: MediaType, toRecord record: String, of account: ReceiverAccount, limit: Int
  ) async throws -> MediaOutcome {
    guard (try? Self.checkIdentifier(record)) != nil else { return .noRecord }
    let checksum = SHA256.hash(data: bytes).hexadecimal
    let (data, time) = (Data(bytes), timestamp)
    return try await write { database in
      let number = try Int64.fetchOne(
        database, sql: "SELECT number FROM record WHERE id = ? AND account_number = ?",
        arguments: [record, account.number])
      guard let number else { return .noRecord }
      let stored = try Self.media(ofRecord: number, database)
      if let same = stored.first(where: { $0.checksum == checksum }) { return .unchanged(same) }
      guard stored.count < limit else { return .tooMany }
      let media = StoredMedia(
        id: Self.makeIdentifier(), contentType: type.rawValue, size: data.count, checksum: checksum,
        createdAt: UTCTimestamp(milliseconds: time).text)
      try database.execute(
        sql: """
          INSERT INTO media (id, record_number, checksum, content_type, size, content, created_at)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [media.id, number, checksum, media.contentType, media.size, data, time])
      return .created(media)
    }
  }

  func mediaContent(id: String, of account: ReceiverAccount) async throws -> (type: MediaType, bytes: [UInt8])? {
    guard (try? Self.checkIdentifier(id)) != nil else { return nil }
    return try await read { database in
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT media.* FROM media JOIN record ON record.number = media.record_number
          WHERE media.id = ? AND record.account_number = ?
          """,
        arguments: [id, account.number])
      guard let row else { return nil }
      guard let type = MediaType(rawValue: row["content_type"]) else {
        throw ReceiverError(.databaseFailure, "The stored image \(id) is damaged")
      }
      return (type, Array(row["content"] as Data))
    }
  }

  /// The images of a record in the order in which they arrived.
  static func media(ofRecord number: Int64, _ database: Database) throws -> [StoredMedia] {
    let statement = try database.cachedStatement(
      sql: "SELECT id, content_type, size, checksum, created_at FROM media WHERE record_number = ? ORDER BY number")
    return try Row.fetchAll(statement, arguments: [number]).map { row in
      StoredMedia(
        id: row["id"], contentType: row["content_type"], size: row["size"], checksum: row["checksum"],
        createdAt: UTCTimestamp(milliseconds: row["created_at"]).text)
    }
  }
}
