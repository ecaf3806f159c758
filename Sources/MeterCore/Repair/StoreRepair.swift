public import Foundation
internal import GRDB
import HostPrimitives

/// What a repair of a damaged state database has kept and lost.
public struct StoreRepair: Sendable, Hashable, Codable {
  /// The rows that are in the new database, by table.
  public internal(set) var kept: [String: Int] = [:]
  /// The readings that were there and cannot be read: their names, or `record N` where even those are lost.
  public internal(set) var lost: [String] = []
  /// The readings of which nothing says any more whether they may be delivered: they wait for a person.
  public internal(set) var held: [String] = []
  /// Rows of any table that cannot be read.
  public internal(set) var unreadableRows = 0
  /// The numbers of the pages that cannot be read.
  public internal(set) var unreadablePages: [Int] = []
  /// Whether the session is lost: it has to be started again.
  public internal(set) var lostSession = false
  /// Why the journal was left out, of which a copy is kept; nil where there was none, or it was the database's own.
  public internal(set) var foreignLog: ForeignLog?
  /// The folder with the damaged files.
  public internal(set) var damaged = ""
}

extension MeterStore {
  /// What is damaged: SQLite's own check of every page, and every record that does not say what its hash says. Empty when
  /// all is well.
  public func damage() throws(StoreError) -> [String] {
    do {
      return try database.read { db in
        var problems = try String.fetchAll(db, sql: "PRAGMA integrity_check(20)").filter { $0 != "ok" }
        if let hidden = try HiddenRows.problem(db) { problems.append(hidden) }
        for record in try RecordWitness.unreadable(db) where problems.count < 20 {
          problems.append("the record \(record.name) cannot be read")
        }
        return problems
      }
    } catch {
      let failure = StoreError.mapping(error)
      guard failure.code == .corrupt else { throw failure }
      return [failure.cause ?? failure.message]
    }
  }

  /// Puts a new database with everything that can be read in the place of a damaged one, which is kept beside it.
  ///
  /// Where the drivers' reads of meters stopped is forgotten: a damaged place could leave readings out. Meters are read
  /// again from the beginning, and what was seen before causes nothing. After a crash at any moment either the damaged
  /// database or the new one is there.
  ///
  /// - Parameter sinks: The receivers beside those that the folder itself knows: a delivery to another one is damaged.
  /// - Throws: ``StoreError``: ``StoreError/Code/busy`` when another process owns the folder,
  ///   ``StoreError/Code/missingDatabase``, ``StoreError/Code/newerVersion``, and what writing a database throws; the
  ///   damaged one is then as it was.
  public static func repair(
    folder: URL, sinks: [String] = [MeterStore.defaultSink]
  ) throws(StoreError) -> StoreRepair {
    let stateFolder = try StateFolder(path: folder.path)
    try stateFolder.refuseWhatIsNoFile(fileName)
    try stateFolder.finishReplacing(fileName)
    try stateFolder.refuseMissing(fileName)
    do {
      return try StoreRebuild(folder: stateFolder, sinks: sinks).run()
    } catch {
      throw StoreError.mapping(error)
    }
  }
}

/// The making of a new database out of a damaged one.
private struct StoreRebuild {
  let folder: StateFolder
  let sinks: [String]

