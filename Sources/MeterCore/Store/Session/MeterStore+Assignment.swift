public import Foundation
internal import GRDB

/// What a read wants of a meter's assignment.
public struct AssignmentRequest: Sendable, Hashable {
  /// The meter's user slot that belongs to the session's user; nil leaves it as it is.
  public var slot: UInt16?
  /// Take the readings from before the meter was assigned to the user, too.
  public var wantsHistory: Bool
  /// The host's clock, microseconds since 1970-01-01T00:00Z; nil while it is not to be trusted.
  public var nowMicroseconds: Int64?

  /// A request from its parts.
  public init(slot: UInt16? = nil, wantsHistory: Bool = false, nowMicroseconds: Int64?) {
    self.slot = slot
    self.wantsHistory = wantsHistory
    self.nowMicroseconds = nowMicroseconds
  }
}

/// What a read may take of a meter.
public struct GrantedAssignment: Sendable, Hashable {
  /// To whom the meter's readings belong; nil without a session: the default user's readings are held anyway.
  public let assignment: MeterAssignment?
  /// Whether this request has opened a part of the meter's memory that earlier reads have passed by: where they stopped
  /// means nothing then.
  public let opensHistory: Bool
  /// Whether the meter has been assigned to nobody, because the host does not know since when it could be whose.
  public let isPostponed: Bool

  init(assignment: MeterAssignment?, opensHistory: Bool, isPostponed: Bool = false) {
    (self.assignment, self.opensHistory, self.isPostponed) = (assignment, opensHistory, isPostponed)
  }
}

extension MeterStore {
  /// To whom a meter's readings belong during a read of the session's user; makes the assignment at the user's first read
  /// of the meter.
  ///
  /// A new assignment ends those of other users, unless both name a slot of the meter and the slots differ. When a user
  /// comes back, a new assignment begins: what somebody else measured in between is nobody's to guess.
  ///
  /// - Throws: ``StoreError/Code/staleGeneration`` when the user has changed.
  public func assignment(
    of meter: MeterIdentity, generation: SessionGeneration, _ request: AssignmentRequest
  ) throws(StoreError) -> GrantedAssignment {
    try transaction { db in
      let session = try SessionRow.fetch(db)
      guard generation == session.generation, session.ending == nil else {
        throw StoreError.staleGeneration(read: generation, current: session.generation)
      }
      guard session.user != nil else { return GrantedAssignment(assignment: nil, opensHistory: false) }
      return try AssignmentTable(db: db, owner: session.owner, meter: meter.storageKey).assignment(request)
    }
  }
}

extension MeterStore {
  /// Assigns a meter that this gateway knows to the session's user without a read of it.
  ///
  /// What opens the meter's history also forgets how far the user's reads have come: the next one reads the whole memory.
  ///
  /// - Parameters:
  ///   - slot: The meter's user slot that belongs to the user; nil leaves it as it is.
  ///   - wantsHistory: The readings from before are the user's, too.
  ///   - now: The host's clock, which has to be trusted: it is the moment from which readings are the user's.
  /// - Returns: The meter as it is then; nil when this gateway does not know it, or has not read it yet
  ///   (``StoredMeter/isIdentified``).
  /// - Throws: ``StoreError/Code/staleGeneration`` when the user has changed, or there is none.
  public func assignMeter(
    _ uuid: UUID, slot: UInt16?, wantsHistory: Bool, nowMicroseconds now: Int64, generation: SessionGeneration
  ) throws(StoreError) -> StoredMeter? {
    try transaction { db in
      let session = try SessionRow.fetch(db)
      guard generation == session.generation, session.ending == nil, session.user != nil else {
        throw StoreError.staleGeneration(read: generation, current: session.generation)
      }
      let meters = MeterTable(db: db)
      guard let key = try meters.storageKey(of: uuid) else { return nil }
      let request = AssignmentRequest(slot: slot, wantsHistory: wantsHistory, nowMicroseconds: now)
      let granted = try AssignmentTable(db: db, owner: session.owner, meter: key).assignment(request)
      if granted.opensHistory {
        try db.execute(
          sql: """
            DELETE FROM storage
            WHERE owner = ? AND meter = ? AND key GLOB 'user/*' AND NOT key GLOB 'user/secret/*'
            """, arguments: [session.owner, key])
      }
      return try meters.meter(uuid)
    }
  }

