internal import Foundation
internal import GRDB

extension DatabaseValue {
  init(_ value: StoredValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let value): value.databaseValue
      case .real(let value): value.databaseValue
      case .text(let value): value.databaseValue
      case .blob(let value): Data(value).databaseValue
      }
  }
}
