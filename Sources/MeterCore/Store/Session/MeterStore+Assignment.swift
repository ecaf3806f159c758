package import Foundation
internal import GRDB
import HostPrimitives

/// What a read wants of a meter's assignment.
package struct AssignmentRequest: Sendable, Hashable {
  /// The meter's user slot that belongs to the session's user; nil leaves it as it is.
  package var slot: UInt16?
  /// Take the readings from before the meter was assigned to the user, too.
  package var wantsHistory: Bool
  /// Read the whole memory again, whatever earlier reads have brought.
  package var rereads: Bool
  /// A person's word comes before what is released.
  package var confirmsFirst: Bool
  /// The host's clock, microseconds since 1970-01-01T00:00Z; nil while it is not to be trusted.
  package var nowMicroseconds: Int64?

  /// A request from its parts.
  package init(
    slot: UInt16? = nil, wantsHistory: Bool = false, rereads: Bool = false, confirmsFirst: Bool = false,
    nowMicroseconds: Int64?
  ) {
    self.slot = slot
    self.wantsHistory = wantsHistory
    self.rereads = rereads
    self.confirmsFirst = confirmsFirst
    self.nowMicroseconds = nowMicroseconds
  }
}

/// What a read may take of a meter.
package struct GrantedAssignment: Sendable, Hashable {
  /// To whom the meter's readings belong; nil without a session: the default user's readings are held anyway.
  package let assignment: MeterAssignment?
  /// Whether this request has opened a part of the meter's memory that earlier reads have passed by: where they stopped
  /// means nothing then.
  package let opensHistory: Bool
  /// Whether nobody can say since when the meter is the user's, or until when it was somebody else's, because the host did not
  /// know the date: what has a time of its own stays in the meter, or is held.
  package let isSinceUnknown: Bool
  /// Readings that were held because the meter's slot that they name was nobody's, which it is no more, and what has become of them.
  package internal(set) var released: [CommitRecord] = []

  init(assignment: MeterAssignment?, opensHistory: Bool, isSinceUnknown: Bool = false) {
    (self.assignment, self.opensHistory, self.isSinceUnknown) = (assignment, opensHistory, isSinceUnknown)
  }
}

extension MeterStore {
  /// To whom a meter's readings belong during a read of the session's user; makes the assignment at the user's first read
  /// of the meter.
  ///
  /// A new assignment ends those of other users, unless both name a slot of the meter and the slots differ. When a user
  /// comes back, a new assignment begins: what somebody else measured in between is nobody's to guess.
  ///
  /// Without a trusted clock it is written who has the meter, and not since when: the next read by a trusted clock gives the
  /// assignment its begin, and those that have ended meanwhile their end. Until then nothing with a time of its own is taken,
  /// and of what is asked for as history, nothing that may be somebody else's is delivered.
  ///
  /// What opens the meter's history, or wants its memory again, also forgets how far the user's reads have come, for good: a read that
  /// breaks off is gone on with from there by the next one. What was held because a slot that is the user's now was nobody's is
  /// released.
  ///
  /// - Throws: ``StoreError/Code/staleGeneration`` when the user has changed.
  package func assignment(
    of meter: MeterIdentity, generation: SessionGeneration, _ request: AssignmentRequest
  ) throws(StoreError) -> GrantedAssignment {
    let granted = try transaction { db in
      let session = try SessionRow.fetch(db)
      guard generation == session.generation, session.ending == nil else {
        throw StoreError.staleGeneration(read: generation, current: session.generation)
      }
      guard session.user != nil else {
        // Nobody's readings can be somebody else's, but where reads have stopped is kept all the same.
        if request.rereads { try StorageTable.forgetCursors(db, owner: session.owner, meter: meter.storageKey) }
        return GrantedAssignment(assignment: nil, opensHistory: false)
      }
      let settings = try MeterTable(db: db).settings(of: meter.peripheralUUID)
      return try Self.grant(
        db, owner: session.owner, meter: meter.storageKey, request, on: settings?.scaleUse ?? .onePerson)
    }
    if !granted.released.isEmpty { announceChange() }
    return granted
  }

  /// Assigns the meter, and does what follows from that.
  private static func grant(
    _ db: Database, owner: String, meter: String, _ request: AssignmentRequest, on scale: ScaleUse
  ) throws -> GrantedAssignment {
    var granted = try AssignmentTable(db: db, owner: owner, meter: meter).assignment(request)
    if granted.opensHistory || request.rereads { try StorageTable.forgetCursors(db, owner: owner, meter: meter) }
    if request.slot != nil, let assignment = granted.assignment {
      granted.released = try SlotRelease(
        db: db, owner: owner, meter: meter, assignment: assignment, confirmsFirst: request.confirmsFirst,
        scale: scale
      ).run()
    }
    return granted
  }
}

