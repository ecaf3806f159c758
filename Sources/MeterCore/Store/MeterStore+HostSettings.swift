internal import GRDB

// Settings of the parts above the store, each a text of its own form.
extension MeterStore {
  /// A setting that was kept for this folder; nil when nobody has.
  ///
  /// - Throws: ``StoreError``.
  package func hostSetting(_ name: String) throws(StoreError) -> String? {
    try reading { db in
      try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [Self.hostSettingName(name)])
    }
  }

  /// Keeps a setting for this folder; nil forgets it.
  ///
  /// - Throws: ``StoreError``.
  package func setHostSetting(_ value: String?, _ name: String) throws(StoreError) {
    try transaction { db in
      guard let value else {
        return try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [Self.hostSettingName(name)])
      }
      try db.execute(
        sql: "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        arguments: [Self.hostSettingName(name), value])
    }
  }

  /// What a setting is called in the database: that keeps them apart from the store's own.
  static func hostSettingName(_ name: String) -> String { "host/\(name)" }
}
