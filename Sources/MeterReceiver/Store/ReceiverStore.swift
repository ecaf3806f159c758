public import Foundation
import GRDB

/// What the receiver keeps: organisations, their users, and every user's measurements, in one SQLite file.
///
/// A write that has returned is on disk: WAL with `synchronous = FULL` syncs at each commit. The file is readable by its
/// owner only. Several processes may open it at once.
public final class ReceiverStore: Sendable {
  let pool: DatabasePool
  let now: @Sendable () -> Date

  /// Opens the database, making file and tables where they are missing.
  ///
  /// - Parameters:
  ///   - path: The SQLite file; its folder must exist. SQLite keeps two more files beside it (`-wal`, `-shm`).
  ///   - now: The wall clock for `created_at` and `updated_at`.
  /// - Throws: `databaseFailure` when the file cannot be opened or is no database, `databaseTooNew` when a newer
  ///   MeterHost wrote it.
  public init(path: String, now: @escaping @Sendable () -> Date = { Date() }) throws(ReceiverError) {
    self.now = now
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
    } catch let error as ReceiverError {
      throw error
    } catch {
      throw ReceiverError(
        .databaseFailure,
        "The database \(path) cannot be opened; check that its folder exists, is writable, and that "
          + "the file is a MeterHost receiver's", cause: error)
    }
  }

  /// Closes the database. Later calls of this store fail with `databaseFailure`; nothing stored is lost without it.
  public func close() throws(ReceiverError) {
    do {
      try pool.close()
    } catch {
      throw ReceiverError(.databaseFailure, "The database cannot be closed while it is in use", cause: error)
    }
  }

  var timestamp: Int64 { Int64((now().timeIntervalSince1970 * 1000).rounded(.down)) }

  /// SQLite gives `-wal` and `-shm` the mode of the database file, so only that one has to be made with care.
  private static func createPrivately(_ path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
      throw ReceiverError(
        .databaseFailure, "The database \(path) cannot be made; check that its folder exists and is writable")
    }
  }

  /// Runs a write transaction for the synchronous calls of the library.
  func write<Value>(_ body: (Database) throws -> Value) throws(ReceiverError) -> Value {
    do {
      return try pool.write(body)
    } catch {
      throw Self.wrap(error)
    }
  }

  /// Runs a read for the synchronous calls of the library.
  func read<Value>(_ body: (Database) throws -> Value) throws(ReceiverError) -> Value {
    do {
      return try pool.read(body)
    } catch {
      throw Self.wrap(error)
    }
  }

  /// Runs a write transaction for a request.
  ///
  /// - Throws: `ReceiverError`, `FieldErrors` of the body, or `CancellationError` when the server stops.
  func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    do {
      return try await pool.write(body)
    } catch let error as CancellationError {
      throw error
    } catch let error as FieldErrors {
      throw error
    } catch {
      throw Self.wrap(error)
    }
  }

  /// Runs a read for a request.
  ///
  /// - Throws: `ReceiverError`, `FieldErrors` of the body, or `CancellationError` when the server stops.
  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    do {
      return try await pool.read(body)
    } catch let error as CancellationError {
      throw error
    } catch let error as FieldErrors {
      throw error
    } catch {
      throw Self.wrap(error)
    }
  }

  /// The message has SQLite's own words only: the description of a GRDB error may quote a statement.
  private static func wrap(_ error: any Error) -> ReceiverError {
    switch error {
    case let error as ReceiverError: error
    case let error as DatabaseError:
      ReceiverError(
        .databaseFailure,
        "The receiver's database failed with SQLite code \(error.extendedResultCode.rawValue), "
          + "\(error.message ?? "no message"); check the disk and the file", cause: error)
    default: ReceiverError(.databaseFailure, "The receiver's database cannot be read or written", cause: error)
    }
  }

  /// 128 random bits in hexadecimal: ids of users and records tell nothing about their number or order.
  static func makeIdentifier() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hexadecimal
  }
}