extension MeterStore {
  /// Assigns a meter that this gateway knows to the session's user without a read of it.
  ///
  /// What wants the history also forgets how far the user's reads have come: the next one reads the whole memory. What was held
  /// because the slot was nobody's is released.
  ///
  /// - Parameters:
  ///   - slot: The meter's user slot that belongs to the user; nil leaves it as it is.
  ///   - wantsHistory: The readings from before are the user's, too.
  ///   - now: The host's clock, which has to be trusted: it is the moment from which readings are the user's.
  /// - Returns: The meter as it is then; nil when this gateway does not know it, or has not read it yet
  ///   (``StoredMeter/isIdentified``).
  /// - Throws: ``StoreError/Code/staleGeneration`` when the user has changed, or there is none.
  package func assignMeter(
    _ uuid: UUID, slot: UInt16?, wantsHistory: Bool, nowMicroseconds now: Int64, generation: SessionGeneration
  ) throws(StoreError) -> StoredMeter? {
    var hasReleased = false
    let assigned = try transaction { db -> StoredMeter? in
      let session = try SessionRow.fetch(db)
      guard generation == session.generation, session.ending == nil, session.user != nil else {
        throw StoreError.staleGeneration(read: generation, current: session.generation)
      }
      let meters = MeterTable(db: db)
      guard let key = try meters.storageKey(of: uuid) else { return nil }
      let request = AssignmentRequest(
        slot: slot, wantsHistory: wantsHistory, rereads: wantsHistory, nowMicroseconds: now)
      let granted = try Self.grant(
        db, owner: session.owner, meter: key, request,
        on: try meters.settings(of: uuid)?.scaleUse ?? .onePerson)
      hasReleased = !granted.released.isEmpty
      return try meters.meter(uuid)
    }
    if hasReleased { announceChange() }
    return assigned
  }

  /// Ends whose a meter is: what it measures from now on is nobody's until somebody reads it or is assigned to it.
  ///
  /// - Parameters:
  ///   - slot: Only this user slot; nil ends it for everybody.
  ///   - now: The host's clock, which has to be trusted.
  /// - Returns: The meter as it is then; nil when this gateway does not know it, or has not read it yet.
  /// - Throws: ``StoreError``.
  package func unassignMeter(
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
    /// Nil: everything that the meter has measured; ``MeterAssignment/unknownMoment``: nobody knows.
    let since: Int64?
    /// Nil: it goes on; ``MeterAssignment/unknownMoment``: it has ended, and nobody knows when.
    let until: Int64?

    /// What the meter may have measured meanwhile; what is not known is taken as wide as it may be.
    func interval(ending now: Int64) -> Range<Int64> {
      let begin = since.flatMap { $0 == MeterAssignment.unknownMoment ? nil : $0 } ?? .min
      return begin..<max(until ?? now, begin)
    }

    /// Whether both could mean the same readings: a whole meter conflicts with each of its slots.
    func conflicts(with slot: UInt16?) -> Bool { slot == nil || self.slot == nil || self.slot == slot }
  }

  let db: Database
  let owner: String
  let meter: String

  func assignment(_ request: AssignmentRequest) throws -> GrantedAssignment {
    let now = request.nowMicroseconds ?? MeterAssignment.unknownMoment
    try settleEnds(at: now)
    let rows = try fetch()
    let mine = rows.last { $0.owner.isExactly(owner) && $0.until == nil }
    let slot = request.slot ?? mine?.slot
    let others = rows.filter { !$0.owner.isExactly(owner) && $0.conflicts(with: slot) }
    let since = request.wantsHistory ? nil : begin(of: mine, now)
    if let mine {
      try db.execute(
        sql: "UPDATE assignment SET slot = ?, since_us = ? WHERE id = ?",
        arguments: [slot.map { Int($0) }, since, mine.id])
    } else {
      try db.execute(
        sql: "INSERT INTO assignment (meter, owner, slot, since_us) VALUES (?, ?, ?, ?)",
        arguments: [meter, owner, slot.map { Int($0) }, since])
    }
    // Ended without a moment as well: when its user comes back, what was measured in between is not theirs.
    for other in others where other.until == nil {
      try db.execute(sql: "UPDATE assignment SET until_us = ? WHERE id = ?", arguments: [now, other.id])
    }
    let isEndUnknown = others.contains { ($0.until ?? now) == MeterAssignment.unknownMoment }
    return GrantedAssignment(
      assignment: MeterAssignment(
        slot: slot, sinceMicroseconds: since, othersMicroseconds: others.map { $0.interval(ending: now) }),
      opensHistory: request.wantsHistory && mine.map { $0.since != nil } ?? true,
      isSinceUnknown: since == MeterAssignment.unknownMoment || isEndUnknown)
  }

  /// When an assignment began that does not take the history: one that began while the host did not know the date begins as
  /// soon as it does.
  private func begin(of mine: Row?, _ now: Int64) -> Int64? {
    guard let mine, mine.since != MeterAssignment.unknownMoment else { return now }
    return mine.since
  }

  /// What ended while the host did not know the date has ended by now.
  private func settleEnds(at now: Int64) throws {
    guard now != MeterAssignment.unknownMoment else { return }
    try db.execute(
      sql: "UPDATE assignment SET until_us = ? WHERE meter = ? AND until_us = ?",
      arguments: [now, meter, MeterAssignment.unknownMoment])
  }

  private func fetch() throws -> [Row] {
    try GRDB.Row.fetchAll(
      db, sql: "SELECT id, owner, slot, since_us, until_us FROM assignment WHERE meter = ? ORDER BY id",
      arguments: [meter]
    ).map { row in
      try Row(
        id: row["id"], owner: row["owner"], slot: (row["slot"] as Int?).flatMap { UInt16(exactly: $0) },
        since: row["since_us"], until: row["until_us"])
    }
  }
}
