internal import Foundation

/// When a backup of this state folder was made last.
package struct LastBackup: Sendable, Hashable, Codable {
  /// When its snapshot was taken, in microseconds since 1970-01-01T00:00Z.
  package let microseconds: Int64
  /// Whether the key of the vault is in it.
  package let hasKey: Bool

  package init(microseconds: Int64, hasKey: Bool) { (self.microseconds, self.hasKey) = (microseconds, hasKey) }
}

/// That this state folder came out of a backup.
package struct Restoration: Sendable, Hashable, Codable {
  /// When it was restored, in microseconds since 1970-01-01T00:00Z.
  package let microseconds: Int64
  /// When the backup was made, in microseconds since 1970-01-01T00:00Z.
  package let madeMicroseconds: Int64
  /// Whether it goes on as the gateway that it was.
  package let isSameMachine: Bool

  package init(microseconds: Int64, madeMicroseconds: Int64, isSameMachine: Bool) {
    (self.microseconds, self.madeMicroseconds, self.isSameMachine) = (microseconds, madeMicroseconds, isSameMachine)
  }
}

extension MeterStore {
  static let (lastBackupSetting, restorationSetting) = ("backup", "restoration")

  /// When a backup was made last; nil: never, or not that this folder knows.
  ///
  /// - Throws: ``StoreError``.
  package func lastBackup() throws(StoreError) -> LastBackup? { try moment(Self.lastBackupSetting) }

  /// Notes that a backup is whole and on disk.
  ///
  /// - Throws: ``StoreError``.
  package func noteBackup(_ backup: LastBackup) throws(StoreError) {
    try setHostSetting(Self.text(backup), Self.lastBackupSetting)
  }

  /// Out of which backup this folder came; nil for one that was never restored.
  ///
  /// - Throws: ``StoreError``.
  package func restoration() throws(StoreError) -> Restoration? { try moment(Self.restorationSetting) }

  /// The text that the database has of a moment.
  static func text(_ moment: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(moment)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private func moment<Moment: Decodable>(_ name: String) throws(StoreError) -> Moment? {
    guard let text = try hostSetting(name) else { return nil }
    // What a later version writes is not this one's to judge.
    return try? JSONDecoder().decode(Moment.self, from: Data(text.utf8))
  }
}
