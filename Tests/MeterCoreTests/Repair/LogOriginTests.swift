import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// What a journal's own count says where it was moved into the database in part, and where it counts nothing.
@Suite("Where a journal comes from", .timeLimit(.minutes(60)))
struct LogOriginTests {
  private typealias Files = [String: Data]
  private static let database = MeterStore.fileName
  private static let journal = "\(MeterStore.fileName)-wal"
  private static let names = [database, journal, CommitWitness.fileName, "vault/key", "initialized"]

  /// A gateway whose journal is moved into the database only when a test does it.
  private struct Gateway {
    let folder: TemporaryFolder
    let store: MeterStore
    let generation: SessionGeneration

    init() throws {
      folder = try TemporaryFolder(inMemory: true)
      store = try MeterStore(folder: folder.state)
      generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
      try store.writing { db in try db.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    }

    func commit(_ numbers: ClosedRange<UInt64>) throws {
      for number in numbers { _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(number)])]) }
    }

    func move(_ kind: Database.CheckpointMode) throws {
      try store.writing { db in _ = try db.checkpoint(kind) }
    }

    /// Commits that nobody counts, as those of a migration.
    func write(_ names: String...) throws {
      for name in names {
        try store.writing { db in try db.execute(sql: "INSERT INTO setting VALUES (?, 'x')", arguments: [name]) }
      }
    }

    /// Its files as a process that is killed now leaves them.
    func left() throws -> Files {
      try Dictionary(
        LogOriginTests.names.map { ($0, try Data(contentsOf: folder.state.appending(path: $0))) },
        uniquingKeysWith: { $1 })
    }
  }

  private static func path(_ folder: TemporaryFolder) -> String { folder.state.appending(path: database).path }

  private func origin(_ files: Files) throws -> LogOrigin {
    let folder = try TemporaryFolder.holding(files)
    let path = Self.path(folder)
    return try LogOrigin(DatabaseImage(path: path), path: path, CommitWitness.read(folder.state.path))
  }

  /// The count of the database file, with its journal and without.
  private func counts(_ files: Files) throws -> (alone: CommitCount?, whole: CommitCount?) {
    let folder = try TemporaryFolder.holding(files)
    let path = Self.path(folder)
    return (
      Salvage.commitCount(in: try DatabaseImage(path: path, readsLog: false)),
      Salvage.commitCount(in: try DatabaseImage(path: path))
    )
  }

  private func numbers(_ store: MeterStore, _ state: DeliveryState? = nil) throws -> [UInt64] {
    try store.queueSnapshot().filter { state == nil || $0.state == state }.compactMap { $0.record?.deviceSequence }
      .sorted()
  }

  /// The files with the count's page damaged in those of the journal's commits that are meant.
  private func damaging(_ files: Files, _ isMeant: (CommitCount) -> Bool) throws -> Files {
    let folder = try TemporaryFolder.holding(files)
    let image = try DatabaseImage(path: Self.path(folder))
    var places: [Int] = []
    image.forEachFrame { frame, _, place in
      guard frame.first == TreePage.Kind.tableLeaf.rawValue,
        let row = TreePage(content: Array(frame), in: image)?.rows.first, let count = CommitCount(row), isMeant(count)
      else { return }
      places.append(place)
    }
    try #require(!places.isEmpty)
    var damaged = files
    for place in places { damaged[Self.journal]?[place + 100] ^= 0x5A }
    return damaged
  }

  /// Opening finds the damage, and a repair takes what the journal has.
  private func expectMended(_ files: Files, _ wanted: [UInt64]) throws {
    let folder = try TemporaryFolder.holding(files)
    let error = #expect(throws: StoreError.self) { _ = try MeterStore(folder: folder.whenFree()) }
    #expect(error?.code == .corrupt, "\(String(describing: error))")
    let repair = try MeterStore.repair(folder: folder.whenFree())
    #expect(repair.foreignLog == nil, "it is the database's own, damaged")
    #expect(try numbers(MeterStore(folder: folder.whenFree())) == wanted)
  }

  @Test("one that was moved in part is the database's own, although it begins with what the database has")
  func movedInPart() throws {
    let gateway = try Gateway()
    try gateway.commit(1...5)
    try gateway.move(.truncate)
    let before = try #require(try counts(gateway.left()).alone)
    try gateway.commit(6...10)
    // Who reads keeps the journal from beginning anew behind what was moved.
    let pool = try #require(gateway.store.database as? DatabasePool)
    let reader = try pool.makeSnapshot()
    try gateway.move(.passive)
    try gateway.commit(11...15)
    let files = try gateway.left()
    withExtendedLifetime(reader) {}
    let (alone, whole) = try counts(files)
    let (file, log) = (try #require(alone), try #require(whole))
    #expect(before.number + 5 == file.number && file.number + 5 == log.number, "\(before) \(file) \(log)")
    #expect(try origin(files) == .own)
    let folder = try TemporaryFolder.holding(files)
    let store = try MeterStore(folder: folder.whenFree())
    #expect(try numbers(store) == Array(1...15) && store.losses().isEmpty)
  }

  @Test("one that was moved as a whole is the database's own although its last counts are damaged")
  func movedAndDamaged() throws {
    let gateway = try Gateway()
    try gateway.move(.truncate)
    try gateway.commit(1...10)
    let middle = try gateway.store.reading { db in try CommitCount.fetch(db) }
    try gateway.commit(11...15)
    try gateway.write("a", "b")
    try gateway.move(.passive)
    let files = try damaging(gateway.left()) { $0.number > middle.number }
    #expect(try origin(files) == .own)
    try expectMended(files, Array(1...15))
  }

  @Test("one that counts nothing leaves the count as it is, and is the database's own")
  func uncounted() throws {
    let gateway = try Gateway()
    try gateway.commit(1...5)
    try gateway.move(.truncate)
    try gateway.write("a", "b")
    let files = try gateway.left()
    let (alone, whole) = try counts(files)
    #expect(alone != nil && alone == whole)
    #expect(try origin(files) == .own)
    let folder = try TemporaryFolder.holding(files)
    let store = try MeterStore(folder: folder.whenFree())
    #expect(try numbers(store) == Array(1...5) && store.losses().isEmpty)
    let written = try store.reading { db in
      try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = 'b'")
    }
    #expect(written == "x", "and what it has is there")
  }

  @Test("one that counts nothing, and after which the database would count nothing either, is another database's")
  func uncountedOfAnother() throws {
    let gateway = try Gateway()
    try gateway.commit(1...5)
    try gateway.move(.truncate)
    var files = try gateway.left()
    let other = try TemporaryFolder(inMemory: true)
    let pool = try DatabasePool(path: other.url.appending(path: "other").path)
    try pool.write { db in
      for table in 0..<40 {
        try db.execute(sql: "CREATE TABLE t\(table) (a TEXT)")
        try db.execute(sql: "INSERT INTO t\(table) VALUES ('not a reading')")
      }
    }
    files[Self.journal] = try Data(contentsOf: other.url.appending(path: "other-wal"))
    #expect(try origin(files) == .foreign)
    let folder = try TemporaryFolder.holding(files)
    let error = #expect(throws: StoreError.self) { _ = try MeterStore(folder: folder.whenFree()) }
    #expect(error?.code == .foreignLog && error?.message.contains("another database's") == true)
    let repair = try MeterStore.repair(folder: folder.whenFree())
    #expect(repair.foreignLog == .otherDatabase && repair.lost.isEmpty && repair.held.isEmpty)
    #expect(try numbers(MeterStore(folder: folder.whenFree())) == Array(1...5))
  }

  @Test("one whose only count is damaged is the database's own, although the count is not where it was any more")
  func uncountedAndDamaged() throws {
    let gateway = try Gateway()
    try gateway.commit(1...5)
    try gateway.move(.truncate)
    // Writes every page anew, in another place, in one commit.
    try gateway.store.writing { db in try db.execute(sql: "VACUUM") }
    try gateway.write("a", "b")
    let files = try damaging(gateway.left()) { _ in true }
    let (alone, whole) = try counts(files)
    try #require(alone != nil && alone != whole)
    #expect(try origin(files) == .own)
    try expectMended(files, Array(1...5))
  }

  @Test(
    "one that goes on from a copy that was made page by page anew does not fit its pages, although no commit is missing"
  )
  func copiedAnew() throws {
    let gateway = try Gateway()
    try gateway.commit(1...10)
    try gateway.move(.truncate)
    let copy = gateway.folder.url.appending(path: "copy").path
    try gateway.store.writing { db in try db.execute(sql: "VACUUM INTO ?", arguments: [copy]) }
    try gateway.commit(11...15)
    var files = try gateway.left()
    files[Self.database] = try Data(contentsOf: URL(filePath: copy))
    #expect(try origin(files) == .later)
    let folder = try TemporaryFolder.holding(files)
    let repair = try MeterStore.repair(folder: folder.whenFree())
    #expect(repair.foreignLog == .later && repair.held.count == 5)
    let store = try MeterStore(folder: folder.whenFree())
    #expect(try numbers(store, .pending) == Array(1...10) && numbers(store, .held) == Array(11...15))
  }
}
