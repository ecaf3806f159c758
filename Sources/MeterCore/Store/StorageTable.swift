internal import Foundation
internal import GRDB
package import HostPrimitives

/// The keys of one driver family at one meter (R23).
struct StorageTable {
  let db: Database
  let vault: Vault
  let session: SessionRow
  let family: String
  let meter: MeterIdentity

  static let valueLimit = 4 * 1024
  static let meterLimit = 64 * 1024
  static let keyLimit = 256
  /// `StorageName.isSecret`, which is by bytes as well, for SQL.
  static let isSecret = "(key GLOB 'user/secret/*' OR key GLOB 'meter/secret/*')"

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
      let value =
        StorageName.isSecret(write.key) ? try sealed(write.value, write.mark, owner, write.key) : Data(write.value)
      try db.execute(
        sql: """
          INSERT INTO storage (owner, family, meter, key, value) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET value = excluded.value
          """, arguments: [owner, family, meter.storageKey, write.key, value])
    }
  }

  /// What names the row of a secret: nothing of it may be exchanged.
  struct SecretRow {
    let owner: String
    let family: String
    let meter: String
    let key: String

    var parts: [String] { ["storage", owner, family, meter, key] }
  }

  /// Forgets how far a user's reads of a meter have come, of whatever family: secrets stay, and so does what a meter was told is safe and
  /// no reading has been made of.
  static func forgetCursors(_ db: Database, owner: String, meter: String) throws {
    try db.execute(
      sql: """
        DELETE FROM storage WHERE owner = ? AND meter = ? AND key GLOB 'user/*' AND NOT \(isSecret)
          AND NOT key GLOB 'user/pending/*'
        """, arguments: [owner, meter])
  }

  private func sealed(_ value: [UInt8], _ mark: Vault.Mark, _ owner: String, _ key: String) throws -> Data {
    let row = SecretRow(owner: owner, family: family, meter: meter.storageKey, key: key)
    return try vault.seal(value, mark, for: row.parts, mayMakeKey: try !CredentialTable.holdsSecrets(db))
  }

  private func owner(of key: String) throws -> String {
    guard key.utf8.count <= Self.keyLimit else {
      throw StoreError(
        .storageKey, "driver family \(family) uses a storage key longer than \(Self.keyLimit) bytes (R23).")
    }
    if StorageName.isMeters(key) { return "" }
    if StorageName.isUsers(key) { return session.owner }
    throw StoreError(
      .storageKey,
      "driver family \(family) uses the storage key \(key.prefix(64)); keys start with user/ or meter/ (R23).")
  }

  /// The keys that a session preloads; secrets are not among them.
  func fetch() throws -> [ExactText: [UInt8]] {
    let rows = try rows().filter { !StorageName.isSecret(try $0["key"]) }
    return try Dictionary(
      rows.map { (ExactText(try $0["key"]), Array(try $0["value"] as Data)) }, uniquingKeysWith: { first, _ in first })
  }

  /// The secrets of the family at the meter.
  func fetchSecrets() throws -> [ExactText: StoredSecret] {
    var secrets: [ExactText: StoredSecret] = [:]
    for row in try rows() where StorageName.isSecret(try row["key"]) {
      let name = try SecretRow(owner: row["owner"], family: family, meter: meter.storageKey, key: row["key"])
      let (bytes, mark): ([UInt8], Vault.Mark)
      let value: Data = try row["value"]
      do throws(StoreError) { (bytes, mark) = try vault.open(value, for: name.parts) } catch {
        guard Self.mayLieInTheClear(name.key) else { throw error }
        continue
      }
      secrets[ExactText(name.key)] = StoredSecret(bytes: bytes, isDriversOwn: mark == .driver)
    }
    return secrets
  }

  /// Whether earlier versions took a secret for an ordinary key, and kept it in the clear: they compared letters, and a mark behind the
  /// slash makes another letter of it. What nothing has sealed could be anybody's; the driver finds none and makes another one.
  static func mayLieInTheClear(_ key: String) -> Bool {
    !["user/secret/", "meter/secret/"].contains(where: key.hasPrefix)
  }

  private func rows() throws -> [Row] {
    try Row.fetchAll(
      db, sql: "SELECT owner, key, value FROM storage WHERE owner IN ('', ?) AND family = ? AND meter = ?",
      arguments: [session.owner, family, meter.storageKey])
  }
}

extension MeterStore {
  /// The keys of a driver family at a meter, for preloading a driver session (R23). Secrets are not among them.
  ///
  /// - Throws: ``StoreError/Code/staleGeneration`` when the user has changed.
  package func storage(
    generation: SessionGeneration, family: String, meter: MeterIdentity
  ) throws(StoreError) -> [String: [UInt8]] {
    Self.texts(try storageKeys(generation: generation, family: family, meter: meter))
  }

