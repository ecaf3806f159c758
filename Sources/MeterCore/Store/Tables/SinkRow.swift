internal import Foundation
internal import GRDB

/// The current token and what it is for.
package struct DeliveryCredential: Sendable {
  package let user: SessionUser
  /// Nil for a sink that has none.
  package let token: AccessToken?
  package let tokenSerial: Int64
  package let isValidated: Bool
}

/// A sink as the store keeps it. That of the session is always there; without a session nobody reads it.
struct SinkRow {
  let name: String
  let role: SinkRole
  let target: SinkTarget
  let tokenSerial: Int64
  let hasToken: Bool
  let isValidated: Bool
  let isRefused: Bool
  let isPaused: Bool

  init(_ row: Row) throws {
    guard let role = SinkRole(rawValue: try row["role"]) else { throw StoreError.unreadable(column: "role") }
    self.role = role
    name = try row["name"]
    target = try SinkTarget(kind: row["kind"], setting: Array(row["setting"] as Data))
    (tokenSerial, hasToken) = try (row["token_serial"], row["has_token"])
    (isValidated, isRefused, isPaused) = try (row["validated"], row["refused"], row["paused"])
  }

  static func fetch(_ db: Database, _ name: String) throws -> SinkRow? {
    try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM sink WHERE name = ?"), arguments: [name]).map(SinkRow.init)
  }

  /// The row of the session's own receiver.
  static func own(_ db: Database) throws -> SinkRow {
    guard let row = try fetch(db, MeterStore.defaultSink), row.role == .session else {
      throw StoreError(.corrupt, "the row of the session's receiver is missing; run `meterhost doctor --repair`.")
    }
    return row
  }

  /// All of them, the session's own first.
  static func all(_ db: Database) throws -> [SinkRow] {
    try Row.fetchAll(db.cachedStatement(sql: "SELECT * FROM sink ORDER BY role <> 'session', name")).map(SinkRow.init)
  }

  static func names(_ db: Database) throws -> [String] {
    try String.fetchAll(db.cachedStatement(sql: "SELECT name FROM sink ORDER BY role <> 'session', name"))
  }

  /// - Parameter target: How the receiver is reached by whoever asks; nil when they do not say. Whoever reaches it as it
  ///   was before a change gets nothing: the token and the readings are for another address by now.
  static func credential(
    _ db: Database, vault: Vault, session: SessionRow, sink: String, target: SinkTarget? = nil
  ) throws -> DeliveryCredential? {
    guard let user = session.user, let row = try fetch(db, sink), !row.isRefused, !row.isPaused,
      target == nil || target == row.target
    else { return nil }
    let token = row.hasToken ? try TokenRow(db: db, vault: vault, sink: sink).get() : nil
    // Nothing would be sent, and nobody would hear of it.
    guard token != nil || !row.hasToken else {
      throw StoreError(
        .vault,
        row.role == .session
          ? "the session's token is missing; start the session again with it: `meterhost session start --help`."
          : "the token of the receiver \(sink) is missing; give it again: `meterhost sink add --help`.")
    }
    return DeliveryCredential(
      user: user, token: token, tokenSerial: row.tokenSerial, isValidated: row.isValidated)
  }

  /// Sets a sink up, or anew.
  ///
  /// - Parameter isValidated: Whether its receiver has accepted the token already.
  static func set(
    _ db: Database, vault: Vault, name: String, _ target: SinkTarget, token: AccessToken?, isValidated: Bool
  ) throws {
    // The serial tells this token from any that the name had before.
    try db.execute(
      sql: """
        INSERT INTO sink (name, setting, token_serial, validated, kind, has_token) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET setting = excluded.setting, token_serial = excluded.token_serial,
          validated = excluded.validated, kind = excluded.kind, has_token = excluded.has_token, refused = 0
        """,
      arguments: [
        name, Data(target.setting), Int64.random(in: 1...Int64.max), isValidated, target.kind, token != nil,
      ])
    let row = TokenRow(db: db, vault: vault, sink: name)
    if let token { try row.set(token) } else { try TokenRow.remove(db, sink: name) }
    // Who was to confirm them is not asked any more.
    try db.execute(
      sql: """
        UPDATE delivery SET state = 'pending', confirm_by_us = NULL
        WHERE sink = ? AND state = 'inFlight' AND confirm_by_us IS NOT NULL
        """, arguments: [name])
  }

  /// Empties the row of the session's own receiver at a session's end.
  static func clearOwn(_ db: Database) throws {
    try db.execute(
      sql: """
        UPDATE sink SET setting = x'', kind = '', has_token = 0, validated = 0, refused = 0, paused = 0,
          last_success_us = NULL, last_error = NULL, last_error_us = NULL WHERE role = 'session'
        """)
  }

  static func markValidated(_ db: Database, sink: String, tokenSerial: Int64) throws {
    try db.execute(
      sql: "UPDATE sink SET validated = 1 WHERE name = ? AND token_serial = ?", arguments: [sink, tokenSerial])
  }
}

/// Where readings go at this moment, the session's own receiver first.
struct SinkList {
  private let entries: [(name: String, capabilities: SinkCapabilities)]

  init(_ db: Database, _ kinds: SinkKinds) throws {
    entries = try SinkRow.all(db).map { ($0.name, kinds.capabilities(of: $0.target)) }
  }

  private init(_ entries: [(name: String, capabilities: SinkCapabilities)]) { self.entries = entries }

  /// Those of some names.
  func named(_ names: [String]) -> SinkList { SinkList(entries.filter { names.contains($0.name) }) }

  var names: [String] { entries.map(\.name) }

  /// The names of those that take a reading.
  func taking(_ record: Record) -> [String] { entries.filter { $0.capabilities.takes(record) }.map(\.name) }

  /// The names of those that take pictures.
  var takingImages: [String] { entries.filter(\.capabilities.takesImages).map(\.name) }
}
