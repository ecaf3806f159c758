internal import Foundation
internal import GRDB

/// A receiver beside the session's own, as the store keeps it.
public struct StoredSink: Sendable, Hashable {
  /// Its name.
  public let name: String
  /// How it is reached; the format is the caller's.
  public let setting: [UInt8]
  /// Whether it has accepted the token.
  public let isValidated: Bool
  /// Whether it has refused the token: nothing is sent to it until it gets a new one.
  public let isRefused: Bool
}

extension MeterStore {
  /// The most receivers beside the session's own.
  public static let sinkLimit = 8

  /// The names of all receivers that must accept a record before its content is deleted; the session's own first.
  public func sinkNames() throws(StoreError) -> [String] { try reading { db in try SinkRow.names(db) } }

  /// The receivers beside the session's own, by name.
  public func storedSinks() throws(StoreError) -> [StoredSink] {
    try reading { db in
      try Row.fetchAll(db, sql: "SELECT * FROM sink ORDER BY name").map { row in
        try StoredSink(
          name: row["name"], setting: Array(row["setting"] as Data), isValidated: row["validated"],
          isRefused: row["refused"])
      }
    }
  }

  /// Adds a receiver that gets every reading from now on, or gives one that is there another setting and token.
  ///
  /// It belongs to the session's user and goes when the session ends.
  ///
  /// - Throws: ``StoreError/Code/notFound`` without a session, ``StoreError/Code/sink`` for a name that cannot be and for
  ///   one receiver too many.
  public func setSink(_ name: String, setting: [UInt8], token: AccessToken) throws(StoreError) {
    try setSink(name, setting: setting, token: token, after: nil)
  }

  /// - Parameter answer: What the receiver has answered about the token; it is not asked again at once.
  package func setSink(
    _ name: String, setting: [UInt8], token: AccessToken, after answer: TokenAnswer?
  ) throws(StoreError) {
    let isName =
      (1...32).contains(name.utf8.count)
      && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    guard isName, name != Self.defaultSink else {
      throw StoreError(
        .sink,
        "\(name.prefix(40)) cannot name a receiver: take 1 to 32 of a to z, 0 to 9 and -, but not \(Self.defaultSink), "
          + "which is the session's own.")
    }
    let vault = vault
    try transaction { db in
      let session = try SessionRow.fetch(db)
      guard session.user != nil, session.ending == nil else {
        throw StoreError(.notFound, "there is no session; start one before you add a receiver to it.")
      }
      let names = try SinkRow.names(db)
      guard names.contains(name) || names.count <= Self.sinkLimit else {
        throw StoreError(.sink, "a session has at most \(Self.sinkLimit) receivers beside its own; remove one.")
      }
      // The serial tells this token from any that the name had before.
      try db.execute(
        sql: """
          INSERT INTO sink (name, setting, token_serial, validated) VALUES (?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET setting = excluded.setting, token_serial = excluded.token_serial,
            validated = excluded.validated, refused = 0
          """,
        arguments: [name, Data(setting), Int64.random(in: 1...Int64.max), answer?.verdict == .accepted])
      try TokenRow(db: db, vault: vault, sink: name).set(token)
      try Self.forgetWaits(db, sink: name)
      if let answer { try Self.note(answer, db, sink: name) }
    }
    announceChange()
  }

  /// Removes a receiver: what it has not accepted is not sent to it any more, and goes when all others have it.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func removeSink(_ name: String) throws(StoreError) -> Bool {
    guard name != Self.defaultSink else {
      throw StoreError(.sink, "the session's own receiver stays as long as the session; end that.")
    }
    let isRemoved = try transaction { db in
      try db.execute(sql: "DELETE FROM sink WHERE name = ?", arguments: [name])
      guard db.changesCount > 0 else { return false }
      try TokenRow.remove(db, sink: name)
      try Self.forgetWaits(db, sink: name)
      try Self.forgetDeliveries(db, sink: name)
      return true
    }
    if isRemoved { announceChange() }
    return isRemoved
  }

  private static func forgetDeliveries(_ db: Database, sink: String) throws {
    let rows = try Row.fetchAll(
      db,
      sql: "SELECT record.id AS id, owner FROM delivery JOIN record ON record.id = delivery.record WHERE sink = ?",
      arguments: [sink])
    try db.execute(sql: "DELETE FROM delivery WHERE sink = ?", arguments: [sink])
    for row in rows { try finish(db, row: row["id"], owner: row["owner"], receiverID: nil) }
    try db.execute(sql: "DELETE FROM media_delivery WHERE sink = ?", arguments: [sink])
    try ImageTable.finish(db)
    try db.execute(sql: "DELETE FROM acceptance WHERE sink = ?", arguments: [sink])
  }

  /// Notes that a receiver beside the session's own refuses its token, if that is still the one.
  ///
  /// - Returns: Whether it was, and had not been refused before.
  func refuseSink(_ name: String, tokenSerial: Int64) throws(StoreError) -> Bool {
    try transaction { db in
      try db.execute(
        sql: "UPDATE sink SET refused = 1 WHERE name = ? AND token_serial = ? AND refused = 0",
        arguments: [name, tokenSerial])
      guard db.changesCount > 0 else { return false }
      try Self.log(.sinkRefused(HostEvent.SinkRefusal(sink: name)), db)
      return true
    }
  }
}
