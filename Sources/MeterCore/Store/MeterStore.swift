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
  private let growth = EventLogObserver()
  /// The last transaction with an event of which no listener was told; 0 when there is none.
  private let untold = Mutex<Int64>(0)
  private let endings = Broadcast<EndedSession>(.bufferingNewest(64))
  /// Hears what is done here, and by those who work with this store.
  package let counted = CountedEvents()

  /// The kinds of sinks that this program knows: what they have no form for is not queued for them.
  package let sinkKinds: SinkKinds

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
  ///   - sinkKinds: The kinds of sinks that this program knows; one that it does not know is taken to take everything.
  /// - Throws: ``StoreError`` with ``StoreError/Code/busy`` when another process owns the folder, with
  ///   ``StoreError/Code/missingDatabase`` when its database is gone, with ``StoreError/Code/foreignLog`` when the journal beside
  ///   it is not its own, with ``StoreError/Code/corrupt``,
  ///   ``StoreError/Code/readOnly``, ``StoreError/Code/diskFull`` when SQLite says so.
  public convenience init(
    folder: URL, limits: QueueLimits? = nil, sinkKinds: SinkKinds = .none
  ) throws(StoreError) {
    let stateFolder = try StateFolder(path: folder.path)
    let vault = Vault(
      folder: stateFolder, credentials: ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"])
    self.init(folder, limits, sinkKinds, stateFolder, vault, try OpenedDatabase(stateFolder, vault))
    try begin(keeping: limits)
  }

  /// Opens a state folder to look at it where nothing can be written, as on a file system that is mounted read-only: every
  /// change is refused with ``StoreError/Code/readOnly``.
  ///
  /// - Throws: ``StoreError`` as the other; ``StoreError/Code/readOnly`` for a folder that an earlier version wrote.
  public convenience init(readOnly folder: URL, sinkKinds: SinkKinds = .none) throws(StoreError) {
    let stateFolder = try StateFolder(path: folder.path, isReadOnly: true)
    let vault = Vault(
      folder: stateFolder, credentials: ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"])
    self.init(folder, nil, sinkKinds, stateFolder, vault, try OpenedDatabase(readOnly: stateFolder, vault))
    try keepLimits()
  }

  /// Opens a state folder to look at it: as its owner, and where it is mounted read-only as ``init(readOnly:)`` does.
  ///
  /// - Throws: ``StoreError``.
  package static func look(at folder: URL, sinkKinds: SinkKinds = .none) throws(StoreError) -> MeterStore {
    do throws(StoreError) {
      return try MeterStore(folder: folder, sinkKinds: sinkKinds)
    } catch  where error.code == .readOnly && StateFolder.isMountedReadOnly(folder.path) {
      return try MeterStore(readOnly: folder, sinkKinds: sinkKinds)
    }
  }

  private init(
    _ folder: URL, _ limits: QueueLimits?, _ sinkKinds: SinkKinds, _ stateFolder: StateFolder, _ vault: Vault,
    _ opened: OpenedDatabase
  ) {
    self.folder = folder
    self.stateFolder = stateFolder
    self.vault = vault
    self.sinkKinds = sinkKinds
    currentLimits = Mutex(limits ?? QueueLimits())
    (database, witness) = (opened.database, opened.witness)
    (isReadOnly, unrecordedLoss) = (opened.witness == nil, opened.unrecordedLoss)
  }

  private func begin(keeping limits: QueueLimits?) throws(StoreError) {
    StateSnapshot.removeLeftOver(in: folder.path)
    // What was being sent when the last process died has no answer any more.
    try transaction { db in try Self.releaseClaims(db) }
    database.add(transactionObserver: growth, extent: .databaseLifetime)
    if limits == nil { try keepLimits() }
    try stateFolder.markInitialized()
    try finishEnding()
  }

  private func keepLimits() throws(StoreError) {
    let kept = try reading { db in try QueueLimits.fetch(db) }
    currentLimits.withLock { $0 = kept }
  }

  /// Who relies on a transaction: decides what becomes of it when it is on disk and cannot be counted.
  enum Reliance {
    /// Somebody may forget what it holds, as a meter what it has sent: then it fails.
    case promise
    /// It is a fact that cannot be done again, and who was told that it failed would do the wrong thing: that is logged.
    case fact
    /// It would simply be made again: it is counted without waiting for the disk a second time, and else as a fact.
    case repetition
  }

  /// Runs a transaction; everything in it is on disk when it returns, or nothing is.
  ///
  /// - Throws: ``StoreError/Code/moved`` when the folder or a file of it is not there any more, or was cut: what was written may
  ///   be gone.
  func transaction<Value>(
    _ reliance: Reliance = .promise, _ body: (Database) throws -> Value
  ) throws(StoreError) -> Value {
    guard let witness else { throw StateFolder.mountedReadOnly(folder.path) }
    try stateFolder.held.check()
    let began = ContinuousClock.now
    let value: Value
    let number: Int64
    var isCommit = false
    do {
      (value, number) = try writing { db in
        let outcome = try db.committing { () -> (Value, Int64) in
          let before = db.totalChangesCount
          let value = try body(db)
          // What has changed nothing is no commit. It answers from earlier ones, of which the last may not be counted yet.
          isCommit = db.totalChangesCount != before
          return (value, try isCommit ? CommitCount.next(db) : CommitCount.fetch(db).number)
        }
        if growth.take() { untold.withLock { $0 = max($0, outcome.1) } }
        return outcome
      }
    } catch {
      throw StoreError.mapping(error)
    }
    try stateFolder.held.check()
    switch reliance {
    case .promise: try witness.note(number)
    case .fact: witness.noteIfPossible(number, isDurable: true)
    case .repetition: witness.noteIfPossible(number, isDurable: false)
    }
    tellGrowth(upTo: number)
    if isCommit { counted.tell(.committed(took: ContinuousClock.now - began)) }
    return value
  }

  /// Tells the listeners of events that were logged up to a transaction, once nothing of it can be lost without a word.
  private func tellGrowth(upTo number: Int64) {
    let isNews = untold.withLock { untold in
      guard untold > 0, untold <= number else { return false }
      untold = 0
      return true
    }
    if isNews { eventLog.send(()) }
  }

  /// Runs statements over the one connection that writes, and keeps watch over what only they may shorten.
  func writing<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try database.writeWithoutTransaction { db in
      try checkLengths(db)
      defer { stateFolder.held.noteLengths() }
      return try body(db)
    }
  }

  /// Whether the folder and its files are still the ones that this store works with, and nobody has cut them.
  ///
  /// - Throws: ``StoreError/Code/moved``, which names what is gone.
  package func checkPlace() throws(StoreError) {
    try stateFolder.held.check()
    guard !stateFolder.held.cut.isEmpty else { return }
    do {
      try database.writeWithoutTransaction { db in try checkLengths(db) }
    } catch {
      throw StoreError.mapping(error)
    }
  }

  /// Refuses to go on with a file that somebody has cut since the last transaction. SQLite does not look: it would write behind
  /// the gap, and at the next start all of that would be gone.
  private func checkLengths(_ db: Database) throws {
    let cut = stateFolder.held.cut
    guard !cut.isEmpty else { return }
    if let missed = cut.first(where: { !$0.isWhole(db) }) {
      keepOpen()
      throw missed.error
    }
    stateFolder.held.noteLengths()
  }

  /// Databases with a gap in their log, and their folders, which nobody else may open meanwhile. The last that closes one moves
  /// what it can read into the database, half of a transaction as well; the end of the process does not.
  private static let keptOpen = Mutex<[(database: any DatabaseWriter, folder: StateFolder)]>([])

  private func keepOpen() {
    Self.keptOpen.withLock { kept in
      if !kept.contains(where: { $0.folder === stateFolder }) { kept.append((database, stateFolder)) }
    }
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
  package static var wallClockMicroseconds: Int64 { SystemClock().unixMicroseconds }
}

extension Database {
  /// Runs a transaction that ends with a value.
  fileprivate func committing<Value>(_ body: () throws -> Value) throws -> Value {
    var outcome = Result<Value, any Error>.failure(DatabaseError(resultCode: .SQLITE_ABORT))
    try inTransaction {
      outcome = .success(try body())
      return .commit
    }
    return try outcome.get()
  }
}
