import Foundation
import Synchronization

/// The receiver's database in PostgreSQL, in the schema `meterhost` of one database.
struct PostgresDatabase: ReceiverDatabase {
  private let address: PostgresAddress
  private let lanes: PostgresLanes
  /// For the calls that stay on their caller's thread.
  private let session: PostgresSession

  /// How many transactions of requests run at a time.
  static let width = 8

  /// Connects, and makes or updates the tables.
  ///
  /// - Throws: `databaseUnreachable`, `databaseRefused`, `databaseEncoding`, `databaseNotDurable`, `databaseTooNew` and
  ///   `databaseFailure`.
  init(address: PostgresAddress) throws(ReceiverError) {
    self.address = address
    session = PostgresSession(address)
    lanes = PostgresLanes(address, width: Self.width)
    do {
      try PostgresSchema.prepare(session, at: address)
    } catch {
      throw describe(error)
    }
  }

  func read<Value>(_ body: (any StoreTransaction) throws -> Value) throws -> Value {
    try session.transaction(nil, body)
  }

  func write<Value>(_ scope: WriteScope, _ body: (any StoreTransaction) throws -> Value) throws -> Value {
    try session.transaction(scope, body)
  }

  func read<Value: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value {
    try await lanes.run { try $0.transaction(nil, body) }
  }

  func write<Value: Sendable>(
    _ scope: WriteScope, _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    try await lanes.run { try $0.transaction(scope, body) }
  }

  func close() {
    session.close()
    lanes.close()
  }

  func describe(_ error: any Error) -> ReceiverError {
    switch error {
    case let error as ReceiverError: error
    case let failure as PostgresFailure: ReceiverError(failure, at: address)
    default: ReceiverError(.databaseFailure, "The database \(address.name) cannot be read or written", cause: error)
    }
  }
}

/// Threads that wait for the server, so that no thread of the concurrency runtime has to. Each has a connection.
private final class PostgresLanes: Sendable {
  private typealias Job = @Sendable (PostgresSession) -> Void

  private struct State {
    var sessions: [PostgresSession] = []
    var idle: [PostgresSession] = []
    var waiting: [Job] = []
    var isClosed = false
  }

  private let address: PostgresAddress
  private let width: Int
  private let state = Mutex(State())

  init(_ address: PostgresAddress, width: Int) {
    self.address = address
    self.width = width
  }

  func run<Value: Sendable>(_ body: @escaping @Sendable (PostgresSession) throws -> Value) async throws -> Value {
    try Task.checkCancellation()
    return try await withCheckedThrowingContinuation { continuation in
      add { session in continuation.resume(with: Result { try body(session) }) }
    }
  }

  private func add(_ job: @escaping Job) {
    let session: PostgresSession? = state.withLock { state in
      if let session = state.idle.popLast() { return session }
      guard state.sessions.count < width else {
        state.waiting.append(job)
        return nil
      }
      let session = PostgresSession(address)
      if state.isClosed { session.close() }
      state.sessions.append(session)
      return session
    }
    guard let session else { return }
    Thread.detachNewThread { self.work(session, first: job) }
  }

  /// Does jobs as long as there are any.
  private func work(_ session: PostgresSession, first: @escaping Job) {
    var next: Job? = first
    while let job = next {
      job(session)
      next = state.withLock { state in
        guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
        state.idle.append(session)
        return nil
      }
    }
  }

  func close() {
    let sessions = state.withLock { state in
      state.isClosed = true
      return state.sessions
    }
    for session in sessions { session.close() }
  }
}