  func run() throws -> StoreRepair {
    let vault = Vault(folder: folder, credentials: ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"])
    let path = "\(folder.path)/\(MeterStore.fileName)"
    let whole = try DatabaseImage(path: path)
    let foreign = try LogOrigin(whole, path: path, CommitWitness.read(folder.path)).foreignLog
    let image = foreign == nil ? whole : try DatabaseImage(path: path, readsLog: false)
    let new = try folder.makeReplacement(MeterStore.fileName)
    var report = StoreRepair()
    do {
      var configuration = Configuration()
      // Rows come in any order; what is left without its parent is removed at the end.
      configuration.foreignKeysEnabled = false
      configuration.prepareDatabase { db in
        try db.execute(
          sql: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = ON; PRAGMA synchronous = FULL")
      }
      let database = try DatabaseQueue(path: new, configuration: configuration)
      try migrate(database, StoreSchema.migrator(vault), as: Salvage.migrations(in: image))
      report = try database.write { db in
        try fill(db, from: image, beside: foreign == .later ? LaterLog(image: whole) : nil)
      }
      report.foreignLog = foreign
      try database.close()
    } catch {
      folder.dropReplacement(MeterStore.fileName)
      throw error
    }
    do {
      report.damaged = try folder.replace(MeterStore.fileName)
    } catch {
      // A disk that is full for the copy has room for nobody else either.
      folder.dropReplacement(MeterStore.fileName)
      throw error
    }
    return report
  }

  /// Makes the tables of the version that the damaged file had; opening the new one goes on from there.
  private func migrate(_ database: DatabaseQueue, _ migrator: DatabaseMigrator, as versions: [String]?) throws {
    guard let versions else { return try migrator.migrate(database) }
    guard Set(versions).isSubset(of: migrator.migrations) else {
      throw StoreError(.newerVersion, "a newer MeterHost wrote this state folder; install that version or a later one.")
    }
    guard let last = migrator.migrations.last(where: versions.contains) else { return try migrator.migrate(database) }
    try migrator.migrate(database, upTo: last)
  }

  /// Tables that triggers fill.
  private static let derived: Set<String> = ["usage", "tally"]

  private func fill(_ db: Database, from image: DatabaseImage, beside log: LaterLog?) throws -> StoreRepair {
    let shapes = try TableShape.all(db).filter { !Self.derived.contains($0.name) }
    for shape in shapes { try db.execute(sql: "DELETE FROM \(shape.name)") }
    let salvage = Salvage(image: image, shapes: shapes)
    var kept: [String: Int] = [:]
    try salvage.forEachRow { shape, row in
      guard try insert(row, shape, db) else { return false }
      kept[shape.name, default: 0] += 1
      return true
    }
    var report = StoreRepair()
    // Before what lacks a delivery is held for a person.
    report.lost = try log?.takeReadings(db, shapes) ?? []
    report.unreadableRows = salvage.unreadableRows
    report.unreadablePages = salvage.unreadablePages.sorted()
    for (table, number) in salvage.sequences {
      try db.execute(sql: "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", arguments: [number, table])
      guard db.changesCount == 0 else { continue }
      try db.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", arguments: [table, number])
    }
    try settle(db, salvage.recordNames, &report)
    for shape in shapes { report.kept[shape.name] = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(shape.name)") }
    return report
  }

  /// False when the table has such a row already, or would not have taken it.
  private func insert(_ row: StoredRow, _ shape: TableShape, _ db: Database) throws -> Bool {
    let columns = shape.columns.prefix(row.values.count)
    let places = repeatElement("?", count: columns.count).joined(separator: ", ")
    let statement = try db.cachedStatement(
      sql: "INSERT OR IGNORE INTO \(shape.name) (\(columns.map(\.name).joined(separator: ", "))) VALUES (\(places))")
    let values = columns.map { DatabaseValue(shape.value($0.name, of: row)) }
    try statement.execute(arguments: StatementArguments(values))
    return db.changesCount > 0
  }

  /// Makes the tables agree with each other again.
  private func settle(_ db: Database, _ names: [Int64: String], _ report: inout StoreRepair) throws {
    for record in try RecordWitness.unreadable(db) {
      report.lost.append(record.name)
      try db.execute(sql: "DELETE FROM record WHERE id = ?", arguments: [record.id])
      try db.execute(sql: "DELETE FROM delivery WHERE record = ?", arguments: [record.id])
    }
    let present = try Set(Int64.fetchAll(db, sql: "SELECT id FROM record"))
    let known = try Set(Int64.fetchAll(db, sql: "SELECT DISTINCT record FROM delivery")).union(names.keys)
    let gone = known.subtracting(present).sorted().map { names[$0] ?? "record \($0)" }
    report.lost += Set(gone).subtracting(report.lost).sorted()
    try removeOrphans(db)
    let receivers = try knownSinks(db)
    try mend(db, receivers)
    try holdUndecided(db, receivers, &report)
    try rememberRecords(db)
    try db.execute(sql: "DELETE FROM storage WHERE key GLOB 'user/*' AND NOT key GLOB 'user/secret/*'")
    if try db.tableExists(CommitCount.table) {
      try CommitCount.removeImpossible(db)
      try CommitCount.begin(db)
    }
    if try Int.fetchOne(db, sql: "SELECT count(*) FROM session") == 0 {
      report.lostSession = true
      // Above every generation that a read may have started with.
      try db.execute(
        sql: "INSERT INTO session (id, generation) VALUES (1, ?)", arguments: [MeterStore.nowMicroseconds])
      // A token is its session's.
      if try db.tableExists(CredentialTable.table) { try TokenRow.remove(db) }
    }
    try settleHalfSession(db, &report)
    try HiddenRows.allowStrangers(db)
  }

  /// A session of which one half of the user is lost is lost.
  private func settleHalfSession(_ db: Database, _ report: inout StoreRepair) throws {
    try db.execute(
      sql: """
        UPDATE session SET user_id = NULL, organization_id = NULL, generation = ?
        WHERE (user_id IS NULL) <> (organization_id IS NULL)
        """, arguments: [MeterStore.nowMicroseconds])
    let isTokenLeft = try db.tableExists(CredentialTable.table) && TokenRow.exists(db)
    guard try db.changesCount > 0 || (isTokenLeft && SessionRow.fetch(db).user == nil) else { return }
    report.lostSession = true
    if isTokenLeft { try TokenRow.remove(db) }
  }

  /// Removes rows whose parent is lost.
  private func removeOrphans(_ db: Database) throws {
    let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
    for table in tables {
      for key in try Row.fetchAll(db, sql: "SELECT * FROM pragma_foreign_key_list(?)", arguments: [table]) {
        let (column, parent, target): (String, String, String) = try (
          key["from"], key["table"], key["to"]
        )
        try db.execute(sql: "DELETE FROM \(table) WHERE \(column) NOT IN (SELECT \(target) FROM \(parent))")
      }
    }
  }

  private func knownSinks(_ db: Database) throws -> Set<String> {
    guard try db.tableExists("sink") else { return Set(sinks) }
    return try Set(sinks).union(String.fetchAll(db, sql: "SELECT name FROM sink"))
  }

  /// Takes back what damage has written into columns that another table knows better.
  private func mend(_ db: Database, _ known: Set<String>) throws {
    for sink in try String.fetchAll(db, sql: "SELECT DISTINCT sink FROM delivery") where !known.contains(sink) {
      try db.execute(sql: "DELETE FROM delivery WHERE sink = ?", arguments: [sink])
    }
    try db.execute(sql: "UPDATE delivery SET revision = (SELECT revision FROM record WHERE id = delivery.record)")
    // Either name may be the damaged one; records are the session's user's or nobody's.
    let owners = try owners(db)
    let places = databaseQuestionMarks(count: owners.count)
    try db.execute(
      sql: """
        UPDATE OR IGNORE record
        SET owner = (SELECT min(owner) FROM seen WHERE seen.log_id = record.log_id AND seen.owner IN (\(places)))
        WHERE owner NOT IN (\(places))
          AND EXISTS (SELECT 1 FROM seen WHERE seen.log_id = record.log_id AND seen.owner IN (\(places)))
        """, arguments: StatementArguments(owners + owners + owners))
  }

  /// Whose records there may be: the default user's, and the session's user's, who is also the one with the most of them.
  private func owners(_ db: Database) throws -> [String] {
    let most = try String.fetchOne(db, sql: "SELECT owner FROM record GROUP BY owner ORDER BY count(*) DESC LIMIT 1")
    let session = try? SessionRow.fetch(db).owner
    return Set([SessionUser.defaultOwnerKey, session, most].compactMap { $0.map(ExactText.init) }).map(\.text)
  }

  /// A delivery that is lost may have been held or refused: only a person can say. A record lacks one when none of its own is
  /// left, or when an earlier record has one to that receiver, which has not accepted this one.
  private func holdUndecided(_ db: Database, _ known: Set<String>, _ report: inout StoreRepair) throws {
    let tracksAcceptance = try db.tableExists("acceptance")
    var undecided: [(id: Int64, logID: String, revision: Int, sink: String)] = []
    for sink in known.sorted() {
      let isAccepted = """
        EXISTS (SELECT 1 FROM acceptance
          WHERE acceptance.owner = record.owner AND acceptance.log_id = record.log_id AND acceptance.sink = :sink)
        """
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT id, log_id, revision FROM record
          WHERE NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.record = record.id AND sink = :sink)
            AND (NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.record = record.id AND sink <> :sink)
              OR id > (SELECT min(record) FROM delivery WHERE sink = :sink)
                AND NOT \(tracksAcceptance ? isAccepted : "0"))
          ORDER BY id
          """, arguments: ["sink": sink])
      undecided += try rows.map { try ($0["id"], $0["log_id"], $0["revision"], sink) }
    }
    for (id, logID, revision, sink) in undecided {
      if !report.held.contains(logID) { report.held.append(logID) }
      try db.execute(
        sql: "INSERT INTO delivery (record, sink, state, reason, revision) VALUES (?, ?, 'held', ?, ?)",
        arguments: [id, sink, HoldReason.awaitingConfirmation.rawValue, revision])
    }
  }

  /// What is in the queue was seen, or the meter's memory would bring it a second time.
  private func rememberRecords(_ db: Database) throws {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT owner, log_id, revision, suspect, content, committed_us FROM record
        WHERE NOT EXISTS (SELECT 1 FROM seen WHERE seen.owner = record.owner AND seen.log_id = record.log_id
          AND seen.suspect = record.suspect AND seen.revision = record.revision)
        """)
    var forgotten: [(Row, Record)] = []
    while let row = try rows.next() { forgotten.append((row.copy(), try RecordCoding.decode(row["content"]))) }
    for (row, record) in forgotten {
      try db.execute(
        sql: """
          INSERT INTO seen (owner, log_id, revision, content_hash, primary_hash, suspect, seen_us)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          row["owner"] as String, row["log_id"] as String, row["revision"] as Int, Data(record.contentHash),
          Data(record.primaryHash), row["suspect"] as Int, row["committed_us"] as Int64,
        ])
    }
  }
}
