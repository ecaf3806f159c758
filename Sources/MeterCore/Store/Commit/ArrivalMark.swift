internal import GRDB

/// When since a boot a reading came whose date the host did not know. As long as there is a mark, the reading's time is
/// not known, whatever it is held for.
struct ArrivalMark {
  let bootID: String
  let bootMicroseconds: Int64

  /// Of a reading that came in a boot that nobody knows any more: a person has to give it its time.
  static let unknown = ArrivalMark(bootID: "", bootMicroseconds: 0)

  /// Of a reading that has come just now.
  static func now(_ time: RecordTime) -> ArrivalMark {
    let clock = BootClock.now
    return ArrivalMark(
      bootID: clock.bootID, bootMicroseconds: clock.bootMicroseconds(of: time.startMicroseconds))
  }

  static func fetch(_ db: Database, record: Int64) throws -> ArrivalMark? {
    let row = try Row.fetchOne(
      db.cachedStatement(sql: "SELECT boot_id, boot_us FROM untimed WHERE record = ?"), arguments: [record])
    return try row.map { try ArrivalMark(bootID: $0["boot_id"], bootMicroseconds: $0["boot_us"]) }
  }

  func insert(_ db: Database, record: Int64) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO untimed VALUES (?, ?, ?)", arguments: [record, bootID, bootMicroseconds])
  }
}
