internal import Foundation
internal import GRDB

/// The table of meters that this gateway knows.
struct MeterTable {
  let db: Database

  static func name(_ uuid: UUID) -> String { uuid.uuidString.lowercased() }

  /// Adds a meter or brings it up to date; what is set for it stays.
  func note(_ sighting: MeterSighting, now: Int64) throws {
    try db.execute(
      sql: """
        INSERT INTO meter (
          uuid, storage_key, peripheral, address, address_kind, first_us, last_us, read_us, name
        ) VALUES (:uuid, :key, :peripheral, :address, :kind, :now, :now, :read, :name)
        ON CONFLICT DO UPDATE SET
          storage_key = excluded.storage_key, peripheral = excluded.peripheral, address = excluded.address,
          address_kind = CASE WHEN address = excluded.address
            THEN coalesce(excluded.address_kind, address_kind) ELSE excluded.address_kind END,
          first_us = coalesce(first_us, excluded.first_us),
          last_us = excluded.last_us, read_us = coalesce(excluded.read_us, read_us), name = excluded.name
        """,
      arguments: [
        "uuid": Self.name(sighting.meter.peripheralUUID), "key": sighting.meter.storageKey,
        "peripheral": Int64(sighting.peripheral), "address": sighting.address,
        "kind": sighting.addressKind?.rawValue, "now": now, "read": sighting.isRead ? now : nil,
        "name": sighting.meter.displayName,
      ])
  }

  func setPaired(_ uuid: UUID, since: Int64, bond: BondPlace) throws {
    try db.execute(
      sql: "UPDATE meter SET paired_us = ?, bond = ? WHERE uuid = ?",
      arguments: [since, bond == .unknown ? nil : bond.rawValue, Self.name(uuid)])
  }

  func set(_ settings: MeterSettings, of uuid: UUID) throws {
    try db.execute(
      sql: """
        UPDATE meter SET sync_clock = ?, hold_off = ?, chosen = ?, weighs_anybody = ?, read_again = ? WHERE uuid = ?
        """,
      arguments: [
        settings.syncsClock.map { $0 ? 1 : 0 }, settings.holdOffSeconds, settings.peripheral.map { Int64($0) },
        settings.weighsAnybody.map { $0 ? 1 : 0 }, settings.readAgainSeconds, Self.name(uuid),
      ])
  }

  func all() throws -> [StoredMeter] {
    let owners = try Dictionary(grouping: openAssignments(), by: \.meter)
    return try Row.fetchAll(db, sql: Self.select + " ORDER BY name, uuid").compactMap { row in
      StoredMeter(row, owners: owners[row["storage_key"] ?? ""] ?? [])
    }
  }

  func meter(_ uuid: UUID) throws -> StoredMeter? {
    try Row.fetchOne(db, sql: Self.select + " WHERE uuid = ?", arguments: [Self.name(uuid)]).flatMap(described)
  }

  func meter(atAddress address: String, _ kind: MeterAddressKind) throws -> StoredMeter? {
    try Row.fetchOne(
      db,
      sql: Self.select
        + " WHERE address = ? AND (address_kind IS NULL OR address_kind = ?) ORDER BY last_us DESC LIMIT 1",
      arguments: [address.uppercased(), kind.rawValue]
    ).flatMap(described)
  }

  func settings(of uuid: UUID) throws -> MeterSettings? {
    try Row.fetchOne(
      db.cachedStatement(
        sql: "SELECT sync_clock, hold_off, chosen, weighs_anybody, read_again FROM meter WHERE uuid = ?"),
      arguments: [Self.name(uuid)]
    ).map(MeterSettings.init)
  }

  /// The name under which other tables file what is the meter's; nil where nobody knows it.
  func storageKey(of uuid: UUID) throws -> String? {
    try String.fetchOne(db, sql: "SELECT storage_key FROM meter WHERE uuid = ?", arguments: [Self.name(uuid)])
  }

  func forget(_ meter: StoredMeter) throws {
    let name = Self.name(meter.uuid)
    let key = try storageKey(of: meter.uuid)
    try db.execute(sql: "DELETE FROM meter WHERE uuid = ?", arguments: [name])
    try db.execute(sql: "DELETE FROM credential WHERE scope = 'meter' AND subject = ?", arguments: [name])
    if let key {
      try db.execute(
        sql: """
          DELETE FROM storage WHERE meter = ? AND (key GLOB 'user/secret/*' OR key GLOB 'meter/secret/*')
          """, arguments: [key])
    }
    guard let address = meter.address else { return }
    try db.execute(sql: "DELETE FROM meter_cache WHERE address = ?", arguments: [address])
    // An address may have become another meter's, with a bond of its own.
    try db.execute(
      sql: """
        DELETE FROM credential WHERE scope = 'bond' AND \(Self.isBond(of: "?1"))
          AND NOT EXISTS (SELECT 1 FROM meter WHERE address = ?1 AND paired_us IS NOT NULL)
        """, arguments: [address])
  }

