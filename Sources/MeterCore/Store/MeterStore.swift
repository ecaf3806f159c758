public import Foundation
internal import GRDB
import HostPrimitives
internal import Synchronization

/// The host's durable state: session, records, their deliveries, what was seen, and the drivers' keys.
///
/// One process owns the folder. Every change is on disk when its call returns (SQLite in WAL mode, synchronous = FULL), and a
/// file beside the database counts them, so that a loss is seen (``StoreLoss``).
public final class MeterStore: Sendable {
  /// The state folder.
  public let folder: URL
  /// How much the folder may hold.
  public var limits: QueueLimits { currentLimits.withLock { $0 } }
  let currentLimits: Mutex<QueueLimits>

  /// Whether the folder lies on a file system that is mounted read-only: it is shown as it is, and nothing is changed.
  public let isReadOnly: Bool

  let stateFolder: StateFolder
  let database: any DatabaseWriter
  let vault: Vault
  /// Nil where nothing is committed.
  private let witness: CommitWitness?
  /// What was found missing where it could not be written down.
  let unrecordedLoss: StoreLoss?
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
  /// Commits that are missing are told by an event, and by ``losses()`` until somebody acknowledges them; the store goes on.
  ///
  /// - Parameters:
  ///   - folder: The state folder; its parent must exist.
  ///   - limits: How much it may hold; nil for what was set for the folder (``setLimits(_:)``).
  /// - Throws: ``StoreError`` with ``StoreError/Code/busy`` when another process owns the folder, with
  ///   ``StoreError/Code/missingDatabase`` when its database is gone, with ``StoreError/Code/corrupt``,
  ///   ``StoreError/Code/readOnly``, ``StoreError/Code/diskFull`` when SQLite says so.
  public convenience init(folder: URL, limits: QueueLimits? = nil) throws(StoreError) {
    let stateFolder = try StateFolder(path: folder.path)
    let vault = Vault(
      folder: stateFolder, credentials: ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"])
    self.init(folder, limits, stateFolder, vault, try OpenedDatabase(stateFolder, vault))
    try begin(keeping: limits)
  }

  /// Opens a state folder to look at it where nothing can be written, as on a file system that is mounted read-only: every
  /// change is refused with ``StoreError/Code/readOnly``.
  ///
  /// - Throws: ``StoreError`` as the other; ``StoreError/Code/readOnly`` for a folder that an earlier version wrote.
  public convenience init(readOnly folder: URL) throws(StoreError) {
    let stateFolder = try StateFolder(path: folder.path, isReadOnly: true)
    let vault = Vault(
      folder: stateFolder, credentials: ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"])
    self.init(folder, nil, stateFolder, vault, try OpenedDatabase(readOnly: stateFolder, vault))
    try keepLimits()
  }

  /// Opens a state folder to look at it: as its owner, and where it is mounted read-only as ``init(readOnly:)`` does.
  ///
  /// - Throws: ``StoreError``.
  public static func look(at folder: URL) throws(StoreError) -> MeterStore {
    do throws(StoreError) {
      return try MeterStore(folder: folder)
    } catch  where error.code == .readOnly && StateFolder.isMountedReadOnly(folder.path) {
      return try MeterStore(readOnly: folder)
    }
  }

  private init(
    _ folder: URL, _ limits: QueueLimits?, _ stateFolder: StateFolder, _ vault: Vault, _ opened: OpenedDatabase
  ) {
    self.folder = folder
    self.stateFolder = stateFolder
    self.vault = vault
    currentLimits = Mutex(limits ?? QueueLimits())
    (database, witness) = (opened.database, opened.witness)
    (isReadOnly, unrecordedLoss) = (opened.witness == nil, opened.unrecordedLoss)
  }

  private func begin(keeping limits: QueueLimits?) throws(StoreError) {
    // What was being sent when the last process died has no answer any more.
    try transaction { db in try Self.releaseClaims(db) }
    database.add(transactionObserver: EventLogObserver(eventLog), extent: .databaseLifetime)
    if limits == nil { try keepLimits() }
    try stateFolder.markInitialized()
    try finishEnding()
  }

  private func keepLimits() throws(StoreError) {
    let kept = try reading { db in try QueueLimits.fetch(db) }
    currentLimits.withLock { $0 = kept }
  }

  /// Runs a transaction; everything in it is on disk when it returns, or nothing is.
  ///
  /// - Parameter isPromise: Whether somebody relies on it from now on, as a meter that may forget what it has sent. One that
  ///   would simply be made again is counted without waiting for the disk a second time.
  /// - Throws: ``StoreError/Code/moved`` when the folder or a file of it is not there any more: what was written may be gone.
  func transaction<Value>(isPromise: Bool = true, _ body: (Database) throws -> Value) throws(StoreError) -> Value {
    guard let witness else { throw StateFolder.mountedReadOnly(folder.path) }
    try checkPlace()
    let (value, number): (Value, Int64)
    do {
      (value, number) = try database.write { db in
        let before = db.totalChangesCount
        let value = try body(db)
        // What has changed nothing is no commit. It answers from earlier ones, of which the last may not be counted yet.
        let isCommit = db.totalChangesCount != before
        return (value, try isCommit ? CommitCount.next(db) : CommitCount.fetch(db).number)
      }
    } catch {
      throw StoreError.mapping(error)
    }
    try checkPlace()
    try witness.note(number, isDurable: isPromise)
    return value
  }

  /// Whether the folder and its files are still the ones that this store works with.
  ///
  /// - Throws: ``StoreError/Code/moved``, which names what is gone.
  public func checkPlace() throws(StoreError) { try stateFolder.held.check() }

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