  /// The same, told apart by the bytes of their names, as drivers do it.
  package func storageKeys(
    generation: SessionGeneration, family: String, meter: MeterIdentity
  ) throws(StoreError) -> [ExactText: [UInt8]] {
    try storageTable(generation, family, meter) { table in try table.fetch() }
  }

  /// The secrets of a driver family at a meter: keys under `user/secret/` and `meter/secret/`, which stay in the host.
  ///
  /// - Throws: ``StoreError/Code/staleGeneration``, ``StoreError/Code/vaultKey``, ``StoreError/Code/vault``.
  package func secrets(
    generation: SessionGeneration, family: String, meter: MeterIdentity
  ) throws(StoreError) -> [String: StoredSecret] {
    Self.texts(try secretKeys(generation: generation, family: family, meter: meter))
  }

  /// The same, told apart by the bytes of their names, as drivers do it.
  package func secretKeys(
    generation: SessionGeneration, family: String, meter: MeterIdentity
  ) throws(StoreError) -> [ExactText: StoredSecret] {
    try storageTable(generation, family, meter) { table in try table.fetchSecrets() }
  }

  private static func texts<Value>(_ keys: [ExactText: Value]) -> [String: Value] {
    Dictionary(keys.map { ($0.key.text, $0.value) }) { first, _ in first }
  }

  /// Keeps a secret that a person entered for a driver, in a transaction of its own; nil removes it.
  ///
  /// - Throws: ``StoreError/Code/staleGeneration``, ``StoreError/Code/storageKey``, ``StoreError/Code/vaultKey``.
  package func keepSecret(
    _ value: [UInt8]?, as key: String, generation: SessionGeneration, family: String, meter: MeterIdentity
  ) throws(StoreError) {
    guard StorageName.isSecret(key) else {
      throw StoreError(.storageKey, "\(key) is no name for a secret; they start with user/secret/ or meter/secret/.")
    }
    let vault = vault
    try transaction { db in
      let session = try SessionRow.fetch(db)
      guard generation == session.generation, session.ending == nil else {
        throw StoreError.staleGeneration(read: generation, current: session.generation)
      }
      try StorageTable(db: db, vault: vault, session: session, family: family, meter: meter)
        .apply([StorageWrite(key: key, value: value ?? [], mark: .host)])
    }
  }

  private func storageTable<Value>(
    _ generation: SessionGeneration, _ family: String, _ meter: MeterIdentity, _ body: (StorageTable) throws -> Value
  ) throws(StoreError) -> Value {
    let vault = vault
    return try reading { db in
      let session = try SessionRow.fetch(db)
      guard generation == session.generation, session.ending == nil else {
        throw StoreError.staleGeneration(read: generation, current: session.generation)
      }
      return try body(StorageTable(db: db, vault: vault, session: session, family: family, meter: meter))
    }
  }

  /// What the host remembers about a meter at an address, such as its GATT database.
  package func cached(_ name: String, address: String) throws(StoreError) -> [UInt8]? {
    try reading { db in
      try Data.fetchOne(
        db, sql: "SELECT value FROM meter_cache WHERE address = ? AND name = ?", arguments: [address, name]
      ).map { Array($0) }
    }
  }

  /// Remembers something about the meter at an address; nil forgets it.
  package func setCached(_ value: [UInt8]?, _ name: String, address: String) throws(StoreError) {
    try transaction { db in
      if let value {
        try db.execute(
          sql: """
            INSERT INTO meter_cache (address, name, value) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET value = excluded.value
            """, arguments: [address, name, Data(value)])
        try Self.boundCache(db, keeping: address)
      } else {
        try db.execute(
          sql: "DELETE FROM meter_cache WHERE address = ? AND name = ?", arguments: [address, name])
      }
    }
  }

  /// How many things are remembered of meters that are neither paired nor were read, of which any device may be one.
  static let strangerCacheLimit = 1_024

  private static func boundCache(_ db: Database, keeping address: String) throws {
    let isStranger = """
      address <> ?1 AND address NOT IN (
        SELECT address FROM meter WHERE address IS NOT NULL AND (paired_us IS NOT NULL OR read_us IS NOT NULL))
      """
    // The first count is cheap, and mostly enough.
    let all = try Int.fetchOne(db, sql: "SELECT count(*) FROM meter_cache") ?? 0
    guard all > strangerCacheLimit else { return }
    let count =
      try Int.fetchOne(db, sql: "SELECT count(*) FROM meter_cache WHERE \(isStranger)", arguments: [address]) ?? 0
    guard count > strangerCacheLimit else { return }
    // Nothing says which is the oldest, and each costs one discovery.
    try db.execute(
      sql: """
        DELETE FROM meter_cache WHERE (address, name) IN (
          SELECT address, name FROM meter_cache WHERE \(isStranger) LIMIT ?2)
        """, arguments: [address, count - strangerCacheLimit])
  }
}
