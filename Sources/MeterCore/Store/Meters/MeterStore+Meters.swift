package import Foundation
internal import GRDB

extension MeterStore {
  /// How many meters are remembered. Of more, those that were not met for the longest time go, but never one that is paired
  /// or that a person has set something for.
  package static let meterLimit = 4_096
  /// How many of them may be meters that were never read and that nobody has paired or set, the newest.
  static let strangerLimit = 1_024
  /// How long a meter is remembered that is not paired, assigned or set and has brought nothing.
  static let strangerMicroseconds: Int64 = 30 * 86_400_000_000

  /// Remembers that a meter was connected to, and forgets meters that nobody will miss.
  ///
  /// - Throws: ``StoreError``.
  package func noteMeter(_ sighting: MeterSighting) throws(StoreError) {
    let now = Self.nowMicroseconds
    try transaction { db in
      let table = MeterTable(db: db)
      try table.note(sighting, now: now)
      try table.forgetStrangers(
        before: now - Self.strangerMicroseconds, limit: Self.meterLimit, strangers: Self.strangerLimit)
    }
  }

  /// Remembers that a meter is paired from now on.
  ///
  /// - Parameter bond: Who keeps the bond; one in the state folder is seen there, whatever this says.
  /// - Throws: ``StoreError``.
  package func notePairing(_ sighting: MeterSighting, bond: BondPlace = .unknown) throws(StoreError) {
    let now = Self.nowMicroseconds
    try transaction { db in
      let table = MeterTable(db: db)
      try table.note(sighting, now: now)
      try table.setPaired(sighting.meter.peripheralUUID, since: now, bond: bond)
    }
  }

  /// The meters that this gateway knows, by name.
  ///
  /// - Throws: ``StoreError``.
  package func meters() throws(StoreError) -> [StoredMeter] { try reading { db in try MeterTable(db: db).all() } }

  /// A meter by its stable name; nil when this gateway does not know it.
  ///
  /// - Throws: ``StoreError``.
  package func meter(_ uuid: UUID) throws(StoreError) -> StoredMeter? {
    try reading { db in try MeterTable(db: db).meter(uuid) }
  }

  /// The meter that was last heard at an address: what a passive reader can know before it connects. Nil when there is none.
  ///
  /// - Parameters:
  ///   - address: Written as `AA:BB:CC:DD:EE:FF`.
  ///   - kind: Of which kind it is: the same bytes of the other kind are another device's. A meter of which the kind was never
  ///     noted is found by either.
  /// - Throws: ``StoreError``.
  package func meter(atAddress address: String, _ kind: MeterAddressKind) throws(StoreError) -> StoredMeter? {
    try reading { db in try MeterTable(db: db).meter(atAddress: address, kind) }
  }

  /// The addresses of the meters that are paired, that a person has set something for, or that were read before. The kind is nil
  /// where an earlier version has not kept it.
  ///
  /// - Throws: ``StoreError``.
  package func knownMeterAddresses() throws(StoreError) -> [(address: String, kind: MeterAddressKind?)] {
    try reading { db in try MeterTable(db: db).knownAddresses() }
  }

  /// What a person has set for a meter; nothing of one that is not known.
  ///
  /// - Throws: ``StoreError``.
  package func meterSettings(of meter: MeterIdentity) throws(StoreError) -> MeterSettings {
    try reading { db in try MeterTable(db: db).settings(of: meter.peripheralUUID) ?? MeterSettings() }
  }

  /// Changes what is set for a meter.
  ///
  /// - Returns: The meter as it is then; nil when this gateway does not know it.
  /// - Throws: ``StoreError``.
  @discardableResult
  package func changeMeterSettings(
    of uuid: UUID, _ change: (inout MeterSettings) -> Void
  ) throws(StoreError) -> StoredMeter? {
    try transaction { db in
      let table = MeterTable(db: db)
      guard var settings = try table.settings(of: uuid) else { return nil }
      change(&settings)
      try table.set(settings, of: uuid)
      return try table.meter(uuid)
    }
  }

  /// Forgets a meter: its pairing and settings, the bond that the state folder keeps with it, and every key that was
  /// entered for it or that its driver has made for it. Readings, cursors, and whose the meter is stay.
  ///
  /// A bond that somebody else keeps is the caller's to forget.
  ///
  /// - Returns: What was known of it; nil when nothing was.
  /// - Throws: ``StoreError``.
  @discardableResult
  package func forgetMeter(_ uuid: UUID) throws(StoreError) -> StoredMeter? {
    let forgotten: StoredMeter? = try transaction { db in
      let table = MeterTable(db: db)
      guard let meter = try table.meter(uuid) else { return nil }
      try table.forget(meter)
      return meter
    }
    // Sinks that show meters take it away.
    if forgotten != nil { announceChange() }
    return forgotten
  }
}
