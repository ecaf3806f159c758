internal import Foundation
internal import GRDB

/// The delivery of one image, as it was when the snapshot was taken.
package struct ImageEntry: Sendable, Hashable {
  /// Its place, which the next page starts behind.
  package let position: Int64
  /// The reading that it belongs to.
  package let logID: LogID
  /// SHA-256 of its bytes in hexadecimal: its name beside the reading's.
  package let checksum: String
  /// What it is.
  package let contentType: RecordImage.ContentType
  /// How many bytes it has.
  package let size: Int
  /// The receiver.
  package let sink: String
  /// Where the delivery stands.
  package let state: ImageState
  /// Why it is dead.
  package let reason: String?
  /// How often it was sent.
  package let attempts: Int
  /// About when it is sent again, in microseconds since 1970; for people only, the uploader waits on another clock.
  package let nextTryMicroseconds: Int64?
  /// What the last attempt failed with.
  package let lastError: String?
}

/// One delivery of an image that the uploader has claimed.
struct ImageTicket: Sendable {
  let row: Int64
  let sink: String
  let logID: LogID
  let image: RecordImage
  /// The receiver's id of the record.
  let recordID: String
  let attempts: Int
  let generation: SessionGeneration
  let tokenSerial: Int64
  let token: AccessToken?
}

extension MeterStore {
  /// Images that are not delivered, oldest first, for the current user.
  ///
  /// - Parameters:
  ///   - states: Only these states; all when empty.
  ///   - logID: Only this reading's.
  ///   - position: Only what stands behind this entry; from the front without it.
  ///   - limit: At most so many, and the rest of the last image's, as with readings.
  package func imageSnapshot(
    states: Set<ImageState> = [], of logID: LogID? = nil, after position: Int64 = 0, limit: Int = 10_000
  ) throws(StoreError) -> [ImageEntry] {
    let wanted = (states.isEmpty ? Set(ImageState.allCases) : states).map { "'\($0.rawValue)'" }
    return try reading { db in
      let owner = try SessionRow.fetch(db).owner
      let isWanted = "state IN (\(wanted.joined(separator: ",")))"
      let entries = try ImageEntry.fetch(
        db,
        where: """
          owner = ? AND media.id > ? AND log_id = coalesce(?, log_id) AND \(isWanted) ORDER BY media.id, sink LIMIT ?
          """, arguments: [owner, position, logID?.description, limit])
      if position == 0, entries.isEmpty { try HiddenRows.checkImages(db) }
      guard entries.count == limit, let last = entries.last?.position else { return entries }
      return try entries.filter { $0.position < last }
        + ImageEntry.fetch(db, where: "media.id = ? AND \(isWanted) ORDER BY sink", arguments: [last])
    }
  }

  /// The images of a reading of the current user that are kept, oldest first, four at most.
  package func pictures(of logID: LogID) throws(StoreError) -> [RecordImage] {
    try reading { db in
      let owner = try SessionRow.fetch(db).owner
      let rows = try Row.fetchAll(
        db, sql: "SELECT content_type, content FROM media WHERE owner = ? AND log_id = ? ORDER BY id LIMIT 4",
        arguments: [owner, logID.description])
      return try rows.compactMap { row in
        try RecordImage.ContentType(rawValue: row["content_type"]).map { type in
          RecordImage(stored: Array(try row["content"] as Data), type)
        }
      }
    }
  }

