internal import Foundation
internal import GRDB

extension MeterStore {
  /// The peripherals that are read passively, in the order in which they were chosen; empty means off. They
  /// belong to the gateway and outlast its sessions.
  package func passivePeripherals() throws(StoreError) -> [UInt32] {
    try reading { db in
      let text = try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = 'passive'")
      guard let text else { return [] }
      // Not none: meters that were chosen would not be read, and nobody would hear of it.
      guard let chosen = try? JSONDecoder().decode([UInt32].self, from: Data(text.utf8)) else {
        throw StoreError.unreadable(column: "value")
      }
      return chosen
    }
  }

  /// Chooses the peripherals that are read passively; they are on disk when this returns.
  package func setPassivePeripherals(_ peripherals: [UInt32]) throws(StoreError) {
    try transaction { db in
      let text = String(decoding: try JSONEncoder().encode(peripherals), as: UTF8.self)
      try db.execute(
        sql: "INSERT INTO setting VALUES ('passive', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        arguments: [text])
    }
    announceChange()
  }
}
