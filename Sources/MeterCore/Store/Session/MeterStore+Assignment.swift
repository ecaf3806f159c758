internal import GRDB

/// What a read wants of a meter's assignment (C15).
public struct AssignmentRequest: Sendable, Hashable {
  /// The meter's user slot that belongs to the session's user; nil leaves it as it is.
  public var slot: UInt16?
  /// Take the readings from before the meter was assigned to the user, too.
  public var wantsHistory: Bool
  /// The host's clock, microseconds since 1970-01-01T00:00Z; nil while it is not to be trusted (C16).
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
  /// To whom the meter's readings belong; nil without a session: the default user's readings are held anyway (C3).
  public let assignment: MeterAssignment?
  /// Whether this request has opened a part of the meter's memory that earlier reads have passed by: where they stopped
  /// means nothing then.
  public let opensHistory: Bool
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
      assignment: assignment, opensHistory: request.wantsHistory && mine.map { $0.since != nil } ?? true)
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
