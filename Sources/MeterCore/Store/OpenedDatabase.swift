internal import Foundation
internal import GRDB

/// The database of a state folder, opened and found whole as far as a start can see.
struct OpenedDatabase {
  let database: any DatabaseWriter
  /// Nil when nothing may be written.
  let witness: CommitWitness?
  /// What is missing and could not be written down.
  let unrecordedLoss: StoreLoss?

  /// Opens the database, making it when the folder is new, and brings it up to date.
  init(_ folder: StateFolder, _ vault: Vault) throws(StoreError) {
    try folder.refuseWhatIsNoFile(MeterStore.fileName)
    try folder.finishReplacing(MeterStore.fileName)
    // A repair that was killed has left readings here; the damaged database still has them.
    folder.dropReplacement(MeterStore.fileName)
    DatabaseCopy.removeLeftOver()
    try folder.refuseMissing(MeterStore.fileName)
    let testimony = CommitWitness.read(folder.path)
    let kept = try Self.keepWhatIsNotTaken(folder, testimony, try Self.readWithLog(folder, testimony))
    let file = try folder.makePrivateFile(MeterStore.fileName)
    do {
      let pool = try DatabasePool(path: file, configuration: Self.configuration)
      try pool.writeWithoutTransaction { db in
        // Opening a pool makes GRDB choose synchronous = NORMAL, which may lose acknowledged commits at a power cut.
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try Self.giveBackSpace(db)
      }
      let migrator = StoreSchema.migrator(vault)
      try Self.refuseNewer(pool, migrator)
      let migrates = try pool.read { db in try !migrator.hasCompletedMigrations(db) }
      try migrator.migrate(pool)
      // What a migration has encrypted must not stay readable in the journal.
      if migrates { _ = try pool.writeWithoutTransaction { db in try db.checkpoint(.truncate) } }
      let count = try pool.read { db in
        try StoreSchema.check(db, migrator)
        try HiddenRows.checkSession(db)
        return try CommitCount.fetch(db)
      }
      let loss = StoreLoss(count, testimony, kept: kept)
      if loss != nil { try pool.write { db in try CommitCount.repeatInLog(db) } }
      let counted = try loss.map { loss in try pool.write { db in try loss.record(db, testimony) } } ?? count
      witness = try CommitWitness(folder, counted)
      try witness?.note(counted.number)
      (database, unrecordedLoss) = (pool, nil)
    } catch {
      throw StoreError.mapping(error)
    }
    for name in ["", "-wal"] { folder.held.hold(file: MeterStore.fileName + name, keepsLength: true) }
    folder.held.hold(file: CommitWitness.fileName, keepsLength: true)
  }

  /// Opens a copy of the database that is nowhere but in memory or in a file without a name: SQLite reads none in WAL mode
  /// without writing beside it.
  init(readOnly folder: StateFolder, _ vault: Vault) throws(StoreError) {
    try folder.refuseWhatIsNoFile(MeterStore.fileName)
    try folder.refuseMissing(MeterStore.fileName)
    let testimony = CommitWitness.read(folder.path)
    let image: DatabaseImage
    if let withLog = try Self.readWithLog(folder, testimony) {
      image = withLog
    } else {
      image = try DatabaseImage(path: "\(folder.path)/\(MeterStore.fileName)")
    }
    let copy = try DatabaseCopy(of: image)
    do {
      var configuration = Self.configuration
      configuration.journalMode = .default
      configuration.readonly = true
      let queue = try DatabaseQueue(path: copy.path, configuration: configuration)
      copy.dropName()
      let migrator = StoreSchema.migrator(vault)
      try Self.refuseNewer(queue, migrator)
      let count = try queue.read { db in
        guard try migrator.hasCompletedMigrations(db) else {
          throw StoreError(
            .readOnly,
            "the state folder \(folder.path) was written by an earlier version, and is on a file system that is mounted "
              + "read-only: it cannot be brought up to date.")
        }
        try StoreSchema.check(db, migrator)
        try HiddenRows.checkSession(db)
        return try CommitCount.fetch(db)
      }
      (database, witness) = (queue, nil)
      unrecordedLoss = StoreLoss(count, testimony, kept: nil)
    } catch {
      throw StoreError.mapping(error)
    }
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

  /// Reads database and journal without SQLite, and refuses a journal with which SQLite would destroy something: it takes what is
  /// behind a damaged place for never written, and the pages of any other database for newer ones.
  ///
  /// - Returns: Nil where there is no journal.
  private static func readWithLog(
    _ folder: StateFolder, _ testimony: CommitWitness.Testimony
  ) throws(StoreError) -> DatabaseImage? {
    let path = "\(folder.path)/\(MeterStore.fileName)"
    guard (StateFolder.size("\(path)-wal") ?? 0) > 0 else { return nil }
    let image = try DatabaseImage(path: path)
    guard image.journal?.hasGap != true else {
      throw StoreError(
        .corrupt, "the journal of the state database is damaged; run `meterhost doctor --repair`.",
        cause: "a frame or the head of \(path)-wal does not verify, and frames behind it do")
    }
    if let refusal = try LogOrigin(image, path: path, testimony).refusal(path) { throw refusal }
    return image
  }

  /// Copies database and journal while they are as they were found, where the file that counts commits says that there were
  /// more: SQLite writes over what it does not take.
  ///
  /// - Returns: The folder of the copies; nil where there is nothing in the journal to keep, or nothing is missing.
  private static func keepWhatIsNotTaken(
    _ folder: StateFolder, _ testimony: CommitWitness.Testimony, _ image: DatabaseImage?
  ) throws(StoreError) -> String? {
    guard case .count(let told) = testimony, let image, let found = Salvage.commitCount(in: image),
      found.folder == told.folder, found.number < told.number
    else { return nil }
    return try folder.keepCopy(MeterStore.fileName)
  }

  private static func refuseNewer(_ database: some DatabaseReader, _ migrator: DatabaseMigrator) throws {
    let isNewer = try database.read { db in try migrator.hasBeenSuperseded(db) }
    guard !isNewer else {
      throw StoreError(.newerVersion, "a newer MeterHost wrote this state folder; install that version or a later one.")
    }
  }
}
