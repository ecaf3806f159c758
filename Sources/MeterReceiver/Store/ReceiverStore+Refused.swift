// Messages that will never be records, kept for a person.

/// A message that was refused for good, with what it was.
package struct RefusedMessage: Sendable, Equatable {
  /// The subject that it came by.
  package let subject: String
  /// The sender's name of it.
  package let messageID: String
  /// Why, for people; it repeats no value of the record.
  package let reason: String
  /// What was in it: health data, as a record is.
  package let payload: [UInt8]
  /// When it came first: RFC 3339, UTC.
  package let createdAt: String
}

/// A message that is to be kept.
struct RefusalRow: Sendable {
  let account: Int64
  let subject: String
  let messageID: String
  let reason: String
  /// SHA-256 of the payload in hexadecimal.
  let checksum: String
  let payload: [UInt8]
}

extension ReceiverStore {
  /// How many refused messages of one user are kept, the newest: a gateway that goes on sending must not fill the disk.
  static let refusedLimit = 1000

  /// Keeps messages once each, however often they come.
  static func keep(_ refused: [RefusalRow], time: Int64, _ database: any StoreTransaction) throws {
    for row in refused {
      try database.execute(
        """
        INSERT INTO refused (account_number, subject, message_id, reason, checksum, payload, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
        """,
        row.account, row.subject, row.messageID, row.reason, row.checksum, row.payload, time)
    }
    for account in Set(refused.map(\.account)).sorted() {
      try database.execute(
        """
        DELETE FROM refused WHERE account_number = $1 AND number <= (
          SELECT number FROM refused WHERE account_number = $1 ORDER BY number DESC LIMIT 1 OFFSET $2)
        """, account, refusedLimit)
    }
  }

  /// The messages that were refused for good, of one organisation or of all, the newest last.
  ///
  /// - Throws: `databaseFailure` and what is said with it.
  package func refusedMessages(organization: String?) throws(ReceiverError) -> [RefusedMessage] {
    try read { database -> [RefusedMessage] in
      try database.rows(
        """
        SELECT refused.* FROM refused JOIN account ON account.number = refused.account_number
        WHERE CAST($1 AS TEXT) IS NULL OR account.organization_id = $1 ORDER BY refused.number
        """, organization
      ).map { row in
        RefusedMessage(
          subject: try row["subject"], messageID: try row["message_id"], reason: try row["reason"],
          payload: try row["payload"], createdAt: UTCTimestamp(milliseconds: try row["created_at"]).text)
      }
    }
  }
}
