internal import Foundation
internal import GRDB

/// Where a delivery stands.
public enum DeliveryState: String, Sendable, Hashable, Codable, CaseIterable {
  /// Waits for the receiver.
  case pending
  /// Is being sent.
  case inFlight
  /// The receiver has accepted it.
  case delivered
  /// Waits for a person (R27).
  case held
  /// The receiver has refused it for good.
  case dead
  /// Is never delivered.
  case excluded
}

/// One delivery of the queue, as it was when the snapshot was taken.
public struct QueueEntry: Sendable, Hashable {
  /// Its place in the queue, which the next page starts behind; 0 for what was delivered.
  public let position: Int64
  /// The record; nil when it was delivered and its content deleted, and when its content is damaged.
  public let record: Record?
  /// The reading's name.
  public let logID: LogID
  /// Whether it came under the log_id of another reading, with other values.
  public let isSuspect: Bool
  /// The revision.
  public let revision: Int
  /// The receiver.
  public let sink: String
  /// Where the delivery stands.
  public let state: DeliveryState
  /// Why it is held, dead or excluded.
  public let reason: String?
  /// How often it was sent.
  public let attempts: Int
  /// About when it is sent again, in microseconds since 1970; for people only, the uploader waits on another clock.
  public let nextTryMicroseconds: Int64?
  /// What the last attempt failed with.
  public let lastError: String?
  /// The receiver's own id, once delivered.
  public let receiverID: String?
}

extension MeterStore {
  /// What waits, was refused or is never delivered, oldest first, for the current user.
  ///
  /// - Parameters:
  ///   - states: Only these states; all when empty.
  ///   - position: Only what stands behind this entry; from the front without it.
  ///   - limit: At most so many, and the rest of the last reading's: a page ends behind a reading's last receiver, so
  ///     that the next one begins with another reading.
  ///   - isOfDefaultUser: What was read without a session, also while there is one.
  public func queueSnapshot(
    states: Set<DeliveryState> = [], after position: Int64 = 0, limit: Int = 10_000, isOfDefaultUser: Bool = false
  ) throws(StoreError) -> [QueueEntry] {
    let wanted = states.isEmpty ? Set(DeliveryState.allCases) : states
    return try reading { db in
      let owner = isOfDefaultUser ? SessionUser.defaultOwnerKey : try SessionRow.fetch(db).owner
      // Each state by an index of its own: a page of a few held among a million pending costs what it shows.
      let pages = try wanted.map { state in
        let isIndexed = state == .pending ? "" : "AND state <> 'pending'"
        return try QueueEntry.fetch(
          db,
          where: """
            state = '\(state.rawValue)' \(isIndexed) AND delivery.record > ? AND owner = ?
            ORDER BY delivery.record, sink LIMIT ?
            """, arguments: [position, owner, limit])
      }
      // Nobody is told that nothing waits because it cannot be found.
      if position == 0, pages.allSatisfy(\.isEmpty) { try HiddenRows.check(db, expecting: wanted) }
      let entries = pages.joined().sorted { ($0.position, $0.sink) < ($1.position, $1.sink) }.prefix(limit)
      guard entries.count == limit, let last = entries.last?.position else { return Array(entries) }
      let states = wanted.map { "'\($0.rawValue)'" }.joined(separator: ",")
      return try entries.filter { $0.position < last }
        + QueueEntry.fetch(
          db, where: "delivery.record = ? AND state IN (\(states)) ORDER BY sink", arguments: [last])
    }
  }

  /// The deliveries of one reading; after delivery, what was remembered of it. Empty when it is not known.
  public func queueEntry(_ logID: LogID) throws(StoreError) -> [QueueEntry] {
    return try reading { db in
      let owner = try SessionRow.fetch(db).owner
      let waiting = try QueueEntry.fetch(
        db, where: "owner = ? AND log_id = ? ORDER BY record.id, sink", arguments: [owner, logID.description])
      guard waiting.isEmpty else { return waiting }
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT revision, receiver_id FROM seen
          WHERE owner = ? AND log_id = ? AND delivered_us IS NOT NULL ORDER BY revision DESC
          """, arguments: [owner, logID.description])
      guard let row else { return [] }
      let sinks = try SinkRow.names(db)
      return try sinks.compactMap { sink in
        // Nil for one that came later than the reading, or that was not to have it any more.
        let acceptance = try Acceptance.fetch(db, owner: owner, logID: logID.description, sink: sink, sinks: sinks)
        return try acceptance.map { acceptance in
          try QueueEntry(
            position: 0, record: nil, logID: logID, isSuspect: false, revision: row["revision"], sink: sink,
            state: .delivered, reason: nil, attempts: 0, nextTryMicroseconds: nil, lastError: nil,
            receiverID: acceptance.receiverID)
        }
      }
    }
  }
}

extension QueueEntry {
  static func fetch(_ db: Database, where condition: String, arguments: StatementArguments) throws -> [QueueEntry] {
    var entries: [QueueEntry] = []
    let rows = try fetchRows(db, where: condition, arguments: arguments)
    while let row = try rows.next() { entries.append(try QueueEntry(row)) }
    return entries
  }

  /// The rows of deliveries, one after the other, for those who must not hold all of them.
  static func fetchRows(
    _ db: Database, where condition: String, arguments: StatementArguments
  ) throws -> RowCursor {
    try Row.fetchCursor(
      db,
      sql: """
        SELECT record.id AS position, log_id, content, suspect, sink, state, reason, delivery.revision AS revision,
          attempts, next_try_us, last_error
        FROM delivery JOIN record ON record.id = delivery.record WHERE \(condition)
        """, arguments: arguments)
  }

  /// A delivery; its record is nil when its content is not what was committed.
  init(_ row: Row) throws {
    guard let state = DeliveryState(rawValue: try row["state"]), let logID = LogID(try row["log_id"]) else {
      throw StoreError(.corrupt, "a delivery has an unknown state or name; run `meterhost doctor --repair`.")
    }
    try self.init(
      position: row["position"], record: RecordCoding.intact(row["content"], named: logID), logID: logID,
      isSuspect: row["suspect"], revision: row["revision"], sink: row["sink"], state: state, reason: row["reason"],
      attempts: row["attempts"], nextTryMicroseconds: row["next_try_us"], lastError: row["last_error"], receiverID: nil)
  }
}
