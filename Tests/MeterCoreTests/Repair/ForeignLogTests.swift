import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// SQLite takes the pages of any log for newer ones of the database beside which it lies.
@Suite("A journal that is not the database's", .timeLimit(.minutes(60)))
struct ForeignLogTests {
  private typealias Files = [String: Data]
  private static let database = MeterStore.fileName
  private static let journal = "\(MeterStore.fileName)-wal"
  private static let count = CommitWitness.fileName
  private static let names = [database, journal, count, "vault/key", "initialized"]

  /// A gateway's folder at several moments, each as a killed process leaves it.
  private struct Life {
    /// Readings 1 to 40 are in the database file; the journal is empty.
    var early: Files = [:]
    /// Readings 41 to 80 are in the journal.
    var middle: Files = [:]
    /// Readings 1 to 80 are in the database file, 81 to 90 in the journal.
    var late: Files = [:]
  }

  private static let ada = Result { try live(Fixture.user) }
  private static let grace = Result { try live(Fixture.otherUser) }

  private static func live(_ user: SessionUser) throws -> Life {
    let folder = try TemporaryFolder(inMemory: true)
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(user, token: Fixture.token).session.generation
    func commit(_ numbers: ClosedRange<UInt64>) throws {
      for number in numbers { _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(number)])]) }
    }
    func checkpoint() throws {
      try store.writing { db in
        _ = try db.checkpoint(.truncate)
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
      }
    }
    func files() throws -> Files {
      try Dictionary(
        names.map { ($0, try Data(contentsOf: folder.state.appending(path: $0))) }, uniquingKeysWith: { $1 })
    }
    var life = Life()
    try commit(1...40)
    try checkpoint()
    life.early = try files()
    try commit(41...80)
    life.middle = try files()
    try checkpoint()
    try commit(81...90)
    life.late = try files()
    return life
  }

  private func folder(_ files: Files) throws -> TemporaryFolder { try TemporaryFolder.holding(files) }

  private func numbers(_ store: MeterStore, _ states: Set<DeliveryState>? = nil) throws -> [UInt64] {
    try store.queueSnapshot().filter { states?.contains($0.state) ?? true }.compactMap { $0.record?.deviceSequence }
      .sorted()
  }

  /// Opening and looking are refused, and change nothing.
  private func expectRefusal(_ folder: TemporaryFolder, _ files: Files, _ word: String) throws {
    for isLooking in [false, true, false] {
      let error = #expect(throws: StoreError.self) {
        _ = try isLooking ? MeterStore(readOnly: folder.whenFree()) : MeterStore(folder: folder.whenFree())
      }
      #expect(error?.code == .foreignLog && error?.message.contains(word) == true, "\(String(describing: error))")
      for name in [Self.database, Self.journal, Self.count] {
        #expect(try Data(contentsOf: folder.state.appending(path: name)) == files[name], "\(name)")
      }
    }
  }

  private func expectKept(_ repair: StoreRepair, _ files: Files) throws {
    for name in [Self.database, Self.journal] {
      #expect(try Data(contentsOf: URL(filePath: "\(repair.damaged)/\(name)")) == files[name], "\(name)")
    }
  }

  @Test(
    "another database's is refused before SQLite opens anything, and repair keeps this database's readings alone",
    arguments: [false, true])
  func otherDatabase(withItsCount: Bool) throws {
    var files = try Self.ada.get().early
    let other = try Self.grace.get().late
    files[Self.journal] = other[Self.journal]
    if withItsCount { files[Self.count] = other[Self.count] }
    let folder = try folder(files)
    try expectRefusal(folder, files, "another database's")
    let repair = try MeterStore.repair(folder: folder.whenFree())
    #expect(repair.foreignLog == .otherDatabase && repair.lost.isEmpty && repair.held.isEmpty && !repair.lostSession)
    try expectKept(repair, files)
    let store = try MeterStore(folder: folder.whenFree())
    #expect(try numbers(store) == Array(1...40) && store.currentSession().user == Fixture.user)
    #expect(try store.damage().isEmpty)
  }

  @Test("another database's beside a file that has never counted is known by the file that counts")
  func youngDatabase() throws {
    var files = try Self.grace.get().late
    let folder = try TemporaryFolder(inMemory: true)
    let young = folder.url.appending(path: "young").path
    do {
      let pool = try DatabasePool(path: young)
      try pool.close()
    }
    files[Self.database] = try Data(contentsOf: URL(filePath: young))
    files[Self.count] = try Self.ada.get().late[Self.count]
    try expectRefusal(try self.folder(files), files, "another database's")
  }

  @Test("an older copy of the database with a later journal loses nothing that is in either")
  func laterLog() throws {
    let life = try Self.ada.get()
    var files = life.late
    files[Self.database] = life.early[Self.database]
    let folder = try folder(files)
    try expectRefusal(folder, files, "a later state")
    let repair = try MeterStore.repair(folder: folder.whenFree())
    #expect(repair.foreignLog == .later && !repair.lostSession)
    try expectKept(repair, files)
    let store = try MeterStore(folder: folder.whenFree())
    let found = try numbers(store)
    #expect(Set(1...40).isSubset(of: found), "what the copy has is all there: \(found)")
    #expect(Set(81...90).isSubset(of: found), "and so is what was committed into the journal: \(found)")
    #expect(try numbers(store, [.pending]) == Array(1...40))
    #expect(Set(repair.held).count == found.count - 40, "what is in the journal only waits for a person")
    // The commits between the copy and the end are told.
    #expect(try store.losses().compactMap(\.commits).reduce(0, +) >= 40)
    #expect(try store.damage().isEmpty)
    // A meter brings again what is missing, and nothing twice.
    let generation = try store.currentSession().generation
    let all = (UInt64(1)...90).map { Fixture.glucose($0) }
    _ = try store.commit([Fixture.unit(generation, all)])
    #expect(try numbers(store) == Array(1...90))
  }

  @Test("an older journal beside a later database is refused, and repair has everything")
  func earlierLog() throws {
    let life = try Self.ada.get()
    var files = life.late
    files[Self.journal] = life.middle[Self.journal]
    // The database file goes on behind the journal's end.
    let merged = try folder(life.late)
    do {
      let store = try MeterStore(folder: merged.whenFree())
      try store.writing { db in _ = try db.checkpoint(.truncate) }
      for name in [Self.database, Self.count] {
        files[name] = try Data(contentsOf: merged.state.appending(path: name))
      }
    }
    let folder = try folder(files)
    try expectRefusal(folder, files, "before the state")
    let repair = try MeterStore.repair(folder: folder.whenFree())
    #expect(repair.foreignLog == .earlier && repair.lost.isEmpty && repair.held.isEmpty)
    let store = try MeterStore(folder: folder.whenFree())
    #expect(try numbers(store) == Array(1...90) && store.losses().isEmpty)
  }

  @Test("a copy that was made page by page anew does not go with the journal of its own time")
  func vacuumed() throws {
    let files = try Self.ada.get().late
    let whole = try folder(files)
    let copy = whole.url.appending(path: "copy").path
    do {
      let store = try MeterStore(folder: whole.whenFree())
      try store.database.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [copy]) }
    }
    var mixed = files
    mixed[Self.database] = try Data(contentsOf: URL(filePath: copy))
    let folder = try folder(mixed)
    #expect(throws: StoreError.self) { _ = try MeterStore(folder: folder.whenFree()) }
    let repair = try MeterStore.repair(folder: folder.whenFree())
    #expect(repair.foreignLog != nil)
    #expect(try numbers(MeterStore(folder: folder.whenFree())) == Array(1...90))
  }

  @Test("its own is taken at every moment: unmoved, begun anew, moved as a whole")
  func own() throws {
    let life = try Self.ada.get()
    for (files, last) in [(life.early, UInt64(40)), (life.middle, 80), (life.late, 90)] {
      let folder = try folder(files)
      let store = try MeterStore(folder: folder.whenFree())
      #expect(try numbers(store) == Array(1...last) && store.losses().isEmpty)
    }
    // Moved as a whole, and the journal not begun anew: it says nothing new.
    var files = life.middle
    let moved = try folder(life.middle)
    do {
      let store = try MeterStore(folder: moved.whenFree())
      try store.writing { db in _ = try db.checkpoint(.truncate) }
      for name in [Self.database, Self.count] {
        files[name] = try Data(contentsOf: moved.state.appending(path: name))
      }
    }
    let folder = try folder(files)
    #expect(try numbers(MeterStore(folder: folder.whenFree())) == Array(1...80))
  }

  @Test(
    "a journal is the database's own although another table has a row of the count's form", arguments: [false, true])
  func rowOfTheSameForm(isUntimed: Bool) throws {
    let folder = try TemporaryFolder(inMemory: true)
    do {
      let store = try MeterStore(folder: folder.state)
      _ = try store.startSession(Fixture.user, token: Fixture.token)
    }
    // The first transaction of its journal notes in which boot record 1 came.
    let store = try MeterStore(folder: folder.whenFree())
    let now = BootClock.now.utcMicroseconds
    let reading = MeterCore.Record(
      logID: .live(), identityClass: .live, type: .biometrics,
      time: RecordTime(
        startMicroseconds: now, endMicroseconds: now, civilMicroseconds: nil, utcOffsetSeconds: 0, zoneSource: .gateway,
        kind: isUntimed ? .none : .utc),
      values: [RecordValue(metric: 1, unit: 2, number: ReportedNumber(mantissa: 112, exponent: 0))],
      source: Fixture.source)
    let generation = try store.currentSession().generation
    _ = try store.commit([Fixture.unit(generation, [reading], disposition: .held(.hostClockUnsynchronized))])
    let left = try Dictionary(
      Self.names.map { ($0, try Data(contentsOf: folder.state.appending(path: $0))) }, uniquingKeysWith: { $1 })
    let copy = try self.folder(left)
    #expect(try MeterStore(folder: copy.whenFree()).queueSnapshot().map(\.record?.logID) == [reading.logID])
  }

  @Test("a journal that begins with a noted loss is the database's own, however far its numbers jump")
  func jump() throws {
    var files = try Self.ada.get().late
    files[Self.journal] = nil
    let folder = try folder(files)
    let store = try MeterStore(folder: folder.whenFree())
    #expect(try store.losses().compactMap(\.commits) == [10])
    // As a process that is killed leaves it.
    let left = try Dictionary(
      Self.names.map { ($0, try Data(contentsOf: folder.state.appending(path: $0))) }, uniquingKeysWith: { $1 })
    let copy = try self.folder(left)
    #expect(try MeterStore(folder: copy.whenFree()).losses().compactMap(\.commits) == [10])
  }
}
