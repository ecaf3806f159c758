import Foundation
import GRDB

/// The receiver's database in one SQLite file.
///
/// WAL with `synchronous = FULL` syncs at each commit. The file is readable by its owner only. Several processes may open
/// it at once.
struct SQLiteDatabase: ReceiverDatabase {
  let pool: DatabasePool

  /// Opens the file, making it and its tables where they are missing.
  ///
  /// - Throws: `databaseFailure` when the file cannot be opened or is no database, `databaseTooNew` when a newer
  ///   MeterHost wrote it.
  init(path: String) throws(ReceiverError) {
    do {
      try Self.createPrivately(path)
      var configuration = Configuration()
      configuration.busyMode = .timeout(10)
      configuration.foreignKeysEnabled = true
      configuration.label = "receiver"
      // What a user was deleted with must not stay readable in free pages of the file.
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = ON") }
      pool = try DatabasePool(path: path, configuration: configuration)
      // GRDB sets NORMAL when it opens a pool: a power cut could then undo what was answered with 201.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      let migrator = ReceiverSchema.migrator
      guard try !pool.read(migrator.hasBeenSuperseded) else {
        throw ReceiverError(
          .databaseTooNew, "The database \(path) was written by a newer MeterHost; use that version or another file")
      }
      try migrator.migrate(pool)
      // They have read the tables as they were.
      pool.invalidateReadOnlyConnections()
    } catch let error as ReceiverError {
      throw error
    } catch {
      throw ReceiverError(
        .databaseFailure,
        "The database \(path) cannot be opened; check that its folder exists, is writable, and that "
          + "the file is a MeterHost receiver's", cause: error)
    }
  }

  /// SQLite gives `-wal` and `-shm` the mode of the database file, so only that one has to be made with care.
  private static func createPrivately(_ path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
      throw ReceiverError(
        .databaseFailure, "The database \(path) cannot be made; check that its folder exists and is writable")
    }
  }

  func read<Value>(_ body: (any StoreTransaction) throws -> Value) throws -> Value {
    try pool.read { try body(SQLiteTransaction(database: $0)) }
  }

  /// SQLite has one writer at a time, whatever the scope.
  func write<Value>(_ scope: WriteScope, _ body: (any StoreTransaction) throws -> Value) throws -> Value {
    try pool.write { try body(SQLiteTransaction(database: $0)) }
  }

  func read<Value: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
    try await pool.read { try body(SQLiteTransaction(database: $0)) }
  }

  func write<Value: Sendable>(
    _ scope: WriteScope, _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await pool.write { try body(SQLiteTransaction(database: $0)) }
  }

  func close() throws { try pool.close() }

  /// SQLite's own words only: the description of a GRDB error may quote a statement.
  func describe(_ error: any Error) -> ReceiverError {
    guard let error = error as? DatabaseError else {
      return ReceiverError(.databaseFailure, "The receiver's database cannot be read or written", cause: error)
    }
    return ReceiverError(
      .databaseFailure,
      "The receiver's database failed with SQLite code \(error.extendedResultCode.rawValue), "
        + "\(error.message ?? "no message"); check the disk and the file", cause: error)
  }
}

/// A read or write of the receiver in SQLite.
private struct SQLiteTransaction: StoreTransaction {
  let database: Database

  var hasLists: Bool { false }

  func forEachRow(_ sql: String, _ arguments: [SQLValue], _ body: (SQLRow) throws -> Void) throws {
    let rows = try Row.fetchCursor(database, sql: sql, arguments: Self.arguments(arguments))
    var names: [String] = []
    while let row = try rows.next() {
      if names.isEmpty { names = Array(row.columnNames) }
      try body(SQLRow(names: names, values: row.databaseValues.map(SQLValue.init)))
    }
  }

  func execute(_ sql: String, _ arguments: [SQLValue]) throws {
    try database.cachedStatement(sql: sql).execute(arguments: Self.arguments(arguments))
  }

  /// By name: to SQLite `$2` is a name, which it numbers by where it stands.
  private static func arguments(_ values: [SQLValue]) -> StatementArguments {
    var arguments: [String: DatabaseValue] = [:]
    for (index, value) in values.enumerated() { arguments["\(index + 1)"] = DatabaseValue(value) }
    return StatementArguments(arguments)
  }
}

extension DatabaseValue {
  fileprivate init(_ value: SQLValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let value): value.databaseValue
      case .text(let value): value.databaseValue
      case .blob(let value): Data(value).databaseValue
      // No statement for SQLite has them (`hasLists`).
      case .integers, .texts: .null
      }
  }
}

extension SQLValue {
  fileprivate init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .int64(let value): .integer(value)
      case .string(let value): .text(value)
      case .blob(let value): .blob(Array(value))
      // The tables are STRICT and have no column of that type.
      case .double, .null: .null
      }
  }
}
