import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

@Suite("The meters that a gateway knows")
struct StoredMeterTests {
  static let address = "C0:FF:EE:00:00:01"
  let folder: TemporaryFolder
  let store: MeterStore
  let meter = Fixture.meter.peripheralUUID

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
  }

  private func sighting(
    _ meter: MeterIdentity = Fixture.meter, at address: String = address, isRead: Bool = true
  ) -> MeterSighting {
    MeterSighting(meter, peripheral: 1000, address: address, addressKind: .random, isRead: isRead)
  }

  private static func stranger(_ number: Int) -> MeterIdentity {
    MeterIdentity(serial: "S-\(number)", model: "M", systemID: nil, address: address)
  }

  /// Makes a meter look as if it had been met at this moment.
  private func date(_ meter: MeterIdentity, _ microseconds: Int64) throws {
    try store.transaction { db in
      try db.execute(
        sql: "UPDATE meter SET last_us = ? WHERE uuid = ?",
        arguments: [microseconds, MeterTable.name(meter.peripheralUUID)])
    }
  }

  @Test("are noted with what is known of them, and later sightings bring it up to date")
  func sightings() throws {
    #expect(try store.meters().isEmpty)
    try store.noteMeter(sighting(isRead: false))
    let first = try #require(try store.meter(meter))
    #expect(first.name == "GM-0042" && first.peripheral == 1000 && first.addressKind == .random && first.isIdentified)
    #expect(first.lastReadMicroseconds == nil && first.pairing == nil && first.owners.isEmpty)
    try store.noteMeter(sighting(at: "C0:FF:EE:00:00:02"))
    let second = try #require(try store.meter(meter))
    #expect(second.firstSeenMicroseconds == first.firstSeenMicroseconds && second.lastReadMicroseconds != nil)
    #expect(try store.meter(atAddress: "c0:ff:ee:00:00:02", .random) == second)
    #expect(try store.meter(atAddress: Self.address, .random) == nil && store.meters() == [second])
    try store.noteMeter(sighting(isRead: false))
    #expect(try store.meter(meter)?.lastReadMicroseconds == second.lastReadMicroseconds)
  }

  @Test("keep what they last told of battery and firmware, and when")
  func told() throws {
    try store.noteMeter(sighting())
    let silent = try #require(try store.meter(meter))
    #expect(silent.battery == nil && silent.firmware == nil)
    var telling = sighting()
    telling.told.batteryPercent = 80
    telling.told.take(firmware: " 1.0\u{1B}[2J\n\(String(repeating: "x", count: 200))")
    try store.noteMeter(telling)
    let first = try #require(try store.meter(meter))
    #expect(first.battery?.percent == 80 && first.battery?.toldMicroseconds == first.lastSeenMicroseconds)
    let firmware = try #require(first.firmware)
    #expect(firmware.hasPrefix("1.0 [2J x") && firmware.utf8.count <= ToldFacts.longestFirmware)
    try store.noteMeter(sighting())
    let later = try #require(try store.meter(meter))
    #expect(later.battery == first.battery && later.firmware == firmware, "silence takes nothing back")
    telling = sighting(isRead: false)
    telling.told.batteryPercent = 0
    telling.told.take(firmware: " \u{0}")
    try store.noteMeter(telling)
    #expect(try store.meters().map { $0.battery?.percent } == [0] && store.meter(meter)?.firmware == firmware)
  }

  @Test("do not tell of a battery that cannot be", arguments: [Int64(-1), 101, .max])
  func damagedBattery(percent: Int64) throws {
    try store.noteMeter(sighting())
    try store.transaction { db in
      try db.execute(sql: "UPDATE meter SET battery = ?, battery_us = 5", arguments: [percent])
    }
    #expect(try store.meter(meter)?.battery == nil)
  }

  @Test("keep what a person has set for them, also when they are met and paired again")
  func settings() throws {
    #expect(try store.changeMeterSettings(of: meter) { $0.syncsClock = true } == nil)
    #expect(try store.meterSettings(of: Fixture.meter) == MeterSettings())
    try store.noteMeter(sighting())
    try store.changeMeterSettings(of: meter) { settings in
      (settings.syncsClock, settings.holdOffSeconds, settings.peripheral) = (true, 12, 32)
    }
    try store.noteMeter(sighting())
    try store.notePairing(sighting(isRead: false))
    let kept = try store.meterSettings(of: Fixture.meter)
    #expect(kept == MeterSettings(syncsClock: true, holdOffSeconds: 12, peripheral: 32))
    try store.changeMeterSettings(of: meter) { $0 = MeterSettings(syncsClock: false) }
    #expect(try store.meterSettings(of: Fixture.meter) == MeterSettings(syncsClock: false))
  }

  @Test("have a hold-off within its bounds, whatever a file says", arguments: [(nil, 5), (0, 1), (15, 15), (99, 15)])
  func holdOff(stored: Int?, seconds: Int) {
    #expect(MeterSettings(holdOffSeconds: stored).holdOff == .seconds(seconds))
  }

  @Test("say who keeps their bond")
  func bonds() throws {
    try store.notePairing(sighting(isRead: false), bond: .bluetoothd)
    #expect(try store.meter(meter)?.pairing?.bond == .bluetoothd)
    try store.setBond([1], with: Self.address)
    #expect(try store.meter(meter)?.pairing?.bond == .store)
    try store.setBond(nil, with: Self.address)
    try store.notePairing(sighting(isRead: false))
    #expect(try store.meter(meter)?.pairing?.bond == .unknown)
    // As a radio files it that has bonds for each of its adapters.
    for subject in ["00:11:22:33:44:55/\(Self.address)", "00:11:22:33:44:55/C0:FF:EE:00:00:0F"] {
      try store.setBond([1], with: subject)
    }
    #expect(try store.meter(meter)?.pairing?.bond == .store)
    _ = try store.forgetMeter(meter)
    #expect(try store.bond(with: "00:11:22:33:44:55/\(Self.address)") == nil)
    #expect(try store.bond(with: "00:11:22:33:44:55/C0:FF:EE:00:00:0F") == [1])
  }

  @Test("have an address whose kind is kept until it is another one")
  func addressKinds() throws {
    var later = sighting()
    later.addressKind = nil
    try store.noteMeter(sighting())
    try store.noteMeter(later)
    #expect(try store.meter(meter)?.addressKind == .random)
    later.address = "C0:FF:EE:00:00:02"
    try store.noteMeter(later)
    #expect(try store.meter(meter)?.addressKind == nil)
  }

  @Test("are forgotten with bond, keys and settings; readings, cursors and whose they are stay")
  func forgetting() throws {
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    let request = AssignmentRequest(nowMicroseconds: 100)
    _ = try store.assignment(of: Fixture.meter, generation: generation, request)
    let keys = ["meter/epoch", "meter/secret/key", "user/cursor", "user/secret/pin"]
    let writes = keys.map { StorageWrite(key: $0, value: [1]) }
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)], writes: writes)])
    try store.notePairing(sighting())
    try store.changeMeterSettings(of: meter) { $0.syncsClock = true }
    try store.setBond([2], with: Self.address)
    try store.setCached([3], "gatt-1000", address: Self.address)
    for scope in [CredentialScope.meter(meter), .meter(UUID()), .peripheral(1000)] {
      try store.setCredential([4], name: "key", scope: scope)
    }
    #expect(try store.forgetMeter(meter)?.name == "GM-0042")
    #expect(try store.meters().isEmpty && store.forgetMeter(meter) == nil)
    #expect(try store.bond(with: Self.address) == nil && store.cached("gatt-1000", address: Self.address) == nil)
    #expect(try store.credentials().count == 2 && !store.hasCredential("key", scope: .meter(meter)))
    let left = try store.storage(generation: generation, family: "glucose", meter: Fixture.meter)
    #expect(Set(left.keys) == ["meter/epoch", "user/cursor"])
    #expect(try store.secrets(generation: generation, family: "glucose", meter: Fixture.meter).isEmpty)
    #expect(try store.queueSnapshot().count == 1)
    #expect(
      try store.assignment(of: Fixture.meter, generation: generation, AssignmentRequest(nowMicroseconds: 900))
        .assignment?.sinceMicroseconds == 100)
  }

  @Test("leave a bond alone that is another meter's by now")
  func movedAddress() throws {
    try store.notePairing(sighting(isRead: false))
    try store.notePairing(sighting(Self.stranger(1), isRead: false))
    try store.setBond([2], with: Self.address)
    _ = try store.forgetMeter(meter)
    #expect(try store.bond(with: Self.address) == [2])
  }

  @Test("are forgotten after a month when they brought nothing and nobody cares")
  func strangers() throws {
    let session = try store.startSession(Fixture.user, token: Fixture.token).session
    for number in 0..<5 { try store.noteMeter(sighting(Self.stranger(number), isRead: number == 1)) }
    try store.notePairing(sighting(Self.stranger(2), isRead: false))
    try store.changeMeterSettings(of: Self.stranger(3).peripheralUUID) { $0.holdOffSeconds = 9 }
    _ = try store.assignment(
      of: Self.stranger(4), generation: session.generation, AssignmentRequest(nowMicroseconds: 100))
    for number in 0..<5 { try date(Self.stranger(number), MeterStore.nowMicroseconds - 31 * 86_400_000_000) }
    try store.noteMeter(sighting(isRead: false))
    #expect(try store.meters().map(\.name) == ["GM-0042", "S-1", "S-2", "S-3", "S-4"])
  }

  @Test("are no more than a number; the ones that matter stay")
  func bound() throws {
    let start = MeterStore.nowMicroseconds - 1_000
    for number in 0..<8 {
      try store.noteMeter(sighting(Self.stranger(number), isRead: number == 1))
      try date(Self.stranger(number), start + Int64(number))
    }
    try store.notePairing(sighting(Self.stranger(0), isRead: false))
    try date(Self.stranger(0), start)
    try store.transaction { db in try MeterTable(db: db).forgetStrangers(before: .min, limit: 3) }
    #expect(try store.meters().map(\.name) == ["S-0", "S-1", "S-7"], "paired, read, and the newest of the others")
    try store.transaction { db in try MeterTable(db: db).forgetStrangers(before: .min, limit: 1) }
    #expect(try store.meters().map(\.name) == ["S-0"])
    try store.transaction { db in try MeterTable(db: db).forgetStrangers(before: .max, limit: 0) }
    #expect(try store.meters().map(\.name) == ["S-0"], "a person's choice is never forgotten")
  }

  @Test("are known when they were read, paired or set; a crowd that was only met pushes none of them out")
  func crowd() throws {
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let generation = try store.currentSession().generation
    for number in 0..<12 {
      try store.noteMeter(sighting(Self.stranger(number), at: "C0:FF:EE:00:00:\(10 + number)", isRead: number == 1))
      try date(Self.stranger(number), Int64(number))
      // Each session with a meter assigns it, whatever comes of it.
      _ = try store.assignment(
        of: Self.stranger(number), generation: generation, AssignmentRequest(nowMicroseconds: 1_000))
    }
    try store.notePairing(sighting(Self.stranger(0), at: "C0:FF:EE:00:00:10", isRead: false))
    try store.changeMeterSettings(of: Self.stranger(2).peripheralUUID) { $0.holdOffSeconds = 3 }
    #expect(
      try store.knownMeterAddresses().map(\.address).sorted()
        == ["C0:FF:EE:00:00:10", "C0:FF:EE:00:00:11", "C0:FF:EE:00:00:12"])
    // Of an earlier version nothing says when it was read, but there are readings of it.
    try store.transaction { db in
      try db.execute(
        sql: "UPDATE meter SET first_us = NULL, last_us = NULL WHERE uuid = ?",
        arguments: [Self.stranger(3).peripheralUUID.uuidString.lowercased()])
      try db.execute(sql: "INSERT INTO known_meter VALUES (?)", arguments: [Self.stranger(3).storageKey])
    }
    try store.transaction { db in try MeterTable(db: db).forgetStrangers(before: .min, limit: 100, strangers: 2) }
    #expect(try Set(store.meters().map(\.name)) == ["S-0", "S-1", "S-10", "S-11", "S-2", "S-3"])
    let assigned = try store.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM assignment") }
    #expect(assigned == 6, "nor does it leave whose each was")
  }

  @Test("leave a bounded number of databases behind; those of meters that were read stay")
  func cache() throws {
    try store.noteMeter(sighting(at: "C0:FF:EE:00:00:02"))
    try store.setCached([1], "gatt-1000", address: "C0:FF:EE:00:00:02")
    try store.transaction { db in
      for number in 0..<MeterStore.strangerCacheLimit + 50 {
        try db.execute(sql: "INSERT INTO meter_cache VALUES (?, 'gatt-1000', x'00')", arguments: ["stranger \(number)"])
      }
    }
    try store.setCached([2], "gatt-1000", address: "C0:FF:EE:00:00:03")
    let count = try store.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM meter_cache") } ?? 0
    #expect(count == MeterStore.strangerCacheLimit + 2)
    #expect(try store.cached("gatt-1000", address: "C0:FF:EE:00:00:02") == [1])
    #expect(try store.cached("gatt-1000", address: "C0:FF:EE:00:00:03") == [2])
  }

  @Test("belong to the gateway and go with a session only when that is asked for", arguments: [false, true])
  func sessions(forgets: Bool) throws {
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    try store.notePairing(sighting())
    _ = try store.endSession(forgettingMeters: forgets)
    #expect(try store.meters().isEmpty == forgets)
  }

  @Test("name users of any spelling", arguments: ["ada", "a:b", ":", "", "ädä\u{202E}", "user:3:x:y"])
  func owners(_ id: String) throws {
    for organization in ["clinic", "o:1:", "ö"] {
      let user = SessionUser(userID: id, organizationID: organization)
      #expect(SessionUser(ownerKey: user.ownerKey) == user)
    }
    #expect(SessionUser(ownerKey: id) == nil || id == "user:3:x:y")
    #expect(SessionUser(ownerKey: SessionUser.defaultOwnerKey) == nil)
  }
}

