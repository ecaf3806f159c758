internal import Foundation
internal import GRDB

extension MeterStore {
  /// Keeps what the user says of their body for as long as the session goes on; nil forgets it.
  ///
  /// - Throws: ``StoreError`` with code `stale_generation` when the session is another one by now.
  package func setBody(_ body: BodyProfile?, of generation: SessionGeneration) throws(StoreError) {
    try transaction { db in
      _ = try Self.owner(db, of: generation)
      let text = try body.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
      try db.execute(sql: "UPDATE session SET body = ?", arguments: [text])
    }
    announceChange()
  }
}
