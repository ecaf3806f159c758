import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// Every page of a real database is damaged in turn: what can be read is kept, what cannot is named, and nothing is there
/// twice or changed.
@Suite("Repair of a damaged database", .timeLimit(.minutes(60)))
struct RepairTests {
  enum Damage: String, CaseIterable, Sendable {
    /// A sector that was never written.
    case zeroes
    /// A block of another file.
    case noise
    /// Eight bits anywhere.
    case bits
    /// The first bytes, which say what the page is.
    case head
  }

  private func damage(_ page: inout [UInt8], _ damage: Damage, _ generator: inout SeededGenerator) {
    switch damage {
    case .zeroes: page = [UInt8](repeating: 0, count: page.count)
    case .noise: for index in page.indices { page[index] = .random(in: .min ... .max, using: &generator) }
    case .bits:
      for _ in 0..<8 {
        page[.random(in: page.indices, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
    case .head: for index in 0..<8 { page[index] ^= 0xA5 }
    }
  }

  @Test("a page after the other", arguments: Damage.allCases)
  func everyPage(kind: Damage) async throws {
    let whole = try DamagedFolder.whole.get()
    var generator = SeededGenerator(seed: 11)
    try #require(whole.pageCount > 40)
    // Every kind in every page takes its time: a fourth of them each run, all in the night.
    let isNightly = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1"
    let turn = Damage.allCases.firstIndex(of: kind) ?? 0
    for number in 1...whole.pageCount where isNightly || number < 4 || number % Damage.allCases.count == turn {
      let damaged = try DamagedFolder(whole) { bytes in
        bytes.damagePage(number) { damage(&$0, kind, &generator) }
      }
      try check(damaged, whole, damagedPage: number, "\(kind.rawValue) in page \(number)")
      // Other tests need the threads that tests share.
      await Task.yield()
    }
  }

  /// Opens, repairs, and opens again.
  private func check(
    _ damaged: DamagedFolder, _ whole: DamagedFolder.Content, damagedPage: Int, _ place: String
  ) throws {
    // Whatever opening and listing make of it, they say so by a typed error or give what was committed.
    do {
      let entries = try MeterStore(folder: damaged.folder.whenFree()).queueSnapshot()
      for record in entries.compactMap(\.record) {
        #expect(whole.records[record.logID]?.contentHash == record.contentHash, "\(place)")
      }
    } catch {
      #expect(
        [.corrupt, .database, .diskFull, .inputOutput, .newerVersion, .vault].contains(error.code), "\(place): \(error)"
      )
    }
    let repair = try MeterStore.repair(folder: damaged.folder.whenFree())
    let store = try MeterStore(folder: damaged.folder.whenFree())
    #expect(try store.damage() == [], "\(place)")
    let kept = try contents(store)
    for (name, record) in kept.records {
      let original = whole.records[name]
      #expect(
        record.values == original?.values && record.computedHash == original?.contentHash,
        "\(place): \(name) is another one")
    }
    let missing = Set(whole.records.keys).subtracting(kept.records.keys)
    let mayBeLost = whole.records.keys.filter { whole.pages[$0] == damagedPage }
    // A long text goes on in pages of its own, of which each belongs to one reading.
    let isOverflow = !whole.pages.values.contains(damagedPage)
    #expect(isOverflow ? missing.count <= 1 : missing.isSubset(of: mayBeLost), "\(place): \(missing.count) lost")
    let named = Set(repair.lost)
    #expect(
      missing.allSatisfy { named.contains($0.description) } || named.contains { $0.hasPrefix("record ") }
        || missing.isEmpty, "\(place): \(missing.count) lost, named \(repair.lost)")
    for (name, state) in kept.states where !repair.held.contains(name.description) {
      #expect(state.first == whole.states[name]?.first, "\(place): \(name)")
    }
    try checkAgain(store, whole, missing, place)
  }

