internal import Foundation
internal import GRDB
internal import HostPrimitives
internal import Logging

/// A part of the event log.
package struct EventPage: Sendable, Hashable {
  /// The events behind the cursor, oldest first.
  package let events: [LoggedEvent]
  /// How many events behind the cursor are gone because the log is bounded.
  package let missed: Int64
  /// Where the next page starts.
  package let next: Int64
}

extension MeterStore {
  /// How many events the log keeps. A delivered record is one, so this is months of a gateway's work.
  package static let eventLimit: Int64 = 100_000

  /// Events behind a cursor, oldest first.
  ///
  /// - Parameters:
  ///   - cursor: The last event that was handled; 0 for the beginning of the log.
  ///   - limit: At most so many.
  /// - Throws: ``StoreError/Code/unknownCursor`` for a cursor that this log has not given: it is another state folder's.
  package func events(after cursor: Int64, limit: Int = 256) throws(StoreError) -> EventPage {
    try reading { db in
      let newest = try Self.newestEvent(db)
      guard (0...newest).contains(cursor) else {
        throw StoreError(
          .unknownCursor,
          "this state folder has not given the cursor \(cursor), its newest event is \(newest); start again from 0.")
      }
      let rows = try Row.fetchAll(
        db, sql: "SELECT id, time_us, content FROM event WHERE id > ? ORDER BY id LIMIT ?", arguments: [cursor, limit])
      let events = try rows.map { row in
        try LoggedEvent(
          cursor: row["id"], timeMicroseconds: row["time_us"], event: try EventCoding.decode(row["content"]))
      }
      // Ids are given without gaps, and rows leave at the old end only.
      let missed = (events.first.map { $0.cursor - 1 } ?? newest) - cursor
      return EventPage(events: events, missed: missed, next: events.last?.cursor ?? newest)
    }
  }

  /// The cursor behind the newest event: where a listener starts that wants only what happens from now on.
  package func newestEvent() throws(StoreError) -> Int64 { try reading { db in try Self.newestEvent(db) } }

  private static func newestEvent(_ db: Database) throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
  }

  /// Writes an event into the log, in the transaction that makes it true: it is there exactly when it happened.
  static func log(_ event: HostEvent, _ db: Database) throws {
    try db.cachedStatement(sql: "INSERT INTO event (time_us, content) VALUES (?, ?)")
      .execute(arguments: [nowMicroseconds, try EventCoding.encode(event)])
    try db.cachedStatement(sql: "DELETE FROM event WHERE id <= ?")
      .execute(arguments: [db.lastInsertedRowID - eventLimit])
    db.afterNextTransaction { _ in trace(event) }
  }

  /// Writes an event into the log that belongs to no change of the store's own.
  package func log(_ event: HostEvent) throws(StoreError) {
    try transaction { db in try Self.log(event, db) }
  }

  private static let logger = LogArea.core.logger
  private static let bluetoothLogger = LogArea.bluetooth.logger
  private static let driverLogger = LogArea.drivers.logger

  /// One line for each submission, session and refusal.
  private static func trace(_ event: HostEvent) {
    switch event {
    case .sessionStarted: logger.info("a session has started")
    case .commitsLost(let loss):
      let count = loss.commits.map { "\($0) commits" } ?? "perhaps commits"
      logger.critical(
        "\(count) of the state database are missing, which were acknowledged: read the meters again, and look at `meterhost doctor`",
        metadata: loss.keptFolder.map { ["kept": "\($0)"] })
    case .driverUpdated(let update):
      driverLogger.notice(
        "a driver package was updated",
        metadata: [
          "package": "\(update.package)", "version": "\(update.version)", "before": "\(update.before)",
          "automatic": "\(update.isAutomatic)",
        ])
    case .driverRolledBack(let retreat):
      driverLogger.error(
        "version \(retreat.before) of \(retreat.package) is not used any more: \(retreat.reason.oneLine(atMost: 512))",
        metadata: ["version": "\(retreat.version ?? "disabled")"])
    case .sessionEnded(let end):
      logger.info(
        "a session has ended",
        metadata: ["unsynced": "\(end.unsynced)", "reason": "\(end.reason?.rawValue ?? "unknown")"])
    case .recordSubmitted(let record):
      logger.info(
        "a record was delivered",
        metadata: ["log_id": "\(record.logID)", "revision": "\(record.revision)", "sink": "\(record.sink)"])
    case .recordSubmissionFailed(let record):
      logger.warning(
        "a record was refused for good",
        metadata: ["log_id": "\(record.logID)", "sink": "\(record.sink)", "reason": "\(record.reason)"])
    case .recordImageSubmitted(let image):
      logger.info("an image was delivered", metadata: ["log_id": "\(image.logID)", "sink": "\(image.sink)"])
    case .sinkRefused(let refusal):
      logger.warning(
        "a receiver refuses its token; readings wait for it", metadata: ["sink": "\(refusal.sink)"])
    case .meterReady(let moment):
      bluetoothLogger.info("a meter is ready to measure", metadata: ["peripheral": "\(moment.peripheral)"])
    case .meterRead(let reading):
      bluetoothLogger.info(
        "a meter was read", metadata: ["peripheral": "\(reading.peripheral)", "records": "\(reading.records.count)"])
    case .meterFailed(let failure):
      bluetoothLogger.warning(
        "a meter could not be read: \(failure.error)",
        metadata: ["peripheral": "\(failure.peripheral)", "reason": "\(failure.reason)"])
    case .strangersMet(let count):
      bluetoothLogger.warning(
        "unknown devices that say they are meters: \(count.attempts) attempts to read them in \(count.seconds) s",
        metadata: [
          "outcomes":
            "\(count.outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))"
        ])
    case .healthRecordsProcessed(let records):
      logger.info(
        "records of a health export were taken",
        metadata: ["type": "\(records.typeName)", "count": "\(records.count)"])
    case .recordImageSubmissionFailed(let image):
      logger.warning(
        "an image was refused for good",
        metadata: [
          "log_id": "\(image.logID)", "sink": "\(image.sink)", "reason": "\(image.reason ?? "unknown")",
        ])
    }
  }
}

/// Events as the log keeps them.
private enum EventCoding {
  static func encode(_ event: HostEvent) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(event), as: UTF8.self)
  }

  static func decode(_ text: String) throws -> HostEvent {
    do { return try JSONDecoder().decode(HostEvent.self, from: Data(text.utf8)) } catch {
      throw StoreError(
        .corrupt, "an event of the log cannot be read; run `meterhost doctor`.", cause: (error as? DecodingError)?.place
      )
    }
  }
}
