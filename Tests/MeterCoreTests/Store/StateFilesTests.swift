import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// What stands in the state folder in the place of its files, and whose the folder is.
@Suite("Files of the state folder that are none", .timeLimit(.minutes(5)))
struct StateFilesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
  }

  enum Kind: String, CaseIterable, Sendable { case pipe, folder, link, dangling, socket }

  private func put(_ kind: Kind, at path: String) throws {
    unlink(path)
    switch kind {
    case .pipe: try #require(mkfifo(path, 0o600) == 0)
    case .folder: try #require(mkdir(path, 0o700) == 0)
    case .link: try #require(symlink("/dev/zero", path) == 0)
    case .dangling: try #require(symlink(folder.url.appending(path: "outside").path, path) == 0)
    case .socket: try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
    }
  }

  @Test(
    "hold up nobody, are refused by name, and are still there",
    arguments: ["", "-wal", "-shm", "-journal"].map { MeterStore.fileName + $0 }
      + [CommitWitness.fileName, "lock", "initialized"], Kind.allCases)
  func refused(_ name: String, _ kind: Kind) throws {
    let state = folder.whenFree()
    let path = state.appending(path: name).path
    try put(kind, at: path)
    let calls: [() throws -> Void] = [
      { _ = try MeterStore(folder: state) }, { _ = try MeterStore.repair(folder: state) },
      { _ = try MeterStore(readOnly: state) },
    ]
    for call in calls {
      let error = #expect(throws: StoreError.self, performing: call)
      #expect(error?.code == .folder && error?.message.contains(path) == true, "\(String(describing: error))")
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.type] as? FileAttributeType != .typeRegular)
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "outside").path))
  }

  @Test("in the place of the vault's key are a missing key with the file's name", arguments: Kind.allCases)
  func key(_ kind: Kind) throws {
    try put(kind, at: folder.whenFree().appending(path: "vault/key").path)
    let store = try MeterStore(folder: folder.whenFree())
    let error = #expect(throws: StoreError.self) { try store.checkToken() }
    #expect(error?.code == .vaultKey && error?.message.contains("vault/key") == true, "\(String(describing: error))")
  }

  @Test("as a recovery file are refused, and no pipe is waited for", arguments: Kind.allCases)
  func recovery(_ kind: Kind) throws {
    let store = try MeterStore(folder: folder.whenFree())
    let file = folder.url.appending(path: "given")
    try put(kind, at: file.path)
    let error = #expect(throws: StoreError.self) { try store.recover(file) }
    #expect(error?.code == .recoveryFile, "\(String(describing: error))")
  }

  @Test("another user's folder is refused as it is, also by root, who could take it", .enabled(if: geteuid() == 0))
  func otherUsersFolder() throws {
    let path = folder.whenFree().path
    try #require(chmod(path, 0o777) == 0 && chown(path, 65_534, 65_534) == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    for _ in 1...2 {
      let error = #expect(throws: StoreError.self) { try MeterStore(folder: folder.state) }
      #expect(error?.code == .readOnly && error?.message.contains("sudo -u '#65534'") == true)
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? NSNumber == 0o777)
    #expect(attributes[.ownerAccountID] as? NSNumber == 65_534)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == names)
  }
}

/// The number of commits from outside: it must leave room to count on.
@Suite("Numbers of commits that cannot be")
struct CommitNumberTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
  }

  /// Writes the file that counts as the host would, into both of its places.
  private func forge(_ number: Int64) throws {
    guard case .count(let own) = CommitWitness.read(folder.state.path) else { return }
    let other = try TemporaryFolder(inMemory: true)
    let state = try StateFolder(path: other.state.path)
    _ = try CommitWitness(state, CommitCount(folder: own.folder, number: number))
    var bytes = try Data(contentsOf: other.state.appending(path: CommitWitness.fileName))
    bytes.replaceSubrange(4096..<8192, with: bytes.prefix(4096))
    try bytes.write(to: folder.state.appending(path: CommitWitness.fileName))
  }

  @Test(
    "in the file are no number: it is told that nothing can be said, and the host goes on",
    arguments: [Int64.max, .max - 1, CommitCount.limit + 1, -1, .min])
  func inTheFile(_ number: Int64) throws {
    _ = folder.whenFree()
    try forge(number)
    #expect(CommitWitness.read(folder.state.path) == .unreadable)
    do {
      let store = try MeterStore(folder: folder.whenFree())
      #expect(try store.losses().map(\.commits) == [nil])
      let generation = try store.currentSession().generation
      _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(2)])])
      try store.acknowledgeLosses()
    }
    let store = try MeterStore(folder: folder.whenFree())
    #expect(try store.queueSnapshot().count == 2 && store.losses().isEmpty)
  }

  @Test("the largest that can be is believed, and the host goes on behind it")
  func largest() throws {
    _ = folder.whenFree()
    try forge(CommitCount.limit - 1_000_000)
    let store = try MeterStore(folder: folder.whenFree())
    #expect(try store.losses().first?.commits != nil)
    let generation = try store.currentSession().generation
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(2)])])
  }

  @Test("in the database are damage, which repair mends", arguments: [Int64.max, CommitCount.limit + 1, -7])
  func inTheDatabase(_ number: Int64) throws {
    do {
      let queue = try DatabaseQueue(path: folder.whenFree().appending(path: MeterStore.fileName).path)
      try queue.write { try $0.execute(sql: "UPDATE commits SET number = ?", arguments: [number]) }
    }
    let error = #expect(throws: StoreError.self) { try MeterStore(folder: folder.whenFree()) }
    #expect(error?.code == .corrupt && error?.message.contains("--repair") == true)
    let repair = try MeterStore.repair(folder: folder.whenFree())
    #expect(repair.lost.isEmpty && repair.foreignLog == nil)
    let store = try MeterStore(folder: folder.whenFree())
    let generation = try store.currentSession().generation
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(2)])])
    #expect(try store.queueSnapshot().count == 2)
  }
}
