import Foundation

/// Transactions over one connection, which is made when it is needed and made again when it was lost.
final class PostgresSession: @unchecked Sendable {
  private let address: PostgresAddress
  private let silence: Int32
  private let lock = NSLock()
  /// Guarded by `lock`.
  private var connection: PostgresConnection?
  /// Guarded by `lock`.
  private var isClosed = false

  /// - Parameter silence: How long the server may say nothing, in milliseconds.
  init(_ address: PostgresAddress, silence: Int32 = PostgresConnection.silence) {
    (self.address, self.silence) = (address, silence)
  }

  /// The locks that make writes come out one after the other; the server lets them go at the end of the transaction.
  ///
  /// Two users' records are written at the same time; a user's in the order of their numbers, so that a reader who pages
  /// by them misses none.
  private enum Locks {
    /// "meterhost" on a telephone's keys.
    static let store: Int64 = 638_374_678

    static func take(_ scope: WriteScope, _ connection: PostgresConnection) throws {
      switch scope {
      case .everything: try connection.execute("SELECT pg_advisory_xact_lock($1)", store)
      case .account(let number):
        try connection.execute("SELECT pg_advisory_xact_lock_shared($1)", store)
        try connection.execute("SELECT pg_advisory_xact_lock($1)", store + 1 + number)
      case .accounts(let numbers):
        try connection.execute("SELECT pg_advisory_xact_lock_shared($1)", store)
        // In one order for all, or two batches would wait for each other.
        try connection.execute(
          "SELECT pg_advisory_xact_lock(number) FROM unnest($1) AS number",
          [.integers(numbers.sorted().map { store + 1 + $0 })])
      }
    }
  }

  /// Runs a read, or with a scope a write.
  ///
  /// A transaction whose connection was lost before COMMIT was sent is run once more: the server has undone it. After
  /// that nobody knows, which is an error: the client sends the record again, and finds it stored or not.
  func transaction<Value>(
    _ scope: WriteScope?, _ body: (PostgresConnection) throws -> Value
  ) throws -> Value {
    lock.lock()
    defer { lock.unlock() }
    guard !isClosed else { throw ReceiverError(.databaseFailure, "The receiver's database is closed") }
    do {
      return try attempt(scope, body)
    } catch let failure as PostgresFailure {
      guard failure.isOfTheConnection, failure.isUndone else { throw ReceiverError(failure, at: address) }
    }
    do {
      return try attempt(scope, body)
    } catch let failure as PostgresFailure {
      throw ReceiverError(failure, at: address)
    }
  }

  private func attempt<Value>(_ scope: WriteScope?, _ body: (PostgresConnection) throws -> Value) throws -> Value {
    let connection = try self.connection ?? PostgresConnection(address, silence: silence)
    self.connection = connection
    do {
      // A statement of a write must see what the transaction before it has committed while it waited for the lock.
      try connection.run(
        scope == nil ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN ISOLATION LEVEL READ COMMITTED")
      if let scope { try Locks.take(scope, connection) }
      let value = try body(connection)
      try commit(connection)
      return value
    } catch {
      if !connection.isOpen || (try? connection.run("ROLLBACK")) == nil { self.connection = nil }
      throw error
    }
  }

  private func commit(_ connection: PostgresConnection) throws {
    do {
      try connection.run("COMMIT")
    } catch {
      throw PostgresFailure(state: error.state, message: error.message, isUndone: false)
    }
  }

  func close() {
    lock.withLock {
      isClosed = true
      connection = nil
    }
  }
}
