public import Foundation
internal import GRDB
internal import Synchronization

/// What a session's end left. The readings themselves are in the recovery file, because there may be more of them than
/// fit in memory; ``forEachUnsynced(_:)`` hands them out.
public struct EndedSession: Sendable, Hashable {
  /// Whose session it was.
  public let user: SessionUser
  /// How many readings not every receiver has accepted.
  public let unsynced: Int
  /// How many images not every receiver has accepted.
  public let unsyncedImages: Int
  /// Where they are kept until the user deletes the file; nil when there were none.
  public let recoveryFile: URL?
  /// Why it has ended; nil where an earlier version has begun the end and a crash has interrupted it.
  public let reason: HostEvent.EndReason?

  /// Calls `body` with each delivery that was open, in the order of the queue.
  ///
  /// ``UnsyncedPage`` reads a part of them.
  ///
  /// - Throws: ``StoreError/Code/recoveryFile`` when the file is gone or was changed, and what `body` throws.
  public func forEachUnsynced(_ body: (QueueEntry) throws -> Void) throws {
    guard let recoveryFile else { return }
    try RecoveryReader(recoveryFile).forEachEntry { entry in try body(QueueEntry(entry)) }
  }
}

extension MeterStore {
  /// Starts a session. The same user keeps queue and generation and gets the new token; another user's session
  /// ends first.
  ///
  /// - Parameters:
  ///   - options: What is kept with it, written at the same moment as user and token. The same user keeps the zone where none
  ///     is named, that of an earlier session, too.
  ///   - isValidated: Whether the receiver has accepted the token already.
  /// - Returns: The session, and the one that ended for it.
  public func startSession(
    _ user: SessionUser, token: AccessToken?, options: SessionOptions = SessionOptions(), isValidated: Bool = false
  ) throws(StoreError) -> (session: Session, ended: EndedSession?) {
    try startSession(user, token: token, options: options, isValidated: isValidated) { _ in }
  }

  /// Starts a session by what its receiver has answered about the token: accepted, it is not asked again; out of reach, it is not
  /// asked again at once.
  package func startSession(
    _ user: SessionUser, token: AccessToken?, options: SessionOptions, answer: TokenAnswer
  ) throws(StoreError) -> (session: Session, ended: EndedSession?) {
    try startSession(user, token: token, options: options, isValidated: answer.verdict == .accepted) { db in
      try Self.note(answer, db, sink: Self.defaultSink)
    }
  }

  private func startSession(
    _ user: SessionUser, token: AccessToken?, options: SessionOptions, isValidated: Bool,
    noting: (Database) throws -> Void
  ) throws(StoreError) -> (session: Session, ended: EndedSession?) {
    var ended: EndedSession?
    let vault = vault
    while true {
      // Another caller may have started a session in between; it ends like any other.
      let session = try transaction { db -> Session? in
        let row = try SessionRow.fetch(db)
        guard row.user == nil || (row.user == user && row.ending == nil) else { return nil }
        try db.execute(
          sql: """
            UPDATE session SET user_id = ?, organization_id = ?, generation = generation + ?
            """, arguments: [user.userID, user.organizationID, row.user == user ? 0 : 1])
        try options.write(db, of: user)
        try SinkRow.set(
          db, vault: vault, name: Self.defaultSink, options.receiver ?? SinkTarget(kind: "", setting: []), token: token,
          isValidated: isValidated)
        try Self.forgetWaits(db, sink: Self.defaultSink)
        try noting(db)
        if row.user != user { try Self.log(.sessionStarted(HostEvent.SessionStart(user)), db) }
        return try SessionRow.fetch(db).session(db)
      }
      if let session {
        announceChange()
        return (session, ended)
      }
      ended = try endSession(ifTokenIs: nil, forgettingMeters: false, .otherUser) ?? ended
    }
  }

  /// Ends the session: what was not delivered goes to a recovery file, which is on disk before any row is deleted.
  ///
  /// - Parameter forgettingMeters: Take along what is known of the gateway's meters: bonds, keys of single meters, the
  ///   drivers' `meter/` keys, and whose the meters were.
  /// - Returns: What ended; nil when there was no session.
  /// - Throws: ``StoreError/Code/recoveryFile`` and others when the file cannot be written: then the session goes on.
  @discardableResult
  public func endSession(forgettingMeters: Bool = false) throws(StoreError) -> EndedSession? {
    try endSession(ifTokenIs: nil, forgettingMeters: forgettingMeters, .asked)
  }

  /// Ends the session if this token is still its own: a refusal of an earlier token ends nothing.
  func endSession(refusedToken serial: Int64) throws(StoreError) -> EndedSession? {
    try endSession(ifTokenIs: serial, forgettingMeters: false, .tokenRefused)
  }

