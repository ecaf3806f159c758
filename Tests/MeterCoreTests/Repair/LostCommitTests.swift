import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// A write-ahead log that was cut or lost looks to SQLite like one that was never longer: the count beside the database tells.
@Suite("Commits that are lost", .timeLimit(.minutes(60)))
struct LostCommitTests {
  private static let commits = 12

  /// A folder as a killed process leaves it: twelve commits in the journal, each with one reading.
  private struct Left {
    var files: [String: Data] = [:]
    /// The count as it was before the last commit.
    var earlierCount = Data()
    /// Database and journal as they were before the last three commits.
    var older: [String: Data] = [:]
  }

  private static let database = MeterStore.fileName
  private static let journal = "\(MeterStore.fileName)-wal"
  private static let count = CommitWitness.fileName

  private static let left = Result { try leave() }

  private static func leave() throws -> Left {
    let folder = try TemporaryFolder(inMemory: true)
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    try store.database.writeWithoutTransaction { db in
      _ = try db.checkpoint(.truncate)
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
    }
    func read(_ names: [String]) throws -> [String: Data] {
      try Dictionary(
        names.map { ($0, try Data(contentsOf: folder.state.appending(path: $0))) },
        uniquingKeysWith: { first, _ in first })
    }
    var left = Left()
    for number in 1...commits {
      if number == commits { left.earlierCount = try read([count])[count] ?? Data() }
      if number == commits - 2 { left.older = try read([database, journal]) }
      _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(UInt64(number))])])
    }
    left.files = try read([database, journal, count, "vault/key", "initialized"])
    return left
  }

  /// The folder with some of its files changed; nil leaves one out.
  private func folder(_ change: (inout [String: Data]) throws -> Void) throws -> TemporaryFolder {
    var files = try Self.left.get().files
    try change(&files)
    return try TemporaryFolder.holding(files)
  }

  private func readings(_ store: MeterStore) throws -> Int { try store.queueSnapshot().count }

  private func events(_ store: MeterStore) throws -> [HostEvent.LostCommits] {
    try store.events(after: 0, limit: 1_000).events.compactMap { logged in
      if case .commitsLost(let loss) = logged.event { loss } else { nil }
    }
  }

  @Test("nothing is told where nothing is missing")
  func whole() throws {
    let folder = try folder { _ in }
    for _ in 1...2 {
      let store = try MeterStore(folder: folder.whenFree())
      #expect(try readings(store) == Self.commits)
      #expect(try store.losses().isEmpty && events(store).isEmpty)
    }
  }

  @Test("a log that is gone is told with its number of commits, until somebody acknowledges it, and the host goes on")
  func removed() throws {
    let folder = try folder { $0[Self.journal] = nil }
    for round in 1...2 {
      let store = try MeterStore(folder: folder.whenFree())
      let loss = try store.losses()
      #expect(loss.map(\.commits) == [Int64(Self.commits)] && loss.first?.keptFolder == nil, "round \(round)")
      #expect(try events(store).map(\.commits) == [Int64(Self.commits)], "it is one event, however often it is opened")
    }
    do {
      let store = try MeterStore(folder: folder.whenFree())
      let generation = try store.currentSession().generation
      // The meter brings again what it still has.
      let receipt = try store.commit([Fixture.unit(generation, (1...12).map { Fixture.glucose(UInt64($0)) })])
      #expect(receipt.first?.new.count == Self.commits)
      #expect(try store.acknowledgeLosses().count == 1)
    }
    let store = try MeterStore(folder: folder.whenFree())
    #expect(try store.losses().isEmpty && readings(store) == Self.commits)
  }

  @Test("a log that was cut anywhere: what is there and what is told as missing are what was acknowledged")
  func cut() async throws {
    let length = try #require(try Self.left.get().files[Self.journal]?.count)
    for length in stride(from: length - 1, through: 0, by: -3_989) {
      let folder = try folder { $0[Self.journal] = $0[Self.journal]?.prefix(length) }
      let store = try MeterStore(folder: folder.whenFree())
      let missing = try store.losses().compactMap(\.commits).reduce(0, +)
      #expect(try readings(store) + Int(missing) == Self.commits, "cut to \(length)")
      #expect(missing > 0, "cut to \(length)")
      // Other tests need the threads that tests share.
      await Task.yield()
    }
  }

  @Test("flipped bits of the log are refused, or what they cost is told and kept beside the database")
  func flipped() async throws {
    let whole = try #require(try Self.left.get().files[Self.journal])
    var generator = SeededGenerator(seed: 29)
    for trial in 0..<48 {
      var bytes = whole
      // A few of them in the head, which is 32 bytes of many.
      let places = trial % 6 == 0 ? 0..<32 : 0..<bytes.count
      for _ in 0..<(1 << (trial % 7)) {
        bytes[.random(in: places, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
      guard bytes != whole else { continue }
      let folder = try folder { $0[Self.journal] = bytes }
      do throws(StoreError) {
        let store = try MeterStore(folder: folder.whenFree())
        let losses = try store.losses()
        let missing = losses.compactMap(\.commits).reduce(0, +)
        let found = try store.queueSnapshot().count
        #expect(found + Int(missing) == Self.commits, "trial \(trial)")
        for loss in losses {
          let kept = try? Data(contentsOf: URL(filePath: (loss.keptFolder ?? "") + "/\(Self.journal)"))
          #expect(kept == bytes, "trial \(trial)")
        }
      } catch {
        #expect(error.code == .corrupt, "trial \(trial): \(error)")
        let repair = try MeterStore.repair(folder: folder.whenFree())
        let store = try MeterStore(folder: folder.whenFree())
        let missing = try store.losses().compactMap(\.commits).reduce(0, +)
        // Frames behind a damaged one may hold its pages, too; nothing goes without a word.
        #expect(
          try readings(store) + repair.lost.count + Int(missing) >= Self.commits || repair.unreadableRows > 0,
          "trial \(trial)")
      }
      await Task.yield()
    }
  }

  @Test("a process that ends between a commit and its count is no loss, whatever is torn of the count")
  func killedBetween() throws {
    let earlier = try Self.left.get().earlierCount
    let killed = try folder { $0[Self.count] = earlier }
    defer { withExtendedLifetime(killed) {} }
    let store = try MeterStore(folder: killed.whenFree())
    #expect(try store.losses().isEmpty && readings(store) == Self.commits)
    for place in [0, 4096] {
      let folder = try folder { files in
        for offset in place..<(place + 512) { files[Self.count]?[offset] ^= 0x5A }
      }
      let store = try MeterStore(folder: folder.whenFree())
      #expect(try store.losses().isEmpty && readings(store) == Self.commits, "\(place)")
    }
  }

  @Test(
    "a count that is gone, unreadable or of another database is told as such, once",
    arguments: ["gone", "noise", "other"])
  func noCount(_ kind: String) throws {
    let other = try TemporaryFolder(inMemory: true)
    do { _ = try MeterStore(folder: other.state).startSession(Fixture.user, token: Fixture.token) }
    let folder = try folder { files in
      switch kind {
      case "gone": files[Self.count] = nil
      case "noise": files[Self.count] = Data(repeating: 0xA5, count: 8192)
      default: files[Self.count] = try Data(contentsOf: other.state.appending(path: Self.count))
      }
    }
    for _ in 1...2 {
      let store = try MeterStore(folder: folder.whenFree())
      #expect(try store.losses().map(\.commits) == [nil] && readings(store) == Self.commits)
    }
  }

  @Test("an older copy of the database is told by what it lacks; one with its count is nothing to tell of")
  func olderCopy() throws {
    let older = try Self.left.get().older
    let old = try folder { $0.merge(older) { $1 } }
    defer { withExtendedLifetime(old) {} }
    let store = try MeterStore(folder: old.whenFree())
    #expect(try store.losses().map(\.commits) == [3] && readings(store) == Self.commits - 3)
  }

  @Test("an earlier version's folder and a new one have nothing to tell")
  func fresh() throws {
    let folder = try TemporaryFolder(inMemory: true)
    for _ in 1...2 {
      let store = try MeterStore(folder: folder.whenFree())
      #expect(try store.losses().isEmpty)
      _ = try store.startSession(Fixture.user, token: Fixture.token)
    }
  }

  @Test("what has changed nothing is no commit, and the count outlasts many at once")
  func counted() async throws {
    let folder = try TemporaryFolder(inMemory: true)
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    let before = CommitWitness.read(folder.state.path)
    try store.transaction { db in _ = try Int.fetchOne(db, sql: "SELECT 1") }
    #expect(CommitWitness.read(folder.state.path) == before)
    try await withThrowingTaskGroup { group in
      for number in UInt64(1)...40 {
        group.addTask { _ = try await store.submit([Fixture.unit(generation, [Fixture.glucose(number)])]) }
      }
      try await group.waitForAll()
    }
    let count = try store.reading { db in try CommitCount.fetch(db) }
    #expect(CommitWitness.read(folder.state.path) == .count(count))
  }

  @Test("a folder that may only be looked at shows its last commit, tells what is missing, and is not touched")
  func lookedAt() throws {
    for isCut in [false, true] {
      let folder = try folder { if isCut { $0[Self.journal] = nil } }
      let names = try FileManager.default.subpathsOfDirectory(atPath: folder.state.path).sorted()
      let store = try MeterStore(readOnly: folder.state)
      #expect(store.isReadOnly)
      #expect(try readings(store) == (isCut ? 0 : Self.commits))
      #expect(try store.losses().map(\.commits) == (isCut ? [Int64(Self.commits)] : []))
      #expect(try store.currentSession().user == Fixture.user && store.damage().isEmpty)
      let error = #expect(throws: StoreError.self) { try store.setPaused(true) }
      #expect(error?.code == .readOnly && error?.message.contains(folder.state.path) == true)
      #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.state.path).sorted() == names)
    }
  }
}