@Suite("Meters in folders of earlier versions")
struct StoredMeterMigrationTests {
  private func folder(upTo version: String, _ fill: (Database) throws -> Void) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let state = try StateFolder(path: folder.state.path)
    let database = try DatabaseQueue(path: try state.makePrivateFile(MeterStore.fileName))
    try StoreSchema.migrator(Vault(folder: state, credentials: nil)).migrate(database, upTo: version)
    try database.write(fill)
    return folder
  }

  private func pairing(_ meter: MeterIdentity, at address: String, _ time: Int64) -> String {
    """
    {"uuid":"\(meter.peripheralUUID.uuidString)","peripheral":51,"address":"\(address)","name":"\(meter.displayName)",\
    "pairedMicroseconds":\(time)}
    """
  }

  @Test("pairings, assignments and known meters are one table")
  func migrate() throws {
    let nameless = MeterIdentity(serial: nil, model: nil, systemID: nil, address: "AA:00:00:00:00:02")
    let unread = MeterIdentity(serial: "never read", model: nil, systemID: nil, address: "AA:00:00:00:00:03")
    let known = MeterIdentity(serial: nil, model: nil, systemID: [1, 2, 3, 4, 5, 6, 7, 8], address: "A")
    let folder = try folder(upTo: "offences") { db in
      let cached = [
        ("AA:00:00:00:00:01", pairing(Fixture.meter, at: "AA:00:00:00:00:01", 10)),
        ("AA:00:00:00:00:09", pairing(Fixture.meter, at: "AA:00:00:00:00:09", 20)),
        ("AA:00:00:00:00:02", pairing(nameless, at: "AA:00:00:00:00:02", 30)),
        ("AA:00:00:00:00:03", pairing(unread, at: "AA:00:00:00:00:03", 40)),
        ("AA:00:00:00:00:04", "{"), ("AA:00:00:00:00:05", ""),
      ]
      for (address, text) in cached {
        try db.execute(sql: "INSERT INTO meter_cache VALUES (?, 'paired', ?)", arguments: [address, Data(text.utf8)])
      }
      try db.execute(sql: "INSERT INTO meter_cache VALUES ('AA:00:00:00:00:01', 'gatt-51', x'01')")
      for key in [known.storageKey, "", "zz", "ff", "00000004ffffffff", Fixture.meter.storageKey + "0"] {
        try db.execute(sql: "INSERT INTO known_meter VALUES (?)", arguments: [key])
      }
      try db.execute(
        sql: "INSERT INTO assignment (meter, owner, slot, since_us) VALUES (?, ?, 2, 5)",
        arguments: [Fixture.meter.storageKey, Fixture.user.ownerKey])
    }
    let store = try MeterStore(folder: folder.state)
    let meters = try store.meters()
    #expect(meters.map(\.name) == ["0102030405060708", "AA:00:00:00:00:02", "GM-0042", "never read"])
    #expect(meters.map(\.isIdentified) == [true, true, true, false])
    #expect(meters.map { $0.pairing != nil } == [false, true, true, true])
    #expect(meters.map(\.uuid) == [known, nameless, Fixture.meter, unread].map(\.peripheralUUID))
    let read = meters[2]
    #expect(read.address == "AA:00:00:00:00:09" && read.peripheral == 51, "the last pairing counts")
    #expect(read.pairing == MeterPairing(sinceMicroseconds: 20, bond: .unknown))
    #expect(read.owners == [MeterOwner(user: Fixture.user, slot: 2, sinceMicroseconds: 5)])
    #expect(try store.cached("paired", address: "AA:00:00:00:00:01") == nil)
    #expect(try store.cached("gatt-51", address: "AA:00:00:00:00:01") == [1])
  }

  @Test("a repair of an older folder keeps the pairings")
  func repair() throws {
    let folder = try folder(upTo: "session options") { db in
      try db.execute(
        sql: "INSERT INTO meter_cache VALUES ('A', 'paired', ?)",
        arguments: [Data(pairing(Fixture.meter, at: "A", 10).utf8)])
    }
    _ = try MeterStore.repair(folder: folder.state)
    #expect(try MeterStore(folder: folder.state).meters().map(\.name) == ["GM-0042"])
  }
}

