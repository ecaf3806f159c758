internal import Foundation
internal import GRDB
import HostPrimitives

extension MeterTable {
  /// A pairing as the cache of a meter's address kept it before there was a table of meters.
  private struct CachedPairing: Decodable {
    var uuid: UUID
    var peripheral: UInt32
    var address: String
    var name: String
    var pairedMicroseconds: Int64
  }

  /// Fills the table with the meters that a folder without it knew: those that were paired, those that somebody's readings
  /// are from, and those that are assigned.
  static func fill(_ db: Database) throws {
    for name in try knownKeys(db) {
      guard let meter = MeterIdentity(storageKey: name) else { continue }
      try db.execute(
        sql: "INSERT OR IGNORE INTO meter (uuid, storage_key, name) VALUES (?, ?, ?)",
        arguments: [Self.name(meter.peripheralUUID), name, meter.displayName])
    }
    let kept = try Data.fetchAll(db, sql: "SELECT value FROM meter_cache WHERE name = 'paired'")
    let pairings = kept.compactMap { try? JSONDecoder().decode(CachedPairing.self, from: $0) }
    for pairing in pairings.sorted(by: { $0.pairedMicroseconds < $1.pairedMicroseconds }) {
      // Without a serial number and a System ID the address is all that names the meter.
      let nameless = MeterIdentity(serial: nil, model: nil, systemID: nil, address: pairing.address)
      try db.execute(
        sql: """
          INSERT INTO meter (
            uuid, storage_key, peripheral, address, first_us, last_us, paired_us, name
          ) VALUES (:uuid, :key, :peripheral, :address, :paired, :paired, :paired, :name)
          ON CONFLICT DO UPDATE SET peripheral = excluded.peripheral, address = excluded.address,
            first_us = coalesce(first_us, excluded.first_us), last_us = excluded.last_us,
            paired_us = excluded.paired_us, name = excluded.name
          """,
        arguments: [
          "uuid": Self.name(pairing.uuid),
          "key": nameless.peripheralUUID == pairing.uuid ? nameless.storageKey : nil,
          "peripheral": Int64(pairing.peripheral), "address": pairing.address,
          "paired": pairing.pairedMicroseconds, "name": pairing.name,
        ])
    }
    try db.execute(sql: "DELETE FROM meter_cache WHERE name = 'paired'")
  }

  /// The names under which the store has filed something of a meter.
  private static func knownKeys(_ db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        SELECT meter FROM assignment UNION SELECT meter FROM known_meter UNION SELECT meter FROM storage
        """)
  }
}

extension MeterIdentity {
  /// The identity that is filed under a ``storageKey``; nil for any other text.
  init?(storageKey: String) {
    guard let bytes = [UInt8](hexadecimal: storageKey.utf8), bytes.hexadecimal == storageKey,
      let frames = ByteFrames.contents(of: bytes),
      let basis = frames.first.flatMap({ Basis(rawValue: String(decoding: $0, as: UTF8.self)) }),
      frames.count == (basis == .serial ? 3 : 2)
    else { return nil }
    self.basis = basis
    stableBytes = bytes
    displayName = basis == .systemID ? frames[1].hexadecimal : String(decoding: frames[1], as: UTF8.self)
  }
}

extension ByteFrames {
  /// The contents that were appended; nil for bytes that are no frames.
  static func contents(of bytes: [UInt8]) -> [[UInt8]]? {
    var contents: [[UInt8]] = []
    var reader = ByteReader(bytes)
    while !reader.isEmpty {
      guard let length = reader.uint32(.big), let content = reader.take(Int(length)) else { return nil }
      contents.append(Array(content))
    }
    return contents
  }
}
