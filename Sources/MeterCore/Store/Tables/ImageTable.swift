internal import Foundation
internal import GRDB

/// Where the delivery of an image stands.
package enum ImageState: String, Sendable, Hashable, Codable, CaseIterable {
  /// Waits for its record: the receiver has not accepted that yet.
  case waiting
  /// Waits for the receiver.
  case pending
  /// Is being sent.
  case inFlight
  /// The receiver has it.
  case delivered
  /// The receiver has refused it for good.
  case dead
}

/// The images of one user's records.
struct ImageTable {
  let db: Database
  let owner: String
  let sinks: SinkList

  /// The reason of an image whose record got no id from its receiver: there is no address to send it to.
  static let noReceiverID = "no_receiver_id"

  /// Files images of records that are delivered or will be.
  ///
  /// - Returns: Those that were not there yet.
  /// - Throws: `StoreError`: `notFound` without such a record, `imageRefused` when that is never delivered or has too many
  ///   images.
  func add(_ images: [CommitImage]) throws -> [CommitImage] {
    try images.filter { item in
      let logID = item.logID.description
      try checkRecord(logID)
      try db.execute(
        sql: """
          INSERT INTO media (owner, log_id, checksum, content_type, content, committed_us) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT DO NOTHING
          """,
        arguments: [
          owner, logID, item.image.checksum, item.image.contentType.rawValue, Data(item.image.bytes),
          MeterStore.nowMicroseconds,
        ])
      guard db.changesCount > 0 else { return false }
      let row = db.lastInsertedRowID
      try checkCount(logID)
      for sink in sinks.takingImages { try insertDelivery(row, logID, sink) }
      return true
    }
  }

  private func checkRecord(_ logID: String) throws {
    let seen = try Row.fetchOne(
      db,
      sql: """
        SELECT max(discarded_us) AS discarded_us, max(suspect) AS suspect, count(*) AS revisions FROM seen
        WHERE owner = ? AND log_id = ?
        """, arguments: [owner, logID])
    guard let seen, try seen["revisions"] > 0 else {
      throw StoreError(.notFound, "there is no reading \(logID) for the image; submit the reading with it.")
    }
    guard try seen["suspect"] == 0 else {
      throw StoreError(
        .imageRefused, "two readings have the name \(logID); which of them the image shows cannot be told.")
    }
    let state = try String.fetchOne(
      db,
      sql: """
        SELECT state FROM delivery JOIN record ON record.id = delivery.record
        WHERE owner = ? AND log_id = ? AND suspect = 0
        """, arguments: [owner, logID])
    guard state != DeliveryState.excluded.rawValue, try state != nil || (seen["discarded_us"] as Int64?) == nil else {
      throw StoreError(.imageRefused, "the reading \(logID) is never delivered, so its image cannot be.")
    }
  }

  private func checkCount(_ logID: String) throws {
    let count =
      try Int.fetchOne(
        db, sql: "SELECT count(*) FROM media WHERE owner = ? AND log_id = ?", arguments: [owner, logID]) ?? 0
    guard count <= RecordImage.countLimit else {
      throw StoreError(
        .imageRefused,
        "the reading \(logID) has \(count - 1) images that wait, and more than \(RecordImage.countLimit) are not taken."
      )
    }
  }

  private func insertDelivery(_ row: Int64, _ logID: String, _ sink: String) throws {
    // A receiver that came later than the reading never gets it, and so not its image.
    guard let acceptance = try Acceptance.fetch(db, owner: owner, logID: logID, sink: sink, sinks: sinks.names) else {
      return
    }
    let (state, reason): (ImageState, String?) =
      switch acceptance {
      case .notYet: (.waiting, nil)
      case .accepted(let id): id == nil ? (.dead, Self.noReceiverID) : (.pending, nil)
      }
    try db.execute(
      sql: "INSERT INTO media_delivery (media, sink, state, record_id, reason) VALUES (?, ?, ?, ?, ?)",
      arguments: [row, sink, state.rawValue, acceptance.receiverID, reason])
  }

  /// Lets the images of a record go that a sink has just accepted.
  ///
  /// - Parameter receiverID: The receiver's own id of the record; nil when it gave none.
  static func release(
    _ db: Database, owner: String, _ logID: String, sink: String, receiverID: String?
  ) throws {
    try db.cachedStatement(
      sql: """
        UPDATE media_delivery SET state = ?, record_id = ?, reason = ? WHERE sink = ? AND state = 'waiting'
          AND media IN (SELECT id FROM media WHERE owner = ? AND log_id = ?)
        """
    ).execute(
      arguments: [
        (receiverID == nil ? ImageState.dead : .pending).rawValue, receiverID,
        receiverID == nil ? noReceiverID : nil, sink, owner, logID,
      ])
  }

