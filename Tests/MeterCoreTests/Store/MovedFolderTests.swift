import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// SQLite goes on writing into a file that has no name any more: nothing of that may be acknowledged.
@Suite("A state folder or a file of it that is taken away under a running host")
struct MovedFolderTests {
  private static let files = [
    MeterStore.fileName, "\(MeterStore.fileName)-wal", "lock", CommitWitness.fileName,
  ]

  private let folder: TemporaryFolder
  private let store: MeterStore
  private let generation: SessionGeneration

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
  }

  private func refusal(_ number: UInt64) -> StoreError? {
    do throws(StoreError) {
      _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(number)])])
      return nil
    } catch { return error }
  }

  @Test(
    "a file that was removed ends the acknowledging at once, also of those who share transactions", arguments: files)
  func removed(_ name: String) async throws {
    let file = folder.state.appending(path: name)
    try FileManager.default.removeItem(at: file)
    let error = refusal(2)
    #expect(error?.code == .moved && error?.message.contains(file.path) == true, "\(String(describing: error))")
    let shared = await #expect(throws: StoreError.self) {
      try await store.submit([Fixture.unit(generation, [Fixture.glucose(3)])])
    }
    #expect(shared?.code == .moved)
    #expect(throws: StoreError.self) { try store.checkPlace() }
  }

  @Test("a file that was replaced by its copy is another file; put back, it is the old one", arguments: files)
  func replaced(_ name: String) throws {
    let (file, aside) = (folder.state.appending(path: name), folder.state.appending(path: "aside"))
    try FileManager.default.moveItem(at: file, to: aside)
    try FileManager.default.copyItem(at: aside, to: file)
    #expect(refusal(2)?.code == .moved)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.moveItem(at: aside, to: file)
    #expect(refusal(3) == nil)
    #expect(try store.queueSnapshot().compactMap { $0.record?.deviceSequence } == [1, 3])
  }

  @Test("a folder that was moved acknowledges nothing, and belongs to its owner wherever it is")
  func moved() throws {
    let place = folder.url.appending(path: "elsewhere")
    try FileManager.default.moveItem(at: folder.state, to: place)
    let error = refusal(2)
    #expect(error?.code == .moved && error?.message.contains(folder.state.path) == true)
    let other = #expect(throws: StoreError.self) { try MeterStore(folder: place) }
    #expect(other?.code == .busy)
    // A new one in its place is none of this store's.
    try FileManager.default.createDirectory(at: folder.state, withIntermediateDirectories: false)
    #expect(refusal(3)?.code == .moved)
  }

  @Test("a lock file that was removed lets nobody else in")
  func lockRemoved() throws {
    try FileManager.default.removeItem(at: folder.state.appending(path: "lock"))
    let other = #expect(throws: StoreError.self) { try MeterStore(folder: folder.state) }
    #expect(other?.code == .busy)
  }

  @Test("a file that is taken away between the look at it and the end of the commit: nobody is told", arguments: files)
  func removedMeanwhile(_ name: String) async throws {
    let (file, aside) = (folder.state.appending(path: name), folder.url.appending(path: "aside"))
    let before = CommitWitness.read(folder.state.path)
    let changes = store.eventChanges()
    let error = #expect(throws: StoreError.self) {
      try store.transaction { db in
        try MeterStore.log(.sessionStarted(HostEvent.SessionStart(Fixture.user)), db)
        try FileManager.default.moveItem(at: file, to: aside)
      }
    }
    #expect(error?.code == .moved)
    let isHeard = await hasHeard(changes)
    #expect(!isHeard)
    try FileManager.default.moveItem(at: aside, to: file)
    #expect(CommitWitness.read(folder.state.path) == before, "what may be gone is not counted")
    // Put back, it is there, and told with the next that is counted.
    let later = store.eventChanges()
    try store.setPaused(true)
    let isHeardLater = await hasHeard(later)
    #expect(isHeardLater)
    #expect(try store.events(after: 0).events.count == 2)
    let count = try store.reading { db in try CommitCount.fetch(db) }
    #expect(CommitWitness.read(folder.state.path) == .count(count))
  }

  /// Whether something was said until now. A cancelled listener gets what is there, and then the end.
  private func hasHeard(_ changes: AsyncStream<Void>) async -> Bool {
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var iterator = changes.makeAsyncIterator()
      return await iterator.next() != nil
    }.value
  }

  @Test(
    "a file that was cut ends the acknowledging before anything is written behind the gap",
    arguments: [
      (MeterStore.fileName, 4096), ("\(MeterStore.fileName)-wal", 0), ("\(MeterStore.fileName)-wal", 31),
      ("\(MeterStore.fileName)-wal", 20_000), (CommitWitness.fileName, 0),
    ])
  func cut(_ name: String, _ length: Int) async throws {
    let path = folder.state.appending(path: name).path
    if name == MeterStore.fileName { try store.writing { db in _ = try db.checkpoint(.passive) } }
    let before = try #require(StateFolder.size(path))
    try #require(before > length && truncate(path, length) == 0)
    let place = #expect(throws: StoreError.self) { try store.checkPlace() }
    #expect(place?.code == .moved && place?.message.contains("cut") == true, "\(String(describing: place))")
    let error = refusal(2)
    #expect(error?.code == .moved && error?.message.contains("\(path) was cut") == true, "\(String(describing: error))")
    #expect(error?.message.contains("\(length) bytes are left of \(before)") == true)
    let shared = await #expect(throws: StoreError.self) {
      try await store.submit([Fixture.unit(generation, [Fixture.glucose(3)])])
    }
    #expect(shared?.code == .moved)
    #expect(StateFolder.size(path) == Int64(length), "nothing was written into it")
  }

  @Test("a folder whose journal was cut is nobody else's until the process ends: SQLite still knows what is not there")
  func keptUntilTheEnd() throws {
    let folder = try TemporaryFolder(inMemory: true)
    let journal = folder.state.appending(path: "\(MeterStore.fileName)-wal").path
    do {
      let store = try MeterStore(folder: folder.state)
      _ = try store.startSession(Fixture.user, token: Fixture.token)
      try #require(truncate(journal, 0) == 0)
      #expect(throws: StoreError.self) { try store.checkPlace() }
    }
    let other = #expect(throws: StoreError.self) { try MeterStore(folder: folder.state) }
    #expect(other?.code == .busy)
    #expect(StateFolder.size(journal) == 0)
  }

  @Test("what SQLite itself shortens is no cut, whoever asks it to")
  func shortened() throws {
    let journal = folder.state.appending(path: "\(MeterStore.fileName)-wal").path
    try store.database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    let note = RecordNote(field: 1, text: String(repeating: "long ", count: 200_000))
    for number in UInt64(2)...7 {
      let short = Fixture.glucose(number)
      let long = Record(
        logID: short.logID, identityClass: .stored, type: .diabetes, time: short.time, deviceSequence: number,
        values: short.values, notes: [note], source: Fixture.source)
      _ = try store.commit([Fixture.unit(generation, [long])])
    }
    let long = try #require(StateFolder.size(journal))
    try #require(long > 5 << 20)
    // The first commit behind a whole checkpoint begins the journal again, and shortens it to its limit.
    _ = try store.database.writeWithoutTransaction { db in try db.checkpoint(.restart) }
    #expect(refusal(8) == nil)
    #expect(StateFolder.size(journal) ?? long < long)
    #expect(refusal(9) == nil)
    // A program that makes backups is a second connection.
    do {
      let other = try DatabaseQueue(path: folder.state.appending(path: MeterStore.fileName).path)
      _ = try other.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
    }
    #expect(StateFolder.size(journal) == 0)
    try store.checkPlace()
    #expect(refusal(10) == nil)
    _ = try store.discard([Fixture.glucose(2).logID, Fixture.glucose(3).logID], includingPending: true)
    _ = try store.giveBackSpace()
    _ = try store.database.writeWithoutTransaction { db in try db.checkpoint(.passive) }
    #expect(refusal(11) == nil)
  }

  @Test(
    "a journal that is cut under a process: what is there at the next start and what is told as missing were acknowledged"
  )
  func cutUnderAProcess() async throws {
    let folder = try TemporaryFolder(inMemory: true)
    let run = try await onOwnThread { try KilledProbe(folder, ["9", "cut"], calls: "none") }
    #expect(run.last("acknowledged") == 9 && run.lines.last?.hasPrefix("moved: ") == true, "\(run.lines)")
    let store = try MeterStore(folder: folder.whenFree())
    let missing = try store.losses().compactMap(\.commits).reduce(0, +)
    let found = try store.queueSnapshot().count
    #expect(missing > 0 && found + 3 * Int(missing) == 27, "\(found) readings, \(missing) commits are missing")
    // Not even half of a transaction was moved into the database when the process closed it.
    #expect(try store.damage().isEmpty)
  }
}