  /// Ends whose a meter is: what it measures from now on is nobody's until somebody reads it or is assigned to it.
  ///
  /// - Parameters:
  ///   - slot: Only this user slot; nil ends it for everybody.
  ///   - now: The host's clock, which has to be trusted.
  /// - Returns: The meter as it is then; nil when this gateway does not know it, or has not read it yet.
  /// - Throws: ``StoreError``.
  public func unassignMeter(
    _ uuid: UUID, slot: UInt16?, nowMicroseconds now: Int64
  ) throws(StoreError) -> StoredMeter? {
    try transaction { db in
      let meters = MeterTable(db: db)
      guard let key = try meters.storageKey(of: uuid) else { return nil }
      try db.execute(
        sql: "UPDATE assignment SET until_us = ?1 WHERE meter = ?2 AND until_us IS NULL AND (?3 IS NULL OR slot = ?3)",
        arguments: [now, key, slot.map { Int($0) }])
      return try meters.meter(uuid)
    }
  }
}

/// Who has had a meter, and when.
private struct AssignmentTable {
  private struct Row {
    let id: Int64
    let owner: String
    let slot: UInt16?
    let since: Int64?
    let until: Int64?

    /// Whether both could mean the same readings: a whole meter conflicts with each of its slots.
    func conflicts(with slot: UInt16?) -> Bool { slot == nil || self.slot == nil || self.slot == slot }
  }

  let db: Database
  let owner: String
  let meter: String

  func assignment(_ request: AssignmentRequest) throws -> GrantedAssignment {
    let rows = try fetch()
    let mine = rows.last { $0.owner == owner && $0.until == nil }
    let slot = request.slot ?? mine?.slot
    let others = rows.filter { $0.owner != owner && $0.conflicts(with: slot) }
    let since: Int64?
    if let mine {
      since = request.wantsHistory ? nil : mine.since
      try db.execute(
        sql: "UPDATE assignment SET slot = ?, since_us = ? WHERE id = ?",
        arguments: [slot.map { Int($0) }, since, mine.id])
    } else if let now = request.nowMicroseconds {
      since = request.wantsHistory ? nil : now
      try db.execute(
        sql: "INSERT INTO assignment (meter, owner, slot, since_us) VALUES (?, ?, ?, ?)",
        arguments: [meter, owner, slot.map { Int($0) }, since])
    } else {
      // When the assignment began cannot be said: nothing with a time of its own is taken until it can.
      since = request.wantsHistory ? nil : .max
    }
    if let now = request.nowMicroseconds {
      for other in others where other.until == nil {
        try db.execute(sql: "UPDATE assignment SET until_us = ? WHERE id = ?", arguments: [now, other.id])
      }
    }
    let now = request.nowMicroseconds ?? .max
    let assignment = MeterAssignment(
      slot: slot, sinceMicroseconds: since,
      othersMicroseconds: others.map { ($0.since ?? .min)..<max($0.until ?? now, $0.since ?? .min) })
    return GrantedAssignment(
      assignment: assignment, opensHistory: request.wantsHistory && mine.map { $0.since != nil } ?? true,
      isPostponed: mine == nil && request.nowMicroseconds == nil)
  }

  private func fetch() throws -> [Row] {
    try GRDB.Row.fetchAll(
      db, sql: "SELECT id, owner, slot, since_us, until_us FROM assignment WHERE meter = ? ORDER BY id",
      arguments: [meter]
    ).map { row in
      Row(
        id: row["id"], owner: row["owner"], slot: (row["slot"] as Int?).flatMap { UInt16(exactly: $0) },
        since: row["since_us"], until: row["until_us"])
    }
  }
}
