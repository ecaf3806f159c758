internal import Foundation
internal import GRDB

/// The current token and what it is for.
package struct DeliveryCredential: Sendable {
  package let user: SessionUser
  package let token: AccessToken
  package let tokenSerial: Int64
  package let isValidated: Bool
}

/// What the store keeps of a sink: the session's row for its own receiver, the sink's for others.
enum SinkRow {
  static func names(_ db: Database) throws -> [String] {
    try [MeterStore.defaultSink] + String.fetchAll(db.cachedStatement(sql: "SELECT name FROM sink ORDER BY name"))
  }

  /// - Parameter setting: How the receiver is reached by whoever asks; nil when they do not say. Whoever reaches it as it
  ///   was before a change gets nothing: the token and the readings are for another address by now.
  static func credential(
    _ db: Database, vault: Vault, session: SessionRow, sink: String, setting: [UInt8]? = nil
  ) throws -> DeliveryCredential? {
    guard let user = session.user else { return nil }
    var (serial, isValidated, current) = (session.tokenSerial, session.isValidated, session.options.receiver)
    if sink != MeterStore.defaultSink {
      let row = try Row.fetchOne(
        db.cachedStatement(sql: "SELECT * FROM sink WHERE name = ? AND refused = 0"), arguments: [sink])
      guard let row else { return nil }
      (serial, isValidated, current) = try (row["token_serial"], row["validated"], Array(row["setting"] as Data))
    }
    guard setting == nil || setting == current else { return nil }
    // Nothing would be sent, and nobody would hear of it.
    guard let token = try TokenRow(db: db, vault: vault, sink: sink).get() else {
      throw StoreError(
        .vault,
        sink == MeterStore.defaultSink
          ? "the session's token is missing; start the session again with it: `meterhost session start --help`."
          : "the token of the receiver \(sink) is missing; give it again: `meterhost session sink add --help`.")
    }
    return DeliveryCredential(user: user, token: token, tokenSerial: serial, isValidated: isValidated)
  }

  static func markValidated(_ db: Database, sink: String, tokenSerial: Int64) throws {
    if sink == MeterStore.defaultSink {
      try db.execute(sql: "UPDATE session SET validated = 1 WHERE token_serial = ?", arguments: [tokenSerial])
    } else {
      try db.execute(
        sql: "UPDATE sink SET validated = 1 WHERE name = ? AND token_serial = ?", arguments: [sink, tokenSerial])
    }
  }
}
