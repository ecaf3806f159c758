import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// A snapshot of a store that works, and the folder that comes out of one.
@Suite("Snapshots and restored folders") struct StateBackupTests {
  private let folder: TemporaryFolder
  private let store: MeterStore

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
  }

  private func commit(_ numbers: ClosedRange<UInt64>) throws {
    let generation = try store.currentSession().generation
    _ = try store.commit([Fixture.unit(generation, numbers.map { Fixture.glucose($0) })])
  }

  private var target: URL { folder.url.appending(path: "restored") }

  /// Puts a snapshot's database into a folder, as a reader of a backup does.
  @discardableResult
  private func restore(
    _ snapshot: StateSnapshot, isSameMachine: Bool = false, key: [UInt8]? = nil, credentials: String? = nil
  ) throws -> (gatewayID: String, keepsSecrets: Bool) {
    let parts = try RestoredParts(folder: target, credentials: credentials)
    try fill(parts, with: snapshot)
    let backup = LastBackup(microseconds: 1, hasKey: key != nil)
    return try parts.finish(RestoredIdentity(isSameMachine: isSameMachine, backup: backup), key: key)
  }

  private func fill(_ parts: RestoredParts, with snapshot: StateSnapshot) throws {
    try parts.begin(.database)
    try parts.append(
      Array(try Data(contentsOf: URL(filePath: "\(snapshot.folder)/\(StateSnapshot.databaseName)"))))
    try parts.end()
  }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do { try body() } catch { return (error as? StoreError)?.code }
    return nil
  }

  private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  @Test("a snapshot is of one moment, whatever is committed meanwhile")
  func consistent() async throws {
    let store = store
    try commit(1...50)
    let committing = Task {
      let generation = try store.currentSession().generation
      for number in UInt64(51)...450 {
        _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(number)])])
      }
    }
    var counts: [Int] = []
    for _ in 0..<5 {
      let snapshot = try store.snapshot()
      defer { withExtendedLifetime(snapshot) {} }
      let queue = try DatabaseQueue(path: "\(snapshot.folder)/\(StateSnapshot.databaseName)")
      let (records, deliveries, commits) = try await queue.read { db in
        (
          try Int.fetchOne(db, sql: "SELECT count(*) FROM record") ?? 0,
          try Int.fetchOne(db, sql: "SELECT count(*) FROM delivery") ?? 0,
          try String.fetchAll(db, sql: "PRAGMA integrity_check")
        )
      }
      #expect(records == deliveries && commits == ["ok"] && records >= 50)
      counts.append(records)
    }
    try await committing.value
    #expect(counts == counts.sorted())
    #expect(try store.queueSnapshot(limit: 1000).count == 450)
  }

  @Test("only one is there at a time, it goes with its value, and what a killed process left goes at the next start")
  func oneAtATime() throws {
    let place = folder.state.appending(path: "snapshot")
    do {
      let snapshot = try store.snapshot()
      #expect(exists(place) && code { _ = try store.snapshot() } == .backupRunning)
      withExtendedLifetime(snapshot) {}
    }
    #expect(!exists(place))
    let other = try TemporaryFolder()
    try FileManager.default.createDirectory(
      at: other.state.appending(path: "snapshot/files"), withIntermediateDirectories: true)
    _ = try MeterStore(folder: other.state)
    #expect(!exists(other.state.appending(path: "snapshot")))
  }

  @Test("files of the folder are in it, and locks, keys, sockets and copies of damage are not")
  func files() throws {
    for name in ["recovery/session-1.jsonl", "health/spool/1", "vault/other", "damaged-1/state.sqlite", "x.part"] {
      let file = folder.state.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(name.utf8).write(to: file)
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.state.appending(path: "link").path, withDestinationPath: "/etc/passwd")
    let snapshot = try store.snapshot()
    let taken = StateParts.files(in: "\(snapshot.folder)/\(StateSnapshot.filesName)").files
    #expect(taken == ["health/spool/1", "recovery/session-1.jsonl"])
    #expect(snapshot.left.contains("link") && snapshot.left.contains("damaged-1"))
  }

  @Test("a restored folder has what waited, what was being sent is pending, and it is another gateway")
  func restored() throws {
    try commit(1...3)
    _ = try store.claim(sink: MeterStore.defaultSink, limit: 2)
    let snapshot = try store.snapshot()
    let (name, keepsSecrets) = try restore(snapshot)
    #expect(name != snapshot.gatewayID && !keepsSecrets)
    let restored = try MeterStore(folder: target)
    #expect(try restored.queueSnapshot().map(\.logID) == (1...3).map { Fixture.glucose(UInt64($0)).logID })
    #expect(try restored.tally() == [.pending: 3])
    #expect(try restored.losses().isEmpty, "an older state that was restored is no loss")
    #expect(try restored.gatewayID() == name)
    #expect(try restored.restoration()?.isSameMachine == false && restored.lastBackup()?.microseconds == 1)
    #expect(try restored.damage().isEmpty)
    // The meter brings them again: nothing new.
    let generation = try restored.currentSession().generation
    let receipt = try restored.commit([Fixture.unit(generation, (1...3).map { Fixture.glucose($0) })])
    #expect(receipt[0].duplicates.count == 3)
  }

  @Test("the same machine keeps its name")
  func sameMachine() throws {
    let snapshot = try store.snapshot()
    #expect(try restore(snapshot, isSameMachine: true).gatewayID == snapshot.gatewayID)
    #expect(try MeterStore(folder: target).restoration()?.isSameMachine == true)
  }

  @Test("a key beside which systemd hands over another one is refused; the same one is taken")
  func credential() throws {
    let key = try #require(try store.vaultKey())
    let snapshot = try store.snapshot()
    let credentials = folder.url.appending(path: "credentials")
    try FileManager.default.createDirectory(at: credentials, withIntermediateDirectories: true)
    let credential = credentials.appending(path: "meterhost.key")
    try Data(repeating: 7, count: 32).write(to: credential)
    #expect(code { try restore(snapshot, key: key, credentials: credentials.path) } == .vaultKey)
    #expect(!exists(target), "a restore that fails leaves nothing")
    // Without a key the secrets are gone, and the host goes on with systemd's.
    #expect(try !restore(snapshot, credentials: credentials.path).keepsSecrets)
    try FileManager.default.removeItem(at: target)
    try Data(key).write(to: credential)
    #expect(try restore(snapshot, key: key, credentials: credentials.path).keepsSecrets)
    try FileManager.default.removeItem(at: target)
    #expect(try restore(snapshot, credentials: credentials.path).keepsSecrets)
  }

  @Test("with the key the token is there; without it a new one can be given; another one is refused")
  func secrets() throws {
    try store.setBond([1, 2, 3], with: "C0:FF:EE:00:00:01")
    let key = try #require(try store.vaultKey())
    let snapshot = try store.snapshot()
    #expect(code { try restore(snapshot, key: [UInt8](repeating: 7, count: 32)) } == .vaultKey)
    #expect(!exists(target), "a restore that fails leaves nothing")
    #expect(try restore(snapshot, key: key).keepsSecrets)
    do {
      let restored = try MeterStore(folder: target)
      try restored.checkToken()
      #expect(try restored.bond(with: "C0:FF:EE:00:00:01") == [1, 2, 3])
    }
    try FileManager.default.removeItem(at: target)
    #expect(try !restore(snapshot).keepsSecrets)
    let restored = try MeterStore(folder: target)
    #expect(throws: StoreError.self) { try restored.checkToken() }
    #expect(try restored.bond(with: "C0:FF:EE:00:00:01") == nil)
    #expect(try restored.currentSession().user == Fixture.user)
    _ = try restored.startSession(Fixture.user, token: Fixture.token)
    try restored.checkToken()
  }

  @Test("until its end no host takes the folder for one, and a restore that was killed can be done again")
  func killed() throws {
    try commit(1...2)
    let snapshot = try store.snapshot()
    do {
      let parts = try RestoredParts(folder: target)
      try fill(parts, with: snapshot)
      #expect(code { _ = try MeterStore(folder: target) } == .busy)
      // What a kill leaves at this moment.
      try FileManager.default.copyItem(at: target, to: folder.url.appending(path: "killed"))
      withExtendedLifetime(parts) {}
    }
    #expect(!exists(target))
    try FileManager.default.moveItem(at: folder.url.appending(path: "killed"), to: target)
    #expect(code { _ = try MeterStore(folder: target) } == .missingDatabase)
    try restore(snapshot)
    #expect(try MeterStore(folder: target).queueSnapshot().count == 2)
  }

  @Test("a folder with anything in it is left as it is")
  func notEmpty() throws {
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: target.appending(path: "thesis.txt"))
    #expect(code { _ = try RestoredParts(folder: target) } == .folder)
    #expect(code { _ = try RestoredParts(folder: folder.state) } == .folder)
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["thesis.txt"])
    try FileManager.default.removeItem(at: target.appending(path: "thesis.txt"))
    try restore(try store.snapshot())
    #expect(exists(target.appending(path: "state.sqlite")))
  }

  @Test("a listener that was told of later events hears that it has missed some")
  func events() throws {
    try commit(1...1)
    let snapshot = try store.snapshot()
    let told = try store.newestEvent() + 40
    try restore(snapshot)
    let restored = try MeterStore(folder: target)
    #expect(try restored.events(after: told).missed > 0)
  }

  @Test(
    "names that lead elsewhere are no parts",
    arguments: [
      "state/../x", "state//x", "state/", "state/.", "/etc/passwd", "machine/../../x", "state/a/../../b", "x", "",
      "state/state.sqlite", "state/state.sqlite-wal", "state/vault/key", "state/lock", "state/restoring",
      "state/commits", "state/snapshot/x", "state/x\u{0}y", "state/x\ny", "machine/", "database/x",
      "state/../\u{338}x", "state/a/../\u{200D}../x", "machine/../\u{301}x/y", "state/lock/\u{338}x",
      "state/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q",
    ])
  func names(_ name: String) { #expect(BackupPart(name: name) == nil) }

  @Test(
    "a part's name reads back", arguments: ["database", "key", "state/recovery/a.jsonl", "machine/registry.d/a/b.so"])
  func readBack(_ name: String) { #expect(BackupPart(name: name)?.name == name) }
}
