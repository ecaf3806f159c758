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
  /// Which content of the reading is delivered: 1, and one more with each change.
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
  /// Until when the content of a delivered reading stays, in microseconds since 1970-01-01T00:00Z, unless another sink's word lets it go;
  /// nil for not at all.
  public internal(set) var keptUntilMicroseconds: Int64?
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
          attempts, next_try_us, last_error, confirm_by_us
        FROM delivery JOIN record ON record.id = delivery.record WHERE \(condition)
        """, arguments: arguments)
  }

  /// A delivery; its record is nil when its content is not what was committed.
  init(_ row: Row) throws {
    guard let state = DeliveryState(rawValue: try row["state"]), let logID = LogID(try row["log_id"]) else {
      throw StoreError(.corrupt, "a delivery has an unknown state or name; run `meterhost doctor --repair`.")
    }
    let moment: Int64? = try row["confirm_by_us"]
    try self.init(
      position: row["position"], record: RecordCoding.intact(row["content"], named: logID), logID: logID,
      isSuspect: row["suspect"], revision: row["revision"], sink: row["sink"], state: state, reason: row["reason"],
      attempts: row["attempts"], nextTryMicroseconds: row["next_try_us"], lastError: row["last_error"], receiverID: nil,
      keptUntilMicroseconds: state == .delivered ? moment : nil)
  }
}
