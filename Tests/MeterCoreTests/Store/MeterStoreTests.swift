import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

@Suite("Meter store")
struct MeterStoreTests {
  let folder: TemporaryFolder
  let store: MeterStore
  let generation: SessionGeneration

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  func count(_ table: String) throws -> Int {
    try store.reading { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }

  @Test("what stands in its place and is no folder is refused, and keeps its mode", arguments: [false, true])
  func noFolder(isLink: Bool) throws {
    let file = folder.state.appendingPathComponent("a-file")
    try Data("somebody's".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    let place = isLink ? folder.state.appendingPathComponent("a-link") : file
    if isLink { try FileManager.default.createSymbolicLink(at: place, withDestinationURL: file) }
    #expect(throws: StoreError.self) { try MeterStore(folder: place) }
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o644 && FileManager.default.contents(atPath: file.path) == Data("somebody's".utf8))
  }

  @Test("syncs every commit and closes its files to other users")
  func durability() throws {
    let pragmas = try store.database.read { db in
      try ["synchronous", "journal_mode", "foreign_keys", "secure_delete"].map {
        try String.fetchOne(db, sql: "PRAGMA \($0)")
      }
    }
    #expect(pragmas == ["2", "wal", "1", "1"])
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    let manager = FileManager.default
    func mode(_ path: String) throws -> Int? {
      try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(folder.state.path) == 0o700)
    let files = try manager.contentsOfDirectory(atPath: folder.state.path)
    #expect(Set(files).isSuperset(of: ["lock", "state.sqlite", "state.sqlite-wal", "state.sqlite-shm"]))
    for file in files {
      // The folder of the key that encrypts secrets; the key itself is a file of mode 0600.
      let expected = file == "vault" ? 0o700 : 0o600
      #expect(try mode(folder.state.appendingPathComponent(file).path) == expected, "\(file)")
    }
  }

  @Test("has one owner, whose pid it tells")
  func busy() throws {
    let error = #expect(throws: StoreError.self) { try MeterStore(folder: folder.state) }
    #expect(error?.code == .busy)
    #expect(error?.ownerPID == getpid())
  }

  @Test("keeps the queue and the keys over a restart")
  func restart() throws {
    let other = try TemporaryFolder()
    do {
      let first = try MeterStore(folder: other.state)
      let generation = try first.startSession(Fixture.user, token: Fixture.token).session.generation
      _ = try first.commit([
        Fixture.unit(
          generation, [Fixture.glucose(1), Fixture.glucose(2)],
          writes: [StorageWrite(key: "user/cursor", value: [2])])
      ])
      #expect(try first.claim(sink: MeterStore.defaultSink, limit: 1).count == 1)
    }
    let second = try MeterStore(folder: other.state)
    let session = try second.currentSession()
    #expect(session.user == Fixture.user)
    #expect(try second.queueSnapshot().map(\.state) == [.pending, .pending], "nothing is in flight after a restart")
    let keys = try second.storage(generation: session.generation, family: "glucose", meter: Fixture.meter)
    #expect(keys == ["user/cursor": [2]])
  }

  @Test("writes nothing of any unit when one fails")
  func atomicity() throws {
    try store.database.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER fail BEFORE INSERT ON storage WHEN NEW.key = 'user/fail'
          BEGIN SELECT RAISE(ABORT, 'injected'); END
          """)
    }
    let units = [
      Fixture.unit(generation, [Fixture.glucose(1)], writes: [StorageWrite(key: "user/cursor", value: [1])]),
      Fixture.unit(generation, [Fixture.glucose(2)], writes: [StorageWrite(key: "user/fail", value: [1])]),
    ]
    #expect(throws: StoreError.self) { try store.commit(units) }
    for table in ["record", "delivery", "seen", "storage"] { #expect(try count(table) == 0, "\(table)") }
    try store.database.write { db in try db.execute(sql: "DROP TRIGGER fail") }
    let receipts = try store.commit(units)
    #expect(receipts.map(\.new.count) == [1, 1])
    #expect(try count("storage") == 2)
  }

  @Test("refuses a commit of an earlier user's read, whole")
  func staleGeneration() throws {
    _ = try store.startSession(Fixture.otherUser, token: Fixture.token)
    let current = try store.currentSession().generation
    let error = #expect(throws: StoreError.self) {
      try store.commit([
        Fixture.unit(current, [Fixture.glucose(1)]), Fixture.unit(generation, [Fixture.glucose(2)]),
      ])
    }
    #expect(error?.code == .staleGeneration)
    #expect(try count("record") == 0)
    #expect(throws: StoreError.self) {
      try store.storage(generation: generation, family: "glucose", meter: Fixture.meter)
    }
  }

  @Test("takes a resent reading for what it is")
  func duplicates() throws {
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    let receipt = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])[0]
    #expect(receipt.duplicates == [Fixture.glucose(1).logID])
    #expect(receipt.new.isEmpty && receipt.revised.isEmpty && receipt.suspects.isEmpty)
    #expect(try count("record") == 1)
    // In one unit, too.
    let twice = try store.commit([Fixture.unit(generation, [Fixture.glucose(2), Fixture.glucose(2)])])[0]
    #expect(twice.new.count == 1 && twice.duplicates.count == 1)
  }

  @Test("delivers late context as a new revision, and its loss not at all")
  func revisions() throws {
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
    #expect(try store.resolve(ticket, .delivered(receiverID: "r1")))
    #expect(try count("record") == 0, "delivered content is deleted")
    #expect(try store.queueEntry(ticket.record.logID).first?.receiverID == "r1")

    let late = Fixture.glucose(1, context: [Fixture.beforeMeal])
    let receipt = try store.commit([Fixture.unit(generation, [late])])[0]
    #expect(receipt.revised.first?.record.revision == 2)
    #expect(try store.queueSnapshot().map(\.revision) == [2])
    let again = try store.commit([Fixture.unit(generation, [late, Fixture.glucose(1)])])[0]
    #expect(again.duplicates.count == 2)
    #expect(try store.queueSnapshot().map(\.revision) == [2])
  }

  @Test("changes nothing on a late answer for an older revision")
  func lateAnswer() throws {
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    let old = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1, context: [Fixture.beforeMeal])])])
    for answer in [DeliveryResolution.delivered(receiverID: nil), .dead(reason: "http-400", error: "")] {
      #expect(try store.resolve(old, answer) == false)
    }
    #expect(try store.queueSnapshot().map(\.state) == [.pending])
    let new = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
    #expect(new.pin.revision == 2)
    #expect(try store.resolve(new, .delivered(receiverID: nil)))
    #expect(try store.resolve(new, .delivered(receiverID: nil)) == false, "an answer counts once")
  }

  @Test("holds another value under a known name beside the first")
  func collision() throws {
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    for other in [Fixture.glucose(1, mantissa: 300), Fixture.glucose(1, civil: Fixture.morning + 1_000_000)] {
      let receipt = try store.commit([Fixture.unit(generation, [other])])[0]
      #expect(receipt.suspects.first?.disposition == .held(.identityCollision))
      #expect(receipt.suspects.first?.record.flags.contains(.identitySuspect) == true)
      #expect(try store.commit([Fixture.unit(generation, [other])])[0].duplicates.count == 1)
    }
    #expect(try store.queueSnapshot().map(\.state) == [.pending, .held, .held])
    #expect(try store.queueSnapshot(states: [.pending]).first?.record?.values.first?.number.mantissa == 112)
  }

  @Test("replaces a growing sum instead of suspecting it")
  func summaries() throws {
    for (revision, mantissa) in [(1, 100), (2, 150), (3, 100)] as [(Int, Int64)] {
      let sum = Fixture.glucose(1, mantissa: mantissa, identityClass: .summary)
      _ = try store.commit([Fixture.unit(generation, [sum])])
      #expect(try store.queueSnapshot().map(\.revision) == [revision])
    }
  }

  @Test("leaves a person's decision to the person when context comes")
  func holdStays() throws {
    let late = Fixture.glucose(1, context: [Fixture.beforeMeal])
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)], disposition: .held(.implausibleValue))])
    #expect(
      try store.commit([Fixture.unit(generation, [late])])[0].revised.first?.disposition == .held(.implausibleValue))
    let other = Fixture.glucose(2, context: [Fixture.beforeMeal])
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(2)], disposition: .held(.driverAsks))])
    #expect(try store.commit([Fixture.unit(generation, [other])])[0].revised.first?.disposition == .pending)
  }

  @Test("never hands out what is held or excluded")
  func notDelivered() throws {
    _ = try store.commit([
      Fixture.unit(generation, [Fixture.glucose(1)], disposition: .held(.clockSuspect)),
      Fixture.unit(generation, [Fixture.glucose(2)], disposition: .excluded(.controlSolution)),
    ])
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 9).isEmpty)
    #expect(try store.queueSnapshot().map(\.reason) == ["clock_suspect", "control_solution"])
  }

  @Test("delivers a held reading once a person has confirmed it, and only that one")
  func confirm() throws {
    let (wanted, other, undeliverable) = (Fixture.glucose(1), Fixture.glucose(2), Fixture.glucose(3))
    _ = try store.commit([
      Fixture.unit(generation, [wanted, other], disposition: .held(.awaitingConfirmation)),
      Fixture.unit(generation, [undeliverable], disposition: .held(.notDeliverable)),
    ])
    #expect(try store.confirm([wanted.logID, undeliverable.logID, .live()]) == [wanted.logID])
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 9).map(\.record.logID) == [wanted.logID])
    #expect(try store.confirm([wanted.logID]).isEmpty)
    _ = try store.endSession()
    #expect(try store.confirm([other.logID]).isEmpty)
  }

  @Test("hands on nothing that it does not understand, whoever confirms it, until an update does")
  func confirmUnknown() throws {
    let known = Fixture.glucose(1)
    let unknown = Record(
      logID: .live(), identityClass: .live, type: .diabetes, time: known.time, deviceSequence: nil, deviceUser: nil,
      values: [RecordValue(metric: 99, unit: 2, number: ReportedNumber(mantissa: 1, exponent: 0))], notes: [],
      source: known.source, origin: .device, flags: [])
    _ = try store.commit([Fixture.unit(generation, [known, unknown], disposition: .held(.unknownMetric))])
    #expect(try store.confirm([known.logID, unknown.logID]) == [known.logID])
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 9).map(\.record.logID) == [known.logID])
    #expect(try store.queueSnapshot().contains { $0.logID == unknown.logID && $0.state == .held })
  }

  @Test("keeps meter keys, gives user keys to their user, and bounds both")
  func storage() throws {
    func write(_ key: String, _ count: Int, _ generation: SessionGeneration) throws {
      _ = try store.commit([
        Fixture.unit(
          generation, [], writes: [StorageWrite(key: key, value: [UInt8](repeating: 7, count: count))])
      ])
    }
    func keys(_ generation: SessionGeneration) throws -> Set<String> {
      Set(try store.storage(generation: generation, family: "glucose", meter: Fixture.meter).keys)
    }
    try write("user/cursor", 8, generation)
    try write("meter/key", 4096, generation)
    #expect(try keys(generation) == ["user/cursor", "meter/key"])
    let tooLarge = #expect(throws: StoreError.self) { try write("user/big", 4097, generation) }
    #expect(tooLarge?.code == .storageLimit)
    let unknown = #expect(throws: StoreError.self) { try write("secret/x", 1, generation) }
    #expect(unknown?.code == .storageKey)
    var number = 0
    let full = #expect(throws: StoreError.self) {
      while number < 100 {
        number += 1
        try write("meter/\(number)", 4000, generation)
      }
    }
    #expect(full?.code == .storageLimit)
    #expect((14...16).contains(number), "64 KiB a meter")
    try write("meter/1", 0, generation)
    #expect(try keys(generation).contains("meter/1") == false, "an empty value deletes")

    let next = try store.startSession(Fixture.otherUser, token: Fixture.token).session.generation
    #expect(try keys(next).contains("user/cursor") == false)
    #expect(try keys(next).contains("meter/key"))
  }

  @Test("remembers meters by address")
  func cache() throws {
    try store.setCached([1, 2], "gatt", address: "A")
    try store.setCached([3], "gatt", address: "A")
    #expect(try store.cached("gatt", address: "A") == [3])
    #expect(try store.cached("gatt", address: "B") == nil)
    try store.setCached(nil, "gatt", address: "A")
    #expect(try store.cached("gatt", address: "A") == nil)
  }

  @Test("names what is wrong with a damaged or newer database")
  func damage() throws {
    let broken = try TemporaryFolder()
    try FileManager.default.createDirectory(at: broken.state, withIntermediateDirectories: false)
    let file = broken.state.appendingPathComponent("state.sqlite")
    try Data(repeating: 0x5A, count: 8192).write(to: file)
    let error = #expect(throws: StoreError.self) { try MeterStore(folder: broken.state) }
    #expect(error?.code == .corrupt)
    try FileManager.default.removeItem(at: file)
    do {
      let store = try MeterStore(folder: broken.state)
      try store.database.write { db in
        try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('v999')")
      }
    }
    let newer = #expect(throws: StoreError.self) { try MeterStore(folder: broken.state) }
    #expect(newer?.code == .newerVersion)
  }

  @Test("maps a full disk to its own error and keeps what was acknowledged")
  func fullDisk() throws {
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    try store.database.writeWithoutTransaction { db in
      let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      try db.execute(sql: "PRAGMA max_page_count = \(pages)")
    }
    let error = #expect(throws: StoreError.self) {
      _ = try store.commit([Fixture.unit(generation, (2..<500).map { Fixture.glucose($0) })])
    }
    #expect(error?.code == .diskFull)
    #expect(try store.queueSnapshot().map(\.record?.deviceSequence) == [1])
  }
}
