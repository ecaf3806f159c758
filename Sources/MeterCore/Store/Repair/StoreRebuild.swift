internal import Foundation
internal import GRDB

/// The making of a new database out of a damaged one.
struct StoreRebuild {
  let folder: StateFolder
  let sinks: [String]
  let kinds: SinkKinds

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
    let known = migrator.migrations
    let strange = Set(versions).subtracting(known)
    // A newer version has all of ours as well. Where one is missing, a strange name is a damaged one of ours, and stands for its version.
    guard strange.isEmpty || !Set(known).isSubset(of: versions) else {
      throw StoreError(.newerVersion, "a newer MeterHost wrote this state folder; install that version or a later one.")
    }
    let byNumber = strange.isEmpty ? nil : min(versions.count, known.count) - 1
    let last = [known.lastIndex(where: versions.contains), byNumber].compactMap(\.self).max()
    guard let last else { return try migrator.migrate(database) }
    try migrator.migrate(database, upTo: known[last])
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
}
