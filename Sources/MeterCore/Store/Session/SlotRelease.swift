internal import Foundation
internal import GRDB
internal import HostPrimitives

/// Releases what was held only because the meter's user slot that it names was nobody's, once that slot is the session's user's.
///
/// Each reading is judged as a read would judge it now: what another user of this gateway may have measured goes on waiting, and so
/// does what is held for what it is.
struct SlotRelease {
  let db: Database
  let owner: String
  /// The meter's name in the tables.
  let meter: String
  let assignment: MeterAssignment
  /// The caller wants a person's word before anything is delivered.
  let confirmsFirst: Bool
  let scale: ScaleUse

  /// - Returns: The readings that are held for want of an owner no more, with what has become of them.
  func run() throws -> [CommitRecord] {
    guard let slot = assignment.slot else { return [] }
    // By the index of what does not wait for a receiver.
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT DISTINCT record.id AS id, log_id, content FROM delivery JOIN record ON record.id = delivery.record
        WHERE state = 'held' AND state <> 'pending' AND delivery.reason = ? AND owner = ? AND suspect = 0
        ORDER BY record.id
        """, arguments: [HoldReason.unknownOwner.rawValue, owner])
    return try rows.compactMap { row -> CommitRecord? in
      let (id, content): (Int64, Data) = (try row["id"], try row["content"])
      // What a person has changed waits for their word.
      guard let record = RecordCoding.intact(content, named: LogID(try row["log_id"] as String)),
        record.origin == .device, record.deviceUser == Int(slot), record.source.isOf(meter)
      else { return nil }
      let disposition = try judge(record, row: id)
      guard try release(row: id, disposition) else { return nil }
      return CommitRecord(record: record, disposition: disposition)
    }
  }

  private func judge(_ record: Record, row: Int64) throws -> Disposition {
    let start = record.time.startMicroseconds
    let others = assignment.othersMicroseconds
    // What came without a time was of now when it came; by now that is a moment like any other.
    if others.contains(where: { $0.contains(start) }) { return .held(.unknownOwner) }
    let isOfNow = record.time.kind == .none && record.identityClass != .stored
    if isOfNow, record.flags.contains(.clockSuspect), !others.isEmpty { return .held(.unknownOwner) }
    var problem: HoldReason?
    if record.flags.contains(.clockSuspect) {
      problem = try ArrivalMark.fetch(db, record: row) == nil ? .clockSuspect : .hostClockUnsynchronized
    }
    if let reason = RecordChecks.hold(of: record, timing: problem) { return .held(reason) }
    if let since = assignment.sinceMicroseconds, start < since, !isOfNow { return .held(.notAskedFor) }
    if confirmsFirst { return .held(.awaitingConfirmation) }
    return try WeightTable(db: db, owner: owner).judge(record, .pending, on: scale)
  }

  /// - Returns: Whether it is held for want of an owner no more.
  private func release(row: Int64, _ disposition: Disposition) throws -> Bool {
    let reason: HoldReason?
    switch disposition {
    case .pending: reason = nil
    case .held(let other): reason = other
    case .excluded: return false
    }
    guard reason != .unknownOwner else { return false }
    try db.execute(
      sql: "UPDATE delivery SET state = ?, reason = ? WHERE state = 'held' AND reason = ? AND record = ?",
      arguments: [reason == nil ? "pending" : "held", reason?.rawValue, HoldReason.unknownOwner.rawValue, row])
    return db.changesCount > 0
  }
}

extension RecordSource {
  /// Whether a record of this source is of the meter that the tables know by this name: what names the meter in the record is the
  /// serial number, the System ID or the address, whichever it is known by.
  fileprivate func isOf(_ meter: String) -> Bool {
    let systemID = [UInt8](hexadecimal: deviceID.utf8)
    return [
      MeterIdentity(serial: deviceID, model: model, systemID: nil, address: deviceID),
      MeterIdentity(serial: deviceID, model: nil, systemID: nil, address: deviceID),
      MeterIdentity(serial: nil, model: nil, systemID: systemID, address: deviceID),
      MeterIdentity(serial: nil, model: nil, systemID: nil, address: deviceID),
    ].contains { $0.storageKey == meter }
  }
}
