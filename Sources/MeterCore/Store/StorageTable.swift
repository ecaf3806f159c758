internal import Foundation
internal import GRDB

/// The keys of one driver family at one meter (R23).
struct StorageTable {
  let db: Database
  let session: SessionRow
  let family: String
  let meter: MeterIdentity

  static let valueLimit = 4 * 1024
  static let meterLimit = 64 * 1024
  static let keyLimit = 256

  func apply(_ writes: [StorageWrite]) throws {
    guard !writes.isEmpty else { return }
    for write in writes { try apply(write) }
    let size =
      try Int.fetchOne(
        db,
        sql: """
          SELECT sum(length(CAST(key AS BLOB)) + length(value)) FROM storage
          WHERE owner IN ('', ?) AND family = ? AND meter = ?
          """, arguments: [session.owner, family, meter.storageKey]) ?? 0
    guard size <= Self.meterLimit else {
      throw StoreError(
        .storageLimit,
        "driver family \(family) wants to keep \(size) bytes for one meter, more than \(Self.meterLimit) (R23); "
          + "the driver is faulty, tell its publisher.")
    }
  }

  private func apply(_ write: StorageWrite) throws {
    let owner = try owner(of: write.key)
    guard write.value.count <= Self.valueLimit else {
      throw StoreError(
        .storageLimit,
        "driver family \(family) wants to keep \(write.value.count) bytes under \(write.key), more than "
          + "\(Self.valueLimit) (R23); the driver is faulty, tell its publisher.")
    }
    if write.value.isEmpty {
      try db.execute(
        sql: "DELETE FROM storage WHERE owner = ? AND family = ? AND meter = ? AND key = ?",
        arguments: [owner, family, meter.storageKey, write.key])
    } else {
      try db.execute(
        sql: """
          INSERT INTO storage (owner, family, meter, key, value) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET value = excluded.value
          """, arguments: [owner, family, meter.storageKey, write.key, Data(write.value)])
    }
  }

  private func owner(of key: String) throws -> String {
    guard key.utf8.count <= Self.keyLimit else {
      throw StoreError(
        .storageKey, "driver family \(family) uses a storage key longer than \(Self.keyLimit) bytes (R23).")
    }
    if key.hasPrefix("meter/") { return "" }
    if key.hasPrefix("user/") { return session.owner }
    throw StoreError(
      .storageKey,
      "driver family \(family) uses the storage key \(key.prefix(64)); keys start with user/ or meter/ (R23).")
  }

  func fetch() throws -> [String: [UInt8]] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT key, value FROM storage WHERE owner IN ('', ?) AND family = ? AND meter = ?",
      arguments: [session.owner, family, meter.storageKey])
    return Dictionary(
      rows.map { ($0["key"] as String, Array($0["value"] as Data)) }, uniquingKeysWith: { first, _ in first })
  }
}

extension MeterStore {
  /// The keys of a driver family at a meter, for preloading a driver session (R23).
  ///
  /// - Throws: ``StoreError/Code/staleGeneration`` when the user has changed.
  public func storage(
    generation: SessionGeneration, family: String, meter: MeterIdentity
  ) throws(StoreError) -> [String: [UInt8]] {
    try reading { db in
      let session = try SessionRow.fetch(db)
      guard generation == session.generation, session.ending == nil else {
        throw StoreError.staleGeneration(read: generation, current: session.generation)
      }
      return try StorageTable(db: db, session: session, family: family, meter: meter).fetch()
    }
  }

  /// What the host remembers about a meter at an address, such as its GATT database.
  public func cached(_ name: String, address: String) throws(StoreError) -> [UInt8]? {
    try reading { db in
      try Data.fetchOne(
        db, sql: "SELECT value FROM meter_cache WHERE address = ? AND name = ?", arguments: [address, name]
      ).map { Array($0) }
    }
  }

  /// Remembers something about the meter at an address; nil forgets it.
  public func setCached(_ value: [UInt8]?, _ name: String, address: String) throws(StoreError) {
    try transaction { db in
      if let value {
        try db.execute(
          sql: """
            INSERT INTO meter_cache (address, name, value) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET value = excluded.value
            """, arguments: [address, name, Data(value)])
      } else {
        try db.execute(
          sql: "DELETE FROM meter_cache WHERE address = ? AND name = ?", arguments: [address, name])
      }
    }
  }
}