extension AssignmentTests {
  private func note(_ uuid: MeterIdentity) throws {
    try store.noteMeter(
      MeterSighting(uuid, peripheral: 3000, address: "AA:BB:CC:DD:EE:FF", addressKind: .public, isRead: true))
  }

  @Test("are made and ended without a read")
  func withoutRead() throws {
    let uuid = meter.peripheralUUID
    let ada = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    func assign(
      _ generation: SessionGeneration, slot: UInt16? = nil, history: Bool = false, at now: Int64
    ) throws -> StoredMeter? {
      try store.assignMeter(uuid, slot: slot, wantsHistory: history, nowMicroseconds: now, generation: generation)
    }
    #expect(try assign(ada, at: 100) == nil, "a meter that nobody knows")
    try note(meter)
    #expect(try assign(ada, slot: 1, at: 100)?.owners.map(\.slot) == [1])
    let grace = try store.startSession(Fixture.otherUser, token: Fixture.token).session.generation
    #expect(throws: StoreError.self) { try assign(ada, at: 200) }
    #expect(try assign(grace, slot: 2, at: 200)?.owners.map(\.user.userID) == ["ada", "grace"])
    #expect(try store.unassignMeter(uuid, slot: 1, nowMicroseconds: 300)?.owners.map(\.slot) == [2])
    #expect(try store.unassignMeter(uuid, slot: nil, nowMicroseconds: 400)?.owners.isEmpty == true)
    _ = try store.endSession()
    let nobody = try store.currentSession().generation
    #expect(throws: StoreError.self) { try assign(nobody, at: 500) }
  }

