package import MeterCore
import Foundation

/// What a person has set for the recordings of one state folder: `recordings/settings.json`.
package struct RecordingSettings: Sendable, Hashable, Codable {
  /// Write every session's recording, not only those of faults.
  package var all = false
  /// Days after which one goes; 1 to 365.
  package var days = 30
  /// Most recordings; 1 to 10000.
  package var number = 200
  /// Most bytes of all together, in MiB; 1 to 10240.
  package var megabytes = 64

  private static let file = "settings.json"
  private static let keyFile = "support-key"

  /// The defaults.
  package init() {}

  /// The settings of a state folder. What cannot be read counts as not set, and an impossible number as the nearest possible.
  package init(_ folder: RecordingFolder) {
    let kept = folder.setting(Self.file).flatMap { try? JSONDecoder().decode(Self.self, from: Data($0)) }
    self = (kept ?? RecordingSettings()).bounded
  }

  private var bounded: RecordingSettings {
    var settings = self
    settings.days = min(max(days, 1), 365)
    settings.number = min(max(number, 1), 10_000)
    settings.megabytes = min(max(megabytes, 1), 10_240)
    return settings
  }

  /// Keeps the settings.
  ///
  /// - Throws: `StoreError` when they cannot be written.
  package func write(to folder: RecordingFolder) throws(StoreError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard let data = try? encoder.encode(bounded) else { return }
    try folder.set(Array(data), Self.file)
  }

  /// Names a file with the operator's support key, over what is set in the folder.
  static let variable = "METERHOST_SUPPORT_KEY"

  /// The operator's support key; nil when none is set.
  ///
  /// - Throws: ``RecordingError/Code/badKey`` when what is set is none, ``RecordingError/Code/file`` when the file that the
  ///   environment names cannot be read.
  package static func supportKey(
    _ folder: RecordingFolder, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(RecordingError) -> SupportKey.Public? {
    if let path = environment[variable], !path.isEmpty {
      return try SupportKey.Public(file: try RecordingReader.bytes(path: path, most: 4096))
    }
    guard let file = folder.setting(keyFile) else { return nil }
    return try SupportKey.Public(file: file)
  }

  /// Sets the operator's support key, or removes it.
  ///
  /// - Throws: `StoreError` when it cannot be written.
  package static func set(_ key: SupportKey.Public?, in folder: RecordingFolder) throws(StoreError) {
    try folder.set(key?.file, keyFile)
  }
}