  /// Sends refused images of a reading again.
  ///
  /// - Parameter reason: Only those that are dead for this reason; nil for all.
  /// - Returns: Whether there were any.
  func resubmit(_ logID: String, reason: String?) throws -> Bool {
    try db.execute(
      sql: """
        UPDATE media_delivery SET state = 'pending', reason = NULL, attempts = 0, next_try_us = NULL
        WHERE state = 'dead' AND record_id IS NOT NULL AND (?3 IS NULL OR reason = ?3)
          AND media IN (SELECT id FROM media WHERE owner = ?1 AND log_id = ?2)
        """, arguments: [owner, logID, reason])
    let isAny = db.changesCount > 0
    // The answer to the record, which is sent again, may have an id this time.
    try db.execute(
      sql: """
        UPDATE media_delivery SET state = 'waiting', reason = NULL
        WHERE state = 'dead' AND record_id IS NULL AND media IN (
          SELECT media.id FROM media JOIN record ON record.owner = media.owner AND record.log_id = media.log_id
          JOIN delivery ON delivery.record = record.id AND delivery.sink = media_delivery.sink
          WHERE media.owner = ? AND media.log_id = ? AND delivery.state <> 'delivered')
        """, arguments: [owner, logID])
    return isAny
  }

  /// Sends the images of a reading to those receivers only that have accepted it.
  func drop(_ logID: String, notDeliveredIn record: Int64) throws {
    try db.execute(
      sql: """
        DELETE FROM media_delivery WHERE media IN (SELECT id FROM media WHERE owner = ? AND log_id = ?)
          AND sink IN (SELECT sink FROM delivery WHERE record = ? AND state <> 'delivered')
        """, arguments: [owner, logID, record])
    try Self.finish(db)
  }

  /// Throws the images of a reading away: all when the reading itself goes, else those that were refused.
  ///
  /// - Returns: Whether there were any.
  func discard(_ logID: String, all: Bool, includingPending: Bool) throws -> Bool {
    let kept = includingPending ? "('inFlight', 'waiting')" : "('inFlight', 'waiting', 'pending')"
    try db.execute(
      sql: """
        DELETE FROM media WHERE owner = ? AND log_id = ? AND (? OR NOT EXISTS (
          SELECT 1 FROM media_delivery WHERE media = media.id AND state IN \(kept)))
        """, arguments: [owner, logID, all])
    return db.changesCount > 0
  }
}

/// Whether and as what a receiver has accepted a reading.
enum Acceptance: Hashable {
  case notYet
  case accepted(receiverID: String?)

  var receiverID: String? {
    if case .accepted(let id) = self { id } else { nil }
  }

  /// - Returns: Nil when the reading is not meant for the sink.
  static func fetch(
    _ db: Database, owner: String, logID: String, sink: String, sinks: [String]
  ) throws -> Acceptance? {
    let state = try String.fetchOne(
      db,
      sql: """
        SELECT state FROM delivery JOIN record ON record.id = delivery.record
        WHERE owner = ? AND log_id = ? AND suspect = 0 AND sink = ?
        """, arguments: [owner, logID, sink])
    if let state, state != DeliveryState.delivered.rawValue { return .notYet }
    if sinks.count > 1 {
      let row = try Row.fetchOne(
        db, sql: "SELECT receiver_id FROM acceptance WHERE owner = ? AND log_id = ? AND sink = ?",
        arguments: [owner, logID, sink])
      if let row { return .accepted(receiverID: try row["receiver_id"]) }
      guard sink == sinks.first else { return nil }
    }
    let receiverID = try String.fetchOne(
      db,
      sql: """
        SELECT receiver_id FROM seen WHERE owner = ? AND log_id = ? AND suspect = 0 AND delivered_us IS NOT NULL
        ORDER BY revision DESC LIMIT 1
        """, arguments: [owner, logID])
    // What the session's own has got while it was alone stands nowhere else. What others have and it has not, it had no form for.
    let isOfOthersOnly =
      try receiverID == nil
      && Bool.fetchOne(
        db, sql: "SELECT EXISTS (SELECT 1 FROM acceptance WHERE owner = ? AND log_id = ?)", arguments: [owner, logID])
        == true
    return isOfOthersOnly ? nil : .accepted(receiverID: receiverID)
  }

  /// Whether it is remembered that a receiver beside others has a reading.
  static func isNoted(_ db: Database, owner: String, logID: String, sink: String) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM acceptance WHERE owner = ? AND log_id = ? AND sink = ?)",
      arguments: [owner, logID, sink]) ?? false
  }

  /// Remembers the id that a receiver gave a reading, where there are several receivers.
  static func note(_ db: Database, owner: String, logID: String, sink: String, receiverID: String?) throws {
    try db.execute(
      sql: """
        INSERT INTO acceptance VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET receiver_id = coalesce(excluded.receiver_id, receiver_id)
        """, arguments: [owner, logID, sink, receiverID])
  }
}

extension ImageTable {
  /// Deletes an image that every sink has; without a row, all such images.
  static func finish(_ db: Database, row: Int64? = nil) throws {
    try db.execute(
      sql: """
        DELETE FROM media WHERE id = coalesce(?, id) AND NOT EXISTS (
          SELECT 1 FROM media_delivery WHERE media = media.id AND state <> 'delivered')
        """, arguments: [row])
  }
}
