internal import GRDB

// GRDB's own subscripts end the process at a value of another type, and print the row. These take their place in this module,
// so that a read without `try` does not compile.
extension Row {
  /// The value of a column.
  ///
  /// - Throws: `StoreError` with code `corrupt`, which names the column only, when it is of another type, or absent and not
  ///   optional.
  @_disfavoredOverload
  subscript<Value: DatabaseValueConvertible>(_ column: String) -> Value {
    get throws { try stored(column) }
  }

  /// The same for types that SQLite hands out by itself.
  @_disfavoredOverload
  subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ column: String) -> Value {
    get throws {
      do { return try decode(Value.self, forColumn: column) } catch { throw StoreError.unreadable(column: column) }
    }
  }

  func stored<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
    do { return try decode(Value.self, forColumn: column) } catch { throw StoreError.unreadable(column: column) }
  }
}

extension StoreError {
  /// A row holds what nothing has written there. Never what stands there: that is a person's.
  static func unreadable(column: String) -> StoreError {
    StoreError(
      .corrupt,
      "the state database is damaged; run `meterhost doctor --repair`, which keeps everything that can be read.",
      cause: "the column \(column) of a row cannot be read")
  }
}
