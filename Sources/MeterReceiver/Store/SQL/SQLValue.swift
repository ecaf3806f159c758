/// A value of a statement's argument or of a row's column, in the types that both databases have.
enum SQLValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  /// An argument only, and only where the transaction has lists (`StoreTransaction.hasLists`).
  case integers([Int64])
  /// As `integers`; nil is null.
  case texts([String?])
}

/// What can be an argument of a statement and come out of a row.
protocol SQLConvertible: Sendable {
  var sqlValue: SQLValue { get }
  init?(sqlValue: SQLValue)
}

extension Int64: SQLConvertible {
  var sqlValue: SQLValue { .integer(self) }
  init?(sqlValue: SQLValue) {
    guard case .integer(let value) = sqlValue else { return nil }
    self = value
  }
}

extension Int: SQLConvertible {
  var sqlValue: SQLValue { .integer(Int64(self)) }
  init?(sqlValue: SQLValue) {
    guard case .integer(let value) = sqlValue else { return nil }
    self.init(exactly: value)
  }
}

extension String: SQLConvertible {
  var sqlValue: SQLValue { .text(self) }
  init?(sqlValue: SQLValue) {
    guard case .text(let value) = sqlValue else { return nil }
    self = value
  }
}

extension [UInt8]: SQLConvertible {
  var sqlValue: SQLValue { .blob(self) }
  init?(sqlValue: SQLValue) {
    switch sqlValue {
    case .blob(let value): self = value
    default: return nil
    }
  }
}

/// One row of an answer.
struct SQLRow: Sendable {
  let names: [String]
  let values: [SQLValue]

  /// The value of a column.
  ///
  /// - Throws: `databaseFailure` when there is no such column or it has another type: the file is damaged, or another
  ///   program has changed it.
  subscript<Value: SQLConvertible>(name: String) -> Value {
    get throws(ReceiverError) {
      guard let value = Value(sqlValue: try value(name)) else { throw Self.damaged(name) }
      return value
    }
  }

  /// The value of a column that may be null.
  ///
  /// - Throws: `databaseFailure` as the other subscript does.
  subscript<Value: SQLConvertible>(optional name: String) -> Value? {
    get throws(ReceiverError) {
      let value = try value(name)
      if value == .null { return nil }
      guard let value = Value(sqlValue: value) else { throw Self.damaged(name) }
      return value
    }
  }

  private func value(_ name: String) throws(ReceiverError) -> SQLValue {
    guard let index = names.firstIndex(of: name) else { throw Self.damaged(name) }
    return values[index]
  }

  private static func damaged(_ name: String) -> ReceiverError {
    ReceiverError(.databaseFailure, "The column \(name) of the receiver's database is damaged; restore the database")
  }
}