  @Test("that open the history let the next read begin anew")
  func historyWithoutRead() throws {
    try note(meter)
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    _ = try store.assignment(of: meter, generation: generation, AssignmentRequest(nowMicroseconds: 100))
    // What a meter was told is safe, and no reading was made of, stays.
    let writes = ["user/cursor", "user/pending/act", "user/secret/pin", "meter/epoch"]
      .map { StorageWrite(key: $0, value: [1]) }
    let unit = CommitUnit(
      generation: generation, meter: meter, family: "glucose",
      records: [CommitRecord(record: Fixture.glucose(1), disposition: .pending)], writes: writes)
    _ = try store.commit([unit])
    func keys() throws -> Set<String> {
      Set(try store.storage(generation: generation, family: "glucose", meter: meter).keys)
    }
    _ = try store.assignMeter(
      meter.peripheralUUID, slot: nil, wantsHistory: false, nowMicroseconds: 200, generation: generation)
    #expect(try keys() == ["user/cursor", "user/pending/act", "meter/epoch"])
    for _ in 0..<2 {
      _ = try store.commit([
        CommitUnit(
          generation: generation, meter: meter, family: "glucose", records: [],
          writes: [StorageWrite(key: "user/cursor", value: [2])])
      ])
      let opened = try store.assignMeter(
        meter.peripheralUUID, slot: nil, wantsHistory: true, nowMicroseconds: 300, generation: generation)
      #expect(opened?.owners.map(\.sinceMicroseconds) == [nil])
    }
    #expect(try keys() == ["user/pending/act", "meter/epoch"])
    #expect(try !store.secrets(generation: generation, family: "glucose", meter: meter).isEmpty)
  }
}