  private func endSession(
    ifTokenIs serial: Int64?, forgettingMeters: Bool, _ reason: HostEvent.EndReason
  ) throws(StoreError) -> EndedSession? {
    try oneEnd.withLock { _ throws(StoreError) in
      let name = "session-\(UUID().uuidString.lowercased()).jsonl"
      // Ended is ended: who was told otherwise would not look for the recovery file, and find the session over.
      let began = try transaction(.fact) { db in
        let row = try SessionRow.fetch(db)
        guard try row.user != nil && (serial == nil || serial == SinkRow.own(db).tokenSerial) else { return false }
        // From here on commits of running reads fail, so that the file is complete.
        try db.execute(
          sql: """
            UPDATE session SET generation = generation + 1, ending = coalesce(ending, ?),
              forgets_meters = max(forgets_meters, ?)
            """, arguments: [name, forgettingMeters])
        // An end that has begun already, and was interrupted, keeps its reason.
        try db.execute(
          sql: "INSERT INTO setting VALUES (?, ?) ON CONFLICT DO NOTHING", arguments: [Self.endReason, reason.rawValue])
        return true
      }
      guard began else { return nil }
      do throws(StoreError) {
        return try finishEnding()
      } catch {
        try? transaction(.fact) { db in
          try db.execute(sql: "UPDATE session SET ending = NULL, forgets_meters = 0")
          try Self.forgetEndReason(db)
          // Answers to what was sent before belong to the generation before: they come to nothing.
          try Self.releaseClaims(db)
        }
        announceChange()
        throw error
      }
    }
  }

  /// Why the session ends, from the beginning of its end to the last of it.
  private static let endReason = "session_end_reason"

  private static func forgetEndReason(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [endReason])
  }

  /// Second half of ``endSession()``; also run at start-up, where a crash may have left it undone.
  @discardableResult
  func finishEnding() throws(StoreError) -> EndedSession? {
    let row = try reading { db in try SessionRow.fetch(db) }
    guard let name = row.ending, let user = row.user else { return nil }
    let folder = stateFolder
    // One snapshot for all of the file. Nothing new comes: the generation is another one since the end began.
    let (ended, types) = try reading { db in
      let begun = try folder.makeDurableFile(folder: RecoveryFile.folder, name: name)
      var writer = RecoveryWriter(folder, name: name, file: begun)
      try writer.append(db, of: user)
      let file = try writer.finish().map { URL(fileURLWithPath: $0) }
      try Self.writeKept(db, of: user, beside: name, folder)
      let reason = try String.fetchOne(
        db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [Self.endReason])
      let ended = EndedSession(
        user: user, unsynced: writer.unsynced.readings, unsyncedImages: writer.unsynced.images, recoveryFile: file,
        reason: reason.map(HostEvent.EndReason.init(rawValue:)))
      return (ended, writer.types)
    }
    let isDeleted = try transaction(.fact) { db in
      guard try Self.deleteSession(db, row) else { return false }
      // What a session's recordings hold is its user's. They go before the end is on disk: after it nobody would look for them.
      RecordingFolder(state: folder.path).removeUnkept()
      try Self.log(
        .sessionEnded(
          HostEvent.SessionEnd(
            user, unsynced: ended.unsynced, types: types, recoveryFile: ended.recoveryFile?.path, reason: ended.reason)),
        db)
      return true
    }
    guard isDeleted else { return nil }
    announceChange()
    announceEnd(ended)
    return ended
  }

  /// Keeps what only a broker has acknowledged in a file of its own: it is delivered, and nothing of it is told as left.
  private static func writeKept(
    _ db: Database, of user: SessionUser, beside ending: String, _ folder: StateFolder
  ) throws {
    guard let until = try KeptRecords(db: db).latest(owner: user.ownerKey) else { return }
    let name = KeptFile.name(beside: ending, until: until)
    let begun = try folder.makeDurableFile(folder: RecoveryFile.folder, name: name)
    var writer = RecoveryWriter(folder, name: name, file: begun)
    try writer.append(db, of: user, .kept)
    _ = try writer.finish()
  }

  /// Deletes what belongs to a session whose end has begun.
  ///
  /// - Returns: False, with nothing deleted, when that end is over: the session that is there now is another one.
  static func deleteSession(_ db: Database, _ row: SessionRow) throws -> Bool {
    let current = try SessionRow.fetch(db)
    guard current.ending != nil, current.ending == row.ending, current.generation == row.generation else {
      return false
    }
    try Seen.forgetUndelivered(db, owner: row.owner)
    try db.execute(sql: "DELETE FROM record WHERE owner = ?", arguments: [row.owner])
    try db.execute(sql: "DELETE FROM media WHERE owner = ?", arguments: [row.owner])
    try db.execute(sql: "DELETE FROM storage WHERE owner = ?", arguments: [row.owner])
    try db.execute(sql: "DELETE FROM weight WHERE owner = ?", arguments: [row.owner])
    try HealthTable(db: db, owner: row.owner).forgetSession()
    for sink in try SinkRow.names(db) { try Self.forgetWaits(db, sink: sink) }
    try db.execute(sql: "DELETE FROM sink WHERE role <> 'session'")
    try SinkRow.clearOwn(db)
    if current.forgetsMeters { try Self.forgetMeters(db) }
    try current.options.rememberZone(db, of: current.owner)
    try forgetEndReason(db)
    try db.execute(
      sql: """
        UPDATE session SET user_id = NULL, organization_id = NULL, ending = NULL, zone = NULL, health = NULL, body = NULL,
          forgets_meters = 0
        """)
    try TokenRow.remove(db)
    return true
  }

  /// Forgets what belongs to the meters of the gateway and not to a user.
  private static func forgetMeters(_ db: Database) throws {
    try db.execute(sql: "DELETE FROM credential WHERE scope IN ('bond', 'meter')")
    try db.execute(sql: "DELETE FROM storage WHERE owner = ''")
    try db.execute(sql: "DELETE FROM meter_cache")
    try db.execute(sql: "DELETE FROM assignment")
    try db.execute(sql: "DELETE FROM known_meter")
    try db.execute(sql: "DELETE FROM meter")
    try db.execute(sql: "DELETE FROM offence WHERE meter <> ''")
  }
}
