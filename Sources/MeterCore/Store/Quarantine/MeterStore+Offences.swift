internal import Foundation
internal import GRDB

extension MeterStore {
  /// All that drivers have done wrong, by driver, the newest first.
  ///
  /// - Throws: ``StoreError``.
  package func offences() throws(StoreError) -> [DriverOffence] {
    try reading { db in
      try Row.fetchAll(db, sql: "SELECT * FROM offence ORDER BY driver, last_us DESC").map(DriverOffence.init)
    }
  }

  /// What one bundle has done wrong.
  ///
  /// - Throws: ``StoreError``.
  package func offences(of bundle: String) throws(StoreError) -> [DriverOffence] {
    try reading { db in
      try Row.fetchAll(db, sql: "SELECT * FROM offence WHERE bundle = ?", arguments: [bundle]).map(DriverOffence.init)
    }
  }

  /// Changes what one bundle has done wrong; the change and what it rests on are one transaction.
  ///
  /// - Parameter change: Gets what is known, and gives what is to be known from now on.
  /// - Returns: What is known from now on.
  /// - Throws: ``StoreError``.
  @discardableResult
  package func changeOffences(
    of bundle: String, _ change: ([DriverOffence]) -> [DriverOffence]
  ) throws(StoreError) -> [DriverOffence] {
    try transaction { db in
      let before = try Row.fetchAll(db, sql: "SELECT * FROM offence WHERE bundle = ?", arguments: [bundle])
        .map(DriverOffence.init)
      let after = change(before)
      guard after != before else { return after }
      try db.execute(sql: "DELETE FROM offence WHERE bundle = ?", arguments: [bundle])
      for offence in after { try offence.insert(db) }
      return after
    }
  }

  /// Forgets what happened last before a time with single meters, whatever the bundle.
  ///
  /// - Throws: ``StoreError``.
  package func forgetOffencesOfMeters(before microseconds: Int64) throws(StoreError) {
    try transaction { db in
      try db.execute(sql: "DELETE FROM offence WHERE meter <> '' AND last_us < ?", arguments: [microseconds])
    }
  }

  /// Whether a meter has brought readings to this gateway before.
  ///
  /// - Throws: ``StoreError``.
  package func isKnown(_ meter: MeterIdentity) throws(StoreError) -> Bool {
    try reading { db in
      try Bool.fetchOne(
        db, sql: "SELECT EXISTS (SELECT 1 FROM known_meter WHERE meter = ?)", arguments: [meter.storageKey]) ?? false
    }
  }

  /// Remembers that a meter has brought readings.
  ///
  /// - Throws: ``StoreError``.
  package func setKnown(_ meter: MeterIdentity) throws(StoreError) {
    guard try !isKnown(meter) else { return }
    try transaction { db in
      try db.execute(sql: "INSERT OR IGNORE INTO known_meter (meter) VALUES (?)", arguments: [meter.storageKey])
    }
  }
}

extension DriverOffence {
  init(_ row: Row) throws {
    let meter: String = try row["meter"]
    try self.init(
      bundle: row["bundle"], driver: row["driver"],
      meter: meter.isEmpty ? nil : OffendedMeter(key: meter, name: row["meter_name"], isKnown: row["meter_known"]),
      count: row["count"], firstMicroseconds: row["first_us"], lastMicroseconds: row["last_us"],
      setAsideMicroseconds: row["set_aside_us"], untilMicroseconds: row["until_us"], code: row["code"],
      rule: row["rule"], message: row["message"], recording: row["recording"])
  }

  fileprivate func insert(_ db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO offence (
          bundle, meter, driver, meter_name, meter_known, count, first_us, last_us, set_aside_us, until_us, code, rule,
          message, recording
        ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        bundle, meter?.key ?? "", driver, meter?.name ?? "", meter?.isKnown ?? false, count, firstMicroseconds,
        lastMicroseconds, setAsideMicroseconds, untilMicroseconds, code, rule, message, recording,
      ])
  }
}
