internal import Foundation
internal import GRDB
import HostPrimitives

extension MeterStore {
  private static let waitSetting = "sink_wait:"

  /// The receivers to which nothing is sent at this moment because they have asked for it or attempts have failed, with the
  /// longer of the waits of readings and images.
  package func sinkWaits(at clock: BootClock = .now) throws(StoreError) -> [String: SinkWait] {
    try reading { db in
      var waits: [String: SinkWait] = [:]
      for sink in try SinkRow.names(db) {
        let open = try SinkWait.Lane.allCases.compactMap { try Self.sinkWait(db, sink, $0) }
          .filter { $0.left(at: clock) > .zero }
        waits[sink] = open.max { $0.left(at: clock) < $1.left(at: clock) }
      }
      return waits
    }
  }

  func sinkWait(_ sink: String, _ lane: SinkWait.Lane) throws(StoreError) -> SinkWait? {
    try reading { db in try Self.sinkWait(db, sink, lane) }
  }

  private static func sinkWait(_ db: Database, _ sink: String, _ lane: SinkWait.Lane) throws -> SinkWait? {
    let text = try String.fetchOne(
      db.cachedStatement(sql: "SELECT value FROM setting WHERE name = ?"), arguments: [name(sink, lane)])
    // A wait of another version, or a damaged one, keeps nothing back.
    return text.flatMap { try? JSONDecoder().decode(SinkWait.self, from: Data($0.utf8)) }
  }

  func setSinkWait(_ wait: SinkWait?, sink: String, _ lane: SinkWait.Lane) throws(StoreError) {
    try transaction(.repetition) { db in try Self.setSinkWait(db, wait, sink: sink, lane) }
  }

  static func setSinkWait(_ db: Database, _ wait: SinkWait?, sink: String, _ lane: SinkWait.Lane) throws {
    guard let wait else {
      return try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name(sink, lane)])
    }
    let text = String(decoding: try JSONEncoder().encode(wait), as: UTF8.self)
    try db.execute(
      sql: "INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      arguments: [name(sink, lane), text])
  }

  /// Forgets a receiver's waits: it is reached in another way or with another token from now on, or a person says that it is
  /// back.
  static func forgetWaits(_ db: Database, sink: String) throws {
    for lane in SinkWait.Lane.allCases {
      try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name(sink, lane)])
    }
    for table in ["delivery", "media_delivery"] {
      try db.execute(
        sql: """
          UPDATE \(table) SET next_try_us = NULL
          WHERE sink = ? AND state = 'pending' AND attempts > 0 AND next_try_us IS NOT NULL
          """, arguments: [sink])
    }
  }

  /// Keeps what a receiver has answered when it was asked about the token that it gets.
  static func note(_ answer: TokenAnswer, _ db: Database, sink: String) throws {
    if let wait = answer.wait { try setSinkWait(db, wait, sink: sink, .records) }
    if let skew = answer.skew { try noteClockSkew(db, skew, sink: sink) }
  }

  /// Forgets a receiver's waits.
  func forgetWaits(sink: String) throws(StoreError) {
    try transaction { db in try Self.forgetWaits(db, sink: sink) }
  }

  private static func name(_ sink: String, _ lane: SinkWait.Lane) -> String { "\(waitSetting)\(lane.rawValue):\(sink)" }

  /// Readings that have failed and wait by themselves, and how long still by the date.
  ///
  /// - Parameter longest: A date that has gone back makes no wait longer than this.
  func postponed(sink: String, now: Int64, longest: Duration) throws(StoreError) -> [(logID: LogID, left: Duration)] {
    try reading { db in
      let rows = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT log_id, next_try_us FROM delivery JOIN record ON record.id = delivery.record
            WHERE sink = ? AND state = 'pending' AND attempts > 0 AND next_try_us > ? LIMIT 10000
            """), arguments: [sink, now])
      return try rows.compactMap { row in
        let left = Self.left(until: try row["next_try_us"], at: now, longest)
        return LogID(try row["log_id"]).map { ($0, left) }
      }
    }
  }

  /// Images that have failed and whose wait nobody has forgotten, with what the last attempt came to, as
  /// ``postponed(sink:now:longest:)`` has the readings. Those whose time has come are among them, with nothing left.
  func postponedImages(
    sink: String, now: Int64, longest: Duration
  ) throws(StoreError) -> [(row: Int64, left: Duration, error: String)] {
    try reading { db in
      let rows = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT media, next_try_us, last_error FROM media_delivery
            WHERE sink = ? AND state = 'pending' AND attempts > 0 AND next_try_us IS NOT NULL LIMIT 10000
            """), arguments: [sink])
      return try rows.map { row in
        let (image, next): (Int64, Int64) = (try row["media"], try row["next_try_us"])
        let error: String? = try row["last_error"]
        return (row: image, left: Self.left(until: next, at: now, longest), error: error ?? "")
      }
    }
  }

  private static func left(until moment: Int64, at now: Int64, _ longest: Duration) -> Duration {
    guard moment > now else { return .zero }
    let (left, overflows) = moment.subtractingReportingOverflow(now)
    return overflows ? longest : min(.microseconds(left), longest)
  }

  /// Which token a sink has, as a number that no other one has had there; nil for a sink that is gone.
  func tokenSerial(of sink: String) throws(StoreError) -> Int64? {
    try reading { db in
      try Int64.fetchOne(
        db.cachedStatement(sql: "SELECT token_serial FROM sink WHERE name = ?"), arguments: [sink])
    }
  }
}
