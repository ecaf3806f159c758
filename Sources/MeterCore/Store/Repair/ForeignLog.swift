/// How a write-ahead log does not belong to the database beside which it lies.
package enum ForeignLog: String, Sendable, Hashable, Codable {
  /// It is another database's: nothing of it was taken.
  case otherDatabase = "other_database"
  /// It is older than the database, which has everything that it holds.
  case earlier
  /// It begins behind commits that the database does not have. The readings that stand in it are held for a person.
  case later
}

extension LogOrigin {
  /// What a repair says of a log that it leaves out.
  var foreignLog: ForeignLog? {
    switch self {
    case .own: nil
    case .foreign: .otherDatabase
    case .earlier: .earlier
    case .later: .later
    }
  }
}