  /// Forgets meters that were met and left nothing behind, and the oldest of too many. Where no clock says how old one is,
  /// it goes first.
  func forgetStrangers(before microseconds: Int64, limit: Int) throws {
    let isFree = """
      paired_us IS NULL AND sync_clock IS NULL AND hold_off IS NULL AND chosen IS NULL AND weighs_anybody IS NULL
      AND read_again IS NULL
      """
    let isMissed = """
      (read_us IS NOT NULL OR EXISTS (
        SELECT 1 FROM assignment WHERE assignment.meter = meter.storage_key AND until_us IS NULL))
      """
    try db.execute(
      sql: "DELETE FROM meter WHERE \(isFree) AND last_us < ? AND NOT \(isMissed)", arguments: [microseconds])
    let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM meter") ?? 0
    guard count > limit else { return }
    try db.execute(
      sql: """
        DELETE FROM meter WHERE uuid IN (
          SELECT uuid FROM meter WHERE \(isFree) ORDER BY \(isMissed), last_us, uuid LIMIT ?)
        """, arguments: [count - limit])
  }

  private static let select = """
    SELECT *, EXISTS (
      SELECT 1 FROM credential WHERE scope = 'bond' AND \(isBond(of: "meter.address")) AND name = 'key') AS has_bond
    FROM meter
    """

  /// Whether a bond is with an address: its subject is the address, or an adapter's, a slash, and the address.
  private static func isBond(of address: String) -> String {
    "(subject = \(address) OR substr(subject, -length(\(address)) - 1) = '/' || \(address))"
  }

  private func described(_ row: Row) throws -> StoredMeter? {
    let key: String = row["storage_key"] ?? ""
    return StoredMeter(row, owners: try openAssignments().filter { $0.meter == key })
  }

  fileprivate struct OpenAssignment {
    let meter: String
    let owner: MeterOwner
  }

  private func openAssignments() throws -> [OpenAssignment] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT meter, owner, slot, since_us FROM assignment WHERE until_us IS NULL ORDER BY id")
    return rows.compactMap { row in
      guard let user = SessionUser(ownerKey: row["owner"]) else { return nil }
      let slot = (row["slot"] as Int?).flatMap { UInt16(exactly: $0) }
      return OpenAssignment(
        meter: row["meter"], owner: MeterOwner(user: user, slot: slot, sinceMicroseconds: row["since_us"]))
    }
  }
}

extension MeterSettings {
  fileprivate init(_ row: Row) {
    self.init(
      syncsClock: row["sync_clock"], holdOffSeconds: row["hold_off"],
      peripheral: (row["chosen"] as Int64?).flatMap { UInt32(exactly: $0) }, weighsAnybody: row["weighs_anybody"],
      readAgainSeconds: row["read_again"])
  }
}

extension StoredMeter {
  /// Nil for a row whose name is none, as damage may leave it.
  fileprivate init?(_ row: Row, owners: [MeterTable.OpenAssignment]) {
    guard let uuid = UUID(uuidString: row["uuid"]) else { return nil }
    self.uuid = uuid
    name = row["name"]
    peripheral = (row["peripheral"] as Int64?).flatMap { UInt32(exactly: $0) }
    address = row["address"]
    addressKind = (row["address_kind"] as String?).flatMap(MeterAddressKind.init(rawValue:))
    firstSeenMicroseconds = row["first_us"]
    lastSeenMicroseconds = row["last_us"]
    lastReadMicroseconds = row["read_us"]
    let keeper = (row["bond"] as String?).flatMap(BondPlace.init(rawValue:)) ?? .unknown
    let hasBond: Bool = row["has_bond"]
    pairing = (row["paired_us"] as Int64?).map {
      MeterPairing(sinceMicroseconds: $0, bond: hasBond ? .store : keeper)
    }
    settings = MeterSettings(row)
    self.owners = owners.map(\.owner)
    isIdentified = (row["storage_key"] as String?) != nil
  }
}

extension SessionUser {
  /// The user of an ``ownerKey``; nil for the default user's, and for what is no such key.
  init?(ownerKey: String) {
    let bytes = Array(ownerKey.utf8)
    let prefix = Array("user:".utf8)
    guard bytes.starts(with: prefix), let colon = bytes[prefix.count...].firstIndex(of: UInt8(ascii: ":")),
      let length = Int(String(decoding: bytes[prefix.count..<colon], as: UTF8.self)), length >= 0
    else { return nil }
    let rest = bytes[(colon + 1)...]
    guard rest.count > length, rest[rest.startIndex + length] == UInt8(ascii: ":") else { return nil }
    self.init(
      userID: String(decoding: rest.dropFirst(length + 1), as: UTF8.self),
      organizationID: String(decoding: rest.prefix(length), as: UTF8.self))
  }
}
