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
          uuid, storage_key, peripheral, address, address_kind, first_us, last_us, read_us, name, battery, battery_us,
          firmware
        ) VALUES (
          :uuid, :key, :peripheral, :address, :kind, :now, :now, :read, :name, :battery, iif(:battery IS NULL, NULL, :now),
          :firmware)
        ON CONFLICT DO UPDATE SET
          storage_key = excluded.storage_key, peripheral = excluded.peripheral, address = excluded.address,
          address_kind = CASE WHEN address = excluded.address
            THEN coalesce(excluded.address_kind, address_kind) ELSE excluded.address_kind END,
          first_us = coalesce(first_us, excluded.first_us),
          last_us = excluded.last_us, read_us = coalesce(excluded.read_us, read_us), name = excluded.name,
          battery = coalesce(excluded.battery, battery), battery_us = coalesce(excluded.battery_us, battery_us),
          firmware = coalesce(excluded.firmware, firmware)
        """,
      arguments: [
        "uuid": Self.name(sighting.meter.peripheralUUID), "key": sighting.meter.storageKey,
        "peripheral": Int64(sighting.peripheral), "address": sighting.address,
        "kind": sighting.addressKind?.rawValue, "now": now, "read": sighting.isRead ? now : nil,
        "name": sighting.meter.displayName, "battery": sighting.told.batteryPercent,
        "firmware": sighting.told.firmware,
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
        UPDATE meter SET sync_clock = ?, hold_off = ?, chosen = ?, weighs_anybody = ?, shared = ?, read_again = ?
        WHERE uuid = ?
        """,
      arguments: [
        settings.syncsClock.map { $0 ? 1 : 0 }, settings.holdOffSeconds, settings.peripheral.map { Int64($0) },
        settings.weighsAnybody.map { $0 ? 1 : 0 }, settings.isShared.map { $0 ? 1 : 0 }, settings.readAgainSeconds,
        Self.name(uuid),
      ])
  }

  func all() throws -> [StoredMeter] {
    let owners = try Dictionary(grouping: openAssignments(), by: \.meter)
    return try Row.fetchAll(db, sql: Self.select + " ORDER BY name, uuid").map { row in
      try StoredMeter(row, owners: owners[try row["storage_key"] ?? ""] ?? [])
    }
  }

  func meter(_ uuid: UUID) throws -> StoredMeter? {
    try Row.fetchOne(db, sql: Self.select + " WHERE uuid = ?", arguments: [Self.name(uuid)]).map(described)
  }

  func meter(atAddress address: String, _ kind: MeterAddressKind) throws -> StoredMeter? {
    try Row.fetchOne(
      db,
      sql: Self.select
        + " WHERE address = ? AND (address_kind IS NULL OR address_kind = ?) ORDER BY last_us DESC LIMIT 1",
      arguments: [address.uppercased(), kind.rawValue]
    ).map(described)
  }

  func settings(of uuid: UUID) throws -> MeterSettings? {
    try Row.fetchOne(
      db.cachedStatement(
        sql: "SELECT sync_clock, hold_off, chosen, weighs_anybody, shared, read_again FROM meter WHERE uuid = ?"),
      arguments: [Self.name(uuid)]
    ).map(MeterSettings.init)
  }

  /// Whether any scale is one on which several people stand.
  func hasSharedScale() throws -> Bool {
    try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM meter WHERE shared = 1)") ?? false
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
      try db.execute(sql: "DELETE FROM storage WHERE meter = ? AND \(StorageTable.isSecret)", arguments: [key])
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

  /// The addresses of meters that are paired, that a person has set something for, or that were read.
  func knownAddresses() throws -> [(address: String, kind: MeterAddressKind?)] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT address, address_kind FROM meter WHERE address IS NOT NULL
          AND (read_us IS NOT NULL OR paired_us IS NOT NULL OR sync_clock IS NOT NULL OR hold_off IS NOT NULL
            OR chosen IS NOT NULL OR weighs_anybody IS NOT NULL OR shared IS NOT NULL
            OR read_again IS NOT NULL)
        """)
    return try rows.map { row in
      let kind: String? = try row["address_kind"]
      return (try row["address"], kind.flatMap(MeterAddressKind.init(rawValue:)))
    }
  }

  /// Forgets meters that were met and left nothing behind, and the oldest of too many. Where no clock says how old one is,
  /// it goes first.
  ///
  /// - Parameter strangers: How many are kept of those that were never read, paired or set, whoever they are assigned to: a session
  ///   with one assigns it, and anything that looks like a meter gets one. What was kept for it goes along.
  func forgetStrangers(before microseconds: Int64, limit: Int, strangers: Int = .max) throws {
    let isFree = """
      paired_us IS NULL AND sync_clock IS NULL AND hold_off IS NULL AND chosen IS NULL AND weighs_anybody IS NULL
      AND shared IS NULL AND read_again IS NULL
      """
    let isMissed = """
      (read_us IS NOT NULL OR EXISTS (
        SELECT 1 FROM assignment WHERE assignment.meter = meter.storage_key AND until_us IS NULL))
      """
    try db.execute(
      sql: "DELETE FROM meter WHERE \(isFree) AND last_us < ? AND NOT \(isMissed)", arguments: [microseconds])
    // One that somebody has assigned by hand, or of which there were readings, was more than met.
    let isOnlyMet = """
      read_us IS NULL AND (storage_key IS NULL OR storage_key NOT IN (
        SELECT meter FROM known_meter UNION SELECT meter FROM assignment WHERE slot IS NOT NULL OR since_us IS NULL))
      """
    try forgetCrowd(of: "\(isFree) AND \(isOnlyMet)", beyond: strangers)
    let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM meter") ?? 0
    guard count > limit else { return }
    try db.execute(
      sql: """
        DELETE FROM meter WHERE uuid IN (
          SELECT uuid FROM meter WHERE \(isFree) ORDER BY \(isMissed), last_us, uuid LIMIT ?)
        """, arguments: [count - limit])
  }

  /// Forgets the oldest of too many meters, and whose they were where that was one user all the time.
  private func forgetCrowd(of condition: String, beyond limit: Int) throws {
    let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM meter WHERE \(condition)") ?? 0
    guard count > limit else { return }
    let leaving = try Row.fetchAll(
      db, sql: "SELECT uuid, storage_key FROM meter WHERE \(condition) ORDER BY last_us, uuid LIMIT ?",
      arguments: [count - limit])
    for row in leaving {
      let (uuid, key): (String, String?) = (try row["uuid"], try row["storage_key"])
      try db.execute(sql: "DELETE FROM meter WHERE uuid = ?", arguments: [uuid])
      guard let key else { continue }
      try db.execute(sql: "DELETE FROM storage WHERE meter = ?", arguments: [key])
      try db.execute(
        sql: "DELETE FROM assignment WHERE meter = ?1 AND (SELECT count(*) FROM assignment WHERE meter = ?1) = 1",
        arguments: [key])
    }
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

  private func described(_ row: Row) throws -> StoredMeter {
    let key: String = try row["storage_key"] ?? ""
    return try StoredMeter(row, owners: try openAssignments().filter { $0.meter == key })
  }

  fileprivate struct OpenAssignment {
    let meter: String
    let owner: MeterOwner
  }

  private func openAssignments() throws -> [OpenAssignment] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT meter, owner, slot, since_us FROM assignment WHERE until_us IS NULL ORDER BY id")
    return try rows.compactMap { row in
      guard let user = SessionUser(ownerKey: try row["owner"]) else { return nil }
      let slot = try (row["slot"] as Int?).flatMap { UInt16(exactly: $0) }
      let since: Int64? = try row["since_us"]
      let isUnknown = since == MeterAssignment.unknownMoment
      return try OpenAssignment(
        meter: row["meter"],
        owner: MeterOwner(
          user: user, slot: slot, sinceMicroseconds: isUnknown ? nil : since, isSinceUnknown: isUnknown))
    }
  }
}

extension MeterSettings {
  fileprivate init(_ row: Row) throws {
    try self.init(
      syncsClock: row["sync_clock"], holdOffSeconds: row["hold_off"],
      peripheral: (row["chosen"] as Int64?).flatMap { UInt32(exactly: $0) }, weighsAnybody: row["weighs_anybody"],
      isShared: row["shared"], readAgainSeconds: row["read_again"])
  }
}

extension StoredMeter {
  fileprivate init(_ row: Row, owners: [MeterTable.OpenAssignment]) throws {
    guard let uuid = UUID(uuidString: try row["uuid"]) else { throw StoreError.unreadable(column: "uuid") }
    self.uuid = uuid
    name = try row["name"]
    peripheral = try (row["peripheral"] as Int64?).flatMap { UInt32(exactly: $0) }
    address = try row["address"]
    addressKind = try (row["address_kind"] as String?).flatMap(MeterAddressKind.init(rawValue:))
    firstSeenMicroseconds = try row["first_us"]
    lastSeenMicroseconds = try row["last_us"]
    lastReadMicroseconds = try row["read_us"]
    battery = try MeterBattery(percent: row["battery"], toldMicroseconds: row["battery_us"])
    firmware = try row["firmware"]
    let keeper = try (row["bond"] as String?).flatMap(BondPlace.init(rawValue:)) ?? .unknown
    let hasBond: Bool = try row["has_bond"]
    pairing = try (row["paired_us"] as Int64?).map {
      MeterPairing(sinceMicroseconds: $0, bond: hasBond ? .store : keeper)
    }
    settings = try MeterSettings(row)
    self.owners = owners.map(\.owner)
    isIdentified = try (row["storage_key"] as String?) != nil
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