  /// Reads the meter again, from the beginning.
  private func checkAgain(
    _ store: MeterStore, _ whole: DamagedFolder.Content, _ missing: Set<LogID>, _ place: String
  ) throws {
    var session = try store.currentSession()
    if session.user == nil { session = try store.startSession(Fixture.user, token: Fixture.token).session }
    let keys = try store.storage(generation: session.generation, family: "glucose", meter: Fixture.meter)
    #expect(keys["user/cursor"] == nil, "\(place)")
    let receipt = try #require(
      try store.commit([Fixture.unit(session.generation, DamagedFolder.readings)]).first)
    #expect(receipt.suspects.isEmpty, "\(place)")
    let names = receipt.new.map(\.record.logID)
    #expect(
      Set(names).count == names.count && Set(names).isDisjoint(with: Set(whole.records.keys).subtracting(missing)),
      "\(place): a reading that is there comes a second time")
    let all = try contents(store).records
    #expect(Set(all.keys).count >= whole.records.count - missing.count, "\(place)")
  }

  private func contents(_ store: MeterStore) throws -> (records: [LogID: MeterCore.Record], states: [LogID: [String]]) {
    try store.database.read { db in
      var (records, states): ([LogID: MeterCore.Record], [LogID: [String]]) = ([:], [:])
      for row in try Row.fetchAll(db, sql: "SELECT * FROM record JOIN delivery ON delivery.record = record.id") {
        let record = try RecordCoding.decode(row["content"])
        #expect(records.updateValue(record, forKey: record.logID) == nil, "\(record.logID) is there twice")
        states[record.logID] = [row["state"], row["reason"] ?? ""]
      }
      return (records, states)
    }
  }

  private func free(_ folder: DamagedFolder) -> URL { folder.folder.whenFree() }
  private func free(_ folder: TemporaryFolder) -> URL { folder.whenFree() }

  @Test("of a whole database loses nothing but the cursors")
  func whole() throws {
    let whole = try DamagedFolder.whole.get()
    let folder = try DamagedFolder(whole) { _ in }
    let before = try Data(contentsOf: folder.database)
    let repair = try MeterStore.repair(folder: free(folder))
    #expect(repair.lost.isEmpty && repair.held.isEmpty && !repair.lostSession)
    #expect(repair.unreadableRows == 0 && repair.unreadablePages.isEmpty)
    #expect(repair.kept["record"] == whole.records.count)
    #expect(repair.kept["seen"] == 90)
    #expect(repair.kept["storage"] == 2, "the meter's key and the user's secret, and no cursor")
    #expect(try Data(contentsOf: URL(fileURLWithPath: repair.damaged + "/state.sqlite")) == before)
    let store = try MeterStore(folder: free(folder))
    #expect(try store.currentSession().user == Fixture.user)
    #expect(try store.isPaused())
    #expect(try store.cached("gatt", address: "A") == [1, 2])
    #expect(try contents(store).states == whole.states)
    let counts = try store.tally()
    #expect(counts[.pending] == whole.states.values.count { $0[0] == "pending" })
    #expect(try store.usage().records == whole.records.count)
    // What a person threw away does not come back.
    let generation = try store.currentSession().generation
    let receipt = try store.commit([Fixture.unit(generation, [DamagedFolder.readings[4]])])
    #expect(receipt.first?.new.isEmpty == true)
  }

  @Test("of a folder that a newer version wrote is refused, and nothing of it is touched")
  func newer() throws {
    let folder = try DamagedFolder(DamagedFolder.whole.get()) { _ in }
    let queue = try DatabaseQueue(path: folder.database.path)
    try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('v999')") }
    try queue.close()
    let before = try Data(contentsOf: folder.database)
    let error = #expect(throws: StoreError.self) { try MeterStore.repair(folder: free(folder)) }
    #expect(error?.code == .newerVersion)
    #expect(try Data(contentsOf: folder.database) == before)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.state.path).sorted() == [
        "commits", "lock", "state.sqlite", "vault",
      ])
  }

  @Test("of a folder in which a version's name is damaged keeps what is there", arguments: [0, 1, 2])
  func damagedVersion(place: Int) throws {
    let whole = try DamagedFolder.whole.get()
    let folder = try DamagedFolder(whole) { _ in }
    let queue = try DatabaseQueue(path: folder.database.path)
    try queue.write { db in
      let names = try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid")
      let name = [names.first, names.dropFirst(names.count / 2).first, names.last][place]
      try db.execute(
        sql: "UPDATE grdb_migrations SET identifier = ? WHERE identifier = ?", arguments: ["x\(name ?? "")", name])
    }
    try queue.close()
    let repair = try MeterStore.repair(folder: free(folder))
    #expect(repair.lost.isEmpty && !repair.lostSession, "\(repair)")
    let store = try MeterStore(folder: free(folder))
    #expect(try contents(store).records.count == whole.records.count)
  }

  @Test("of an older version's folder keeps its version, and opening goes on from there")
  func older() throws {
    let folder = try TemporaryFolder(inMemory: true)
    let state = try StateFolder(path: folder.state.path)
    let file = try state.makePrivateFile(MeterStore.fileName)
    let old = try DatabaseQueue(path: file)
    try StoreSchema.migrator(Vault(folder: state, credentials: nil)).migrate(old, upTo: "v1")
    let record = Fixture.glucose(1)
    try old.write { db in
      try db.execute(
        sql:
          "UPDATE session SET generation = 7, user_id = 'ada', organization_id = 'clinic', token = 'sesame-opens-0815'")
      try db.execute(
        sql:
          "INSERT INTO record (owner, log_id, revision, content, content_hash, committed_us) VALUES (?, ?, 1, ?, ?, 5)",
        arguments: [
          Fixture.user.ownerKey, record.logID.description, try RecordCoding.encode(record), Data(record.contentHash),
        ])
    }
    try old.close()
    withExtendedLifetime(state) {}
    try repairAfterClosing(folder, record)
  }

  private func repairAfterClosing(_ folder: TemporaryFolder, _ record: MeterCore.Record) throws {
    let copy = try TemporaryFolder(inMemory: true)
    try FileManager.default.createDirectory(at: copy.state, withIntermediateDirectories: false)
    try FileManager.default.copyItem(
      at: folder.state.appendingPathComponent(MeterStore.fileName),
      to: copy.state.appendingPathComponent(MeterStore.fileName))
    let repair = try MeterStore.repair(folder: copy.whenFree())
    #expect(repair.held == [record.logID.description], "no delivery was there")
    let store = try MeterStore(folder: copy.whenFree())
    #expect(try store.currentSession().generation.rawValue == 7)
    #expect(try store.queueSnapshot().map(\.state) == [.held])
  }

  @Test("holds lost deliveries for every receiver that was to get the reading, and for no other")
  func lostDeliveries() throws {
    let folder = try TemporaryFolder(inMemory: true)
    do {
      let store = try MeterStore(folder: folder.state)
      let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
      _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
      try store.setSink("research", .unknown([1]), token: AccessToken("research-opens"))
      _ = try store.commit([Fixture.unit(generation, (2...5).map { Fixture.glucose($0) })])
      let accepted = try store.claim(sink: "research", limit: 2)
      _ = try store.resolve(accepted.map { ($0, .delivered(receiverID: "r")) })
      #expect(accepted.map(\.record.deviceSequence) == [2, 3])
      try store.database.writeWithoutTransaction { db in
        let lost = [(3, "research"), (4, "research"), (5, "research"), (5, MeterStore.defaultSink)]
        for (record, sink) in lost {
          try db.execute(sql: "DELETE FROM delivery WHERE record = ? AND sink = ?", arguments: [record, sink])
        }
        _ = try db.checkpoint(.truncate)
      }
    }
    let repair = try MeterStore.repair(folder: free(folder))
    #expect(Set(repair.held) == Set([4, 5].map { Fixture.glucose($0).logID.description }))
    #expect(repair.held.count == 2)
    let store = try MeterStore(folder: free(folder))
    let found = try store.queueSnapshot().map { "\($0.record?.deviceSequence ?? 0) \($0.sink) \($0.state)" }
    #expect(
      found == [
        "1 inform pending", "2 inform pending", "2 research delivered", "3 inform pending", "4 inform pending",
        "4 research held", "5 inform held", "5 research held",
      ])
    #expect(try store.confirm([Fixture.glucose(5).logID]).count == 1)
    #expect(try store.tally()[.pending] == 6)
  }

  @Test("of a database that is gone is refused")
  func missing() throws {
    let folder = try DamagedFolder(DamagedFolder.whole.get()) { _ in }
    do { _ = try MeterStore(folder: free(folder)) }
    try FileManager.default.removeItem(at: folder.database)
    let error = #expect(throws: StoreError.self) { try MeterStore.repair(folder: free(folder)) }
    #expect(error?.code == .missingDatabase)
  }

  @Test("of random bytes keeps nothing and ends")
  func noise() throws {
    var generator = SeededGenerator(seed: 5)
    for size in [0, 1, 100, 4095, 4096, 4097, 65_536] {
      let folder = try TemporaryFolder(inMemory: true)
      try FileManager.default.createDirectory(at: folder.state, withIntermediateDirectories: false)
      let bytes = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      try Data(bytes).write(to: folder.state.appendingPathComponent(MeterStore.fileName))
      try Data(bytes).write(to: folder.state.appendingPathComponent(MeterStore.fileName + "-wal"))
      guard size > 0 else { continue }
      let repair = try MeterStore.repair(folder: free(folder))
      #expect(repair.kept["record"] == 0 && repair.lostSession)
      #expect(try MeterStore(folder: free(folder)).queueSnapshot().isEmpty)
    }
  }
}
