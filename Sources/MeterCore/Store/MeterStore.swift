public import Foundation
internal import GRDB
import HostPrimitives
internal import Synchronization

/// The host's durable state: session, records, their deliveries, what was seen, and the drivers' keys.
///
/// One process owns the folder. Every change is on disk when its call returns (SQLite in WAL mode, synchronous = FULL).
public final class MeterStore: Sendable {
  /// The state folder.
  public let folder: URL
  /// How much the folder may hold.
  public var limits: QueueLimits { currentLimits.withLock { $0 } }
  let currentLimits: Mutex<QueueLimits>

  let stateFolder: StateFolder
  let database: DatabasePool
  let vault: Vault
  let group = CommitGroup()
  /// Held while a session ends: whoever comes meanwhile finds it ended.
  let oneEnd = Mutex(())
  /// Claims whose answers nobody could file.
  let unanswered = Mutex<[UnansweredClaim]>([])
  private let queueChanges = Broadcast<Void>(.bufferingNewest(1))
  private let eventLog = Broadcast<Void>(.bufferingNewest(1))
  private let endings = Broadcast<EndedSession>(.bufferingNewest(64))

  /// The name of the session's own receiver.
  public static let defaultSink = "inform"
  /// The database's file name in the state folder.
  static let fileName = "state.sqlite"

  /// Opens the state folder, making it when it is missing, and finishes what a crash left unfinished.
  ///
  /// - Parameters:
  ///   - folder: The state folder; its parent must exist.
  ///   - limits: How much it may hold; nil for what was set for the folder (``setLimits(_:)``).
  /// - Throws: ``StoreError`` with ``StoreError/Code/busy`` when another process owns the folder, with
  ///   ``StoreError/Code/missingDatabase`` when its database is gone, with ``StoreError/Code/corrupt``,
  ///   ``StoreError/Code/readOnly``, ``StoreError/Code/diskFull`` when SQLite says so.
  public init(
    folder: URL, limits: QueueLimits? = nil
  ) throws(StoreError) {
    self.folder = folder
    currentLimits = Mutex(limits ?? QueueLimits())
    stateFolder = try StateFolder(path: folder.path)
    try stateFolder.finishReplacing(Self.fileName)
    try stateFolder.refuseMissing(Self.fileName)
    try Self.refuseDamagedJournal("\(folder.path)/\(Self.fileName)-wal")
    let file = try stateFolder.makePrivateFile(Self.fileName)
    let vault = Vault(
      folder: stateFolder, credentials: ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"])
    self.vault = vault
    do {
      database = try DatabasePool(path: file, configuration: Self.configuration)
      try database.writeWithoutTransaction { db in
        // Opening a pool makes GRDB choose synchronous = NORMAL, which may lose acknowledged commits at a power cut.
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try Self.giveBackSpace(db)
      }
      let migrator = StoreSchema.migrator(vault)
      try Self.refuseNewer(database, migrator)
      let migrates = try database.read { db in try !migrator.hasCompletedMigrations(db) }
      try migrator.migrate(database)
      // What a migration has encrypted must not stay readable in the journal.
      if migrates { _ = try database.writeWithoutTransaction { db in try db.checkpoint(.truncate) } }
      // What was being sent when the last process died has no answer any more.
      try database.write { db in try Self.releaseClaims(db) }
      database.add(transactionObserver: EventLogObserver(eventLog), extent: .databaseLifetime)
    } catch {
      throw StoreError.mapping(error)
    }
    if limits == nil {
      let kept = try reading { db in try QueueLimits.fetch(db) }
      currentLimits.withLock { $0 = kept }
    }
    try stateFolder.markInitialized()
    try finishEnding()
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      // Delivered health data is overwritten, not only unlinked.
      try db.execute(sql: "PRAGMA secure_delete = ON")
    }
    return configuration
  }

  /// Lets the file shrink when records leave it, which a file decides before its first table; an older one is rewritten
  /// once. The journal shrinks at each of its restarts.
  private static func giveBackSpace(_ db: Database) throws {
    try db.execute(sql: "PRAGMA journal_size_limit = \(4 << 20)")
    guard try Int.fetchOne(db, sql: "PRAGMA auto_vacuum") != 2 else { return }
    try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
    try db.execute(sql: "VACUUM")
  }

  /// SQLite would take what is behind a damaged place of the journal for never written, and write over it.
  private static func refuseDamagedJournal(_ file: String) throws(StoreError) {
    guard let bytes = FileManager.default.contents(atPath: file), Journal(bytes)?.hasGap == true else { return }
    throw StoreError(
      .corrupt, "the journal of the state database is damaged; run `meterhost doctor --repair`.",
      cause: "a frame of \(file) does not verify, and later ones do")
  }

  private static func refuseNewer(_ database: DatabasePool, _ migrator: DatabaseMigrator) throws {
    let isNewer = try database.read { db in try migrator.hasBeenSuperseded(db) }
    guard !isNewer else {
      throw StoreError(.newerVersion, "a newer MeterHost wrote this state folder; install that version or a later one.")
    }
  }

  /// Runs a transaction; everything in it is on disk when it returns, or nothing is.
  func transaction<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    do { return try database.write(body) } catch { throw StoreError.mapping(error) }
  }

  func reading<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    do { return try database.read(body) } catch { throw StoreError.mapping(error) }
  }

  /// One element after each change of the queue or the session; several changes at once may give one element.
  public func changes() -> AsyncStream<Void> { queueChanges.listen() }

  /// One element after each growth of the event log; several at once may give one element.
  func eventChanges() -> AsyncStream<Void> { eventLog.listen() }

  /// Each session that ends from now on, whatever ended it: a person, another user's session, or a refused token. What
  /// was not delivered is in the recovery file by then.
  ///
  /// A listener that does not listen keeps the newest 64. Who must hear of every end reads `session_ended` in the event log
  /// (``eventSequence(after:)``), which is there exactly when the session ended.
  public func endedSessions() -> AsyncStream<EndedSession> { endings.listen() }

  func announceEnd(_ ended: EndedSession) { endings.send(ended) }
  func announceChange() { queueChanges.send(()) }

  /// Wall-clock time for people; nothing is decided by it.
  static var nowMicroseconds: Int64 { wallClockMicroseconds }

  /// This machine's wall clock, microseconds since 1970-01-01T00:00Z.
  public static var wallClockMicroseconds: Int64 { SystemClock().unixMicroseconds }
}