  /// Marks a pending image of the current user as in flight and hands it out; nil when there is none.
  ///
  /// - Parameter busy: Rows that wait for a later attempt.
  func claimImage(
    sink: String, excluding busy: Set<Int64>, target: SinkTarget? = nil
  ) throws(StoreError) -> ImageTicket? {
    try releaseUnanswered()
    guard try pendingImageCount(sink: sink) > 0 else { return nil }
    let vault = vault
    return try transaction(.repetition) { db in
      let session = try SessionRow.fetch(db)
      guard session.user != nil, session.ending == nil,
        let credential = try SinkRow.credential(db, vault: vault, session: session, sink: sink, target: target)
      else { return nil }
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT media, attempts FROM media_delivery WHERE sink = ? AND state = 'pending'
          ORDER BY attempts, media LIMIT ?
          """, arguments: [sink, busy.count + 1])
      guard let next = try rows.first(where: { !busy.contains(try $0["media"]) }),
        let row = try Row.fetchOne(
          db,
          sql: """
            SELECT log_id, content_type, content, record_id FROM media
            JOIN media_delivery ON media = media.id AND sink = ? WHERE media.id = ? AND owner = ?
            """, arguments: [sink, next["media"] as Int64, session.owner])
      else { return nil }
      guard let logID = LogID(try row["log_id"]), let type = RecordImage.ContentType(rawValue: try row["content_type"])
      else {
        throw StoreError(.corrupt, "an image's row cannot be read; run `meterhost doctor`.")
      }
      try db.execute(
        sql: "UPDATE media_delivery SET state = 'inFlight', attempts = attempts + 1 WHERE media = ? AND sink = ?",
        arguments: [next["media"] as Int64, sink])
      return try ImageTicket(
        row: next["media"], sink: sink, logID: logID, image: RecordImage(stored: Array(row["content"] as Data), type),
        recordID: row["record_id"], attempts: Int(next["attempts"] as Int32) + 1, generation: session.generation,
        tokenSerial: credential.tokenSerial, token: credential.token)
    }
  }

  /// Files the answer to a claimed image.
  ///
  /// - Returns: Whether it still applied; false when the session or the claim is gone.
  func resolve(
    _ ticket: ImageTicket, _ resolution: DeliveryResolution, url: String? = nil
  ) throws(StoreError) -> Bool {
    try transaction(.repetition) { db in
      guard try SessionRow.fetch(db).generation == ticket.generation else { return false }
      let key: StatementArguments = [ticket.row, ticket.sink]
      let isOpen = try Bool.fetchOne(
        db, sql: "SELECT state = 'inFlight' FROM media_delivery WHERE media = ? AND sink = ?", arguments: key)
      guard isOpen == true else { return false }
      switch resolution {
      case .delivered(let mediaID, _):
        try Self.log(
          .recordImageSubmitted(
            HostEvent.SubmittedImage(
              logID: ticket.logID, image: ticket.image.checksum, sink: ticket.sink, mediaID: mediaID, url: url)), db)
        try db.execute(
          sql: "UPDATE media_delivery SET state = 'delivered' WHERE media = ? AND sink = ?", arguments: key)
        try ImageTable.finish(db, row: ticket.row)
      case .unconfirmed:
        try db.execute(
          sql: "UPDATE media_delivery SET state = 'pending' WHERE media = ? AND sink = ?", arguments: key)
      case .retry(let error, let nextTry):
        try db.execute(
          sql: """
            UPDATE media_delivery SET state = 'pending', last_error = ?, next_try_us = ? WHERE media = ? AND sink = ?
            """, arguments: [error, nextTry] + key)
      case .dead(let reason, let error):
        try Self.log(
          .recordImageSubmissionFailed(
            HostEvent.RefusedImage(
              logID: ticket.logID, image: ticket.image.checksum, contentType: ticket.image.contentType.rawValue,
              sink: ticket.sink, recordID: ticket.recordID, reason: reason, error: error)), db)
        try db.execute(
          sql: "UPDATE media_delivery SET state = 'dead', reason = ?, last_error = ? WHERE media = ? AND sink = ?",
          arguments: [reason, error] + key)
      }
      return true
    }
  }

  /// How many images wait for this sink and could be sent. They are the current user's, as with records.
  func pendingImageCount(sink: String) throws(StoreError) -> Int {
    try reading { db in
      try Int.fetchOne(
        db.cachedStatement(
          sql: "SELECT count(*) FROM media_delivery WHERE sink = ? AND state IN ('pending', 'inFlight')"),
        arguments: [sink]) ?? 0
    }
  }
}

extension ImageEntry {
  static func fetch(_ db: Database, where condition: String, arguments: StatementArguments) throws -> [ImageEntry] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT media.id AS position, log_id, checksum, content_type, length(content) AS size, sink, state, reason, attempts,
          next_try_us, last_error
        FROM media_delivery JOIN media ON media.id = media_delivery.media WHERE \(condition)
        """, arguments: arguments
    ).map { row in
      guard let logID = LogID(try row["log_id"]), let state = ImageState(rawValue: try row["state"]),
        let type = RecordImage.ContentType(rawValue: try row["content_type"])
      else { throw StoreError(.corrupt, "an image's row cannot be read; run `meterhost doctor`.") }
      return try ImageEntry(
        position: row["position"], logID: logID, checksum: row["checksum"], contentType: type, size: row["size"],
        sink: row["sink"], state: state, reason: row["reason"], attempts: row["attempts"],
        nextTryMicroseconds: row["next_try_us"], lastError: row["last_error"])
    }
  }
}
