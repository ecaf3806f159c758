internal import Foundation
internal import GRDB
internal import StrictJSON

/// How much of the queue one meter may fill: what never stops must leave room for everybody else's readings.
///
/// What is there stays, as always; a read that would bring more is refused before it asks the meter for anything.
struct MeterShare: Sendable, Equatable {
  let records: Int
  let bytes: Int64

  /// A quarter of the queue, and never less than one read may bring: where the queue itself is smaller, its own limit is the one that
  /// counts. With the default limits it is half a million readings, one a second for nearly six days.
  init(of limits: QueueLimits) {
    self.init(records: max(limits.records / 4, 20_000), bytes: max(limits.bytes / 4, 32 << 20))
  }

  init(records: Int, bytes: Int64) { (self.records, self.bytes) = (records, bytes) }

  func isFilled(by usage: QueueUsage) -> Bool { usage.records >= records || usage.bytes >= bytes }
}

extension MeterStore {
  /// Checks that a meter leaves room for others.
  ///
  /// It costs a look at every waiting record, and only where more waits than one meter may fill.
  ///
  /// - Throws: ``StoreError/Code/queueFull`` when its share is filled.
  package func checkRoom(for meter: MeterIdentity) throws(StoreError) {
    try checkRoom(for: meter, MeterShare(of: limits))
  }

  func checkRoom(for meter: MeterIdentity, _ share: MeterShare) throws(StoreError) {
    let used = try reading { db -> QueueUsage in
      let none = QueueUsage(records: 0, bytes: 0)
      guard share.isFilled(by: try QueueUsage.fetch(db)) else { return none }
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT count(*) AS records, coalesce(sum(length(content)), 0) AS bytes FROM record WHERE instr(content, ?) > 0
          """, arguments: [meter.contentMark])
      return try row.map { QueueUsage(records: try $0["records"], bytes: try $0["bytes"]) } ?? none
    }
    guard share.isFilled(by: used) else { return }
    throw StoreError(
      .queueFull,
      "\(used.records) readings of this meter wait (\(used.bytes) bytes), and one meter may fill a quarter of the queue, so that "
        + "there is room for others. Nothing of it was read, and it keeps what it has. Bring the receiver back, or look at "
        + "`meterhost queue list` and discard what nobody needs.")
  }
}

extension MeterIdentity {
  /// How the content of each record of this meter names it (``RecordJSON``).
  fileprivate var contentMark: Data {
    var json = JSONWriter(escapes: .foundation)
    json.object { $0.member("deviceID", displayName) }
    return Data(Array("\"source\":".utf8) + json.bytes.dropLast())
  }
}
