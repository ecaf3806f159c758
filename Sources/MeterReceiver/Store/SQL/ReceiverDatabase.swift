/// A database that the receiver can store in: SQLite or PostgreSQL. Statements are the same in both; their arguments are
/// `$1`, `$2` and so on.
///
/// A write that has returned is on disk. Reads see the state of one moment. Writes whose scopes overlap come out as if one
/// had been first, and readers see them in that order.
protocol ReceiverDatabase: Sendable {
  /// Runs a read on the calling thread.
  func read<Value>(_ body: (any StoreTransaction) throws -> Value) throws -> Value
  /// Runs a transaction on the calling thread. The body may be run again when the connection was lost before its end.
  func write<Value>(_ scope: WriteScope, _ body: (any StoreTransaction) throws -> Value) throws -> Value
  /// Runs a read on a thread of the database's own.
  func read<Value: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> Value) async throws -> Value
  /// Runs a transaction on a thread of the database's own, as the other `write` does.
  func write<Value: Sendable>(
    _ scope: WriteScope, _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value
  func close() throws
  /// The failure in words that quote neither statements nor values.
  func describe(_ error: any Error) -> ReceiverError
}

/// What a transaction may change.
enum WriteScope: Sendable {
  /// Users and organisations.
  case everything
  /// What belongs to the user of that number.
  case account(Int64)
  /// What belongs to the users of those numbers.
  case accounts(Set<Int64>)
}

/// What can be done inside a read or a write.
protocol StoreTransaction {
  /// Whether an argument may be a list, of which `unnest` makes rows: many rows cost one statement then.
  var hasLists: Bool { get }
  /// Gives the rows of a query one by one; `body` must not use the transaction.
  func forEachRow(_ sql: String, _ arguments: [SQLValue], _ body: (SQLRow) throws -> Void) throws
  /// Runs a statement that has no rows.
  func execute(_ sql: String, _ arguments: [SQLValue]) throws
}

extension StoreTransaction {
  func execute(_ sql: String, _ arguments: (any SQLConvertible)?...) throws {
    try execute(sql, arguments.map { $0?.sqlValue ?? .null })
  }

  func rows(_ sql: String, _ arguments: (any SQLConvertible)?...) throws -> [SQLRow] {
    var rows: [SQLRow] = []
    try forEachRow(sql, arguments.map { $0?.sqlValue ?? .null }) { rows.append($0) }
    return rows
  }

  /// The first row, of a query that has one at most or ends in LIMIT 1.
  func row(_ sql: String, _ arguments: (any SQLConvertible)?...) throws -> SQLRow? {
    var row: SQLRow?
    try forEachRow(sql, arguments.map { $0?.sqlValue ?? .null }) { row = row ?? $0 }
    return row
  }
}
