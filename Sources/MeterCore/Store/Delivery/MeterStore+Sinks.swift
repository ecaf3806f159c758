internal import Foundation
internal import GRDB

/// A sink of the session, as the store keeps it.
public struct StoredSink: Sendable, Hashable {
  /// What the queue, events and commands call it; the session's own is `inform`.
  public let name: String
  /// What it is to the session.
  public let role: SinkRole
  /// Its kind and how it is reached.
  public let target: SinkTarget
  /// Whether it has a token.
  public let hasToken: Bool
  /// Whether its receiver has accepted the token, or, without one, has been found usable.
  public let isValidated: Bool
  /// Whether its receiver has refused the token: nothing is sent to it until it gets a new one.
  public let isRefused: Bool
  /// Whether a person has paused it.
  public let isPaused: Bool
  /// When its receiver has last accepted a reading, in microseconds since 1970-01-01T00:00Z.
  public let lastSuccessMicroseconds: Int64?
  /// What the last attempt that failed came to, and when.
  public let lastError: SinkFailure?
}

/// What an attempt at a sink came to.
public struct SinkFailure: Sendable, Hashable {
  /// For people, in one line.
  public let text: String
  /// When, in microseconds since 1970-01-01T00:00Z.
  public let microseconds: Int64
}

extension MeterStore {
  /// The most receivers beside the session's own.
  package static let sinkLimit = 8

  /// The names of all receivers that a record may have to go to before its content is deleted; the session's own first.
  package func sinkNames() throws(StoreError) -> [String] { try reading { db in try SinkRow.names(db) } }

  /// The sinks of the session, its own receiver first; none without a session.
  public func sinks() throws(StoreError) -> [StoredSink] {
    try reading { db in
      guard try SessionRow.fetch(db).user != nil else { return [] }
      return try Row.fetchAll(db, sql: "SELECT * FROM sink ORDER BY role <> 'session', name").map(StoredSink.init)
    }
  }

  /// Adds a receiver that gets every reading from now on that it can take, or gives one that is there another setting and token.
  ///
  /// It belongs to the session's user and goes when the session ends.
  ///
  /// - Throws: ``StoreError/Code/notFound`` without a session, ``StoreError/Code/sink`` for a name that cannot be and for
  ///   one receiver too many.
  public func setSink(_ name: String, _ target: SinkTarget, token: AccessToken?) throws(StoreError) {
    try setSink(name, target, token: token, after: nil)
  }

  /// - Parameter answer: What the receiver has answered about the token; it is not asked again at once.
  package func setSink(
    _ name: String, _ target: SinkTarget, token: AccessToken?, after answer: TokenAnswer?
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
      try SinkRow.set(
        db, vault: vault, name: name, target, token: token, isValidated: answer?.verdict == .accepted)
      try Self.forgetWaits(db, sink: name)
      if let answer { try Self.note(answer, db, sink: name) }
    }
    announceChange()
  }

  /// Pauses deliveries to one receiver, or lets them go on; what comes meanwhile waits.
  ///
  /// - Returns: Whether there is such a receiver.
  @discardableResult
  public func setPaused(_ isPaused: Bool, sink name: String) throws(StoreError) -> Bool {
    let isThere = try transaction { db in
      guard try SessionRow.fetch(db).user != nil else { return false }
      try db.execute(sql: "UPDATE sink SET paused = ? WHERE name = ?", arguments: [isPaused, name])
      return db.changesCount > 0
    }
    if isThere { announceChange() }
    return isThere
  }

  /// Removes a receiver: what it has not accepted is not sent to it any more, and goes when all others have it.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func removeSink(_ name: String) throws(StoreError) -> Bool {
    let isRemoved = try transaction { db in
      guard let row = try SinkRow.fetch(db, name) else { return false }
      guard row.role == .further else {
        throw StoreError(.sink, "the session's own receiver stays as long as the session; end that.")
      }
      try db.execute(sql: "DELETE FROM sink WHERE name = ?", arguments: [name])
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
}

extension StoredSink {
  init(_ row: Row) throws {
    let sink = try SinkRow(row)
    let error: String? = try row["last_error"]
    (name, role, target, hasToken) = (sink.name, sink.role, sink.target, sink.hasToken)
    (isValidated, isRefused, isPaused) = (sink.isValidated, sink.isRefused, sink.isPaused)
    lastSuccessMicroseconds = try row["last_success_us"]
    lastError = try error.map { SinkFailure(text: $0, microseconds: try row["last_error_us"] as Int64? ?? 0) }
  }
}
