public import Foundation
import HostPrimitives

/// What the receiver keeps: organisations, their users, and every user's records, in an SQLite file or a PostgreSQL
/// database.
///
/// A write that has returned is on disk. Several processes may open the database at once.
public final class ReceiverStore: Sendable {
  let database: any ReceiverDatabase
  let now: @Sendable () -> Date

  /// Opens the database, making what is missing: an SQLite file, and in both the tables.
  ///
  /// - Parameters:
  ///   - path: The SQLite file, whose folder must exist (SQLite keeps two more files beside it, `-wal` and `-shm`), or
  ///     `postgres://user@host:port/name` in any of libpq's forms, such as `postgres:///name?host=/run/postgresql`.
  ///   - now: The wall clock for `created_at` and `updated_at`.
  /// - Throws: `databaseFailure` when it cannot be opened or is something else, `databaseTooNew` when a newer MeterHost
  ///   wrote it; with PostgreSQL also `databaseUnreachable`, `databaseRefused`, `databaseEncoding`, `databaseNotDurable`
  ///   and `invalidConfiguration` for an address that is none.
  public convenience init(path: String, now: @escaping @Sendable () -> Date = { Date() }) throws(ReceiverError) {
    self.init(
      database: PostgresAddress.isMeant(by: path)
        ? try PostgresDatabase(address: PostgresAddress(path)) : try SQLiteDatabase(path: path), now: now)
  }

  init(database: any ReceiverDatabase, now: @escaping @Sendable () -> Date = { Date() }) {
    self.database = database
    self.now = now
  }

  /// Closes the database. Later calls of this store fail with `databaseFailure`; nothing stored is lost without it.
  public func close() throws(ReceiverError) {
    do {
      try database.close()
    } catch {
      throw ReceiverError(.databaseFailure, "The database cannot be closed while it is in use", cause: error)
    }
  }

  var timestamp: Int64 { Int64((now().timeIntervalSince1970 * 1000).rounded(.down)) }

  /// Runs a write transaction for the synchronous calls of the library.
  func write<Value>(
    _ scope: WriteScope = .everything, _ body: (any StoreTransaction) throws -> Value
  ) throws(ReceiverError) -> Value {
    do {
      return try database.write(scope, body)
    } catch {
      throw wrap(error)
    }
  }

  /// Runs a read for the synchronous calls of the library.
  func read<Value>(_ body: (any StoreTransaction) throws -> Value) throws(ReceiverError) -> Value {
    do {
      return try database.read(body)
    } catch {
      throw wrap(error)
    }
  }

  /// Runs a write transaction for a request.
  ///
  /// - Throws: `ReceiverError`, `FieldErrors` of the body, or `CancellationError` when the server stops.
  func write<Value: Sendable>(
    _ scope: WriteScope = .everything, _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    do {
      return try await database.write(scope, body)
    } catch let error as CancellationError {
      throw error
    } catch let error as FieldErrors {
      throw error
    } catch {
      throw wrap(error)
    }
  }

  /// Runs a read for a request.
  ///
  /// - Throws: `ReceiverError`, `FieldErrors` of the body, or `CancellationError` when the server stops.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    do {
      return try await database.read(body)
    } catch let error as CancellationError {
      throw error
    } catch let error as FieldErrors {
      throw error
    } catch {
      throw wrap(error)
    }
  }

  private func wrap(_ error: any Error) -> ReceiverError {
    error as? ReceiverError ?? database.describe(error)
  }

  /// 128 random bits in hexadecimal: ids of users and records tell nothing about their number or order.
  static func makeIdentifier() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hexadecimal
  }
}
