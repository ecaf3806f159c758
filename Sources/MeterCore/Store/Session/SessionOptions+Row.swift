internal import Foundation
internal import GRDB

// The options in the session's row.
extension SessionOptions {
  /// Tables of earlier versions have no such columns; a repair looks at them before they are brought up to date.
  init(_ row: Row) {
    self.init(receiver: (row["receiver"] as Data?).map(Array.init), zone: row["zone"])
  }

  /// Writes them at a session's start; a zone that is not named stays.
  func write(_ db: Database) throws {
    try db.execute(
      sql: "UPDATE session SET receiver = ?, zone = coalesce(?, zone)", arguments: [receiver.map { Data($0) }, zone])
  }
}
