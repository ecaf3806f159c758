/// How much of anything a registry may hold: far above the real, far below what hurts.
enum RegistryLimits {
  static let fragments = 4_096
  static let entries = 100_000
  static let warnings = 256
  static let name = 128
  static let text = 4_096
  static let pattern = 64
  static let path = 255
  static let identifier = 128
  /// Entries that a thread decodes before it takes the next ones.
  static let run = 64
  static let rules = 32
  static let services = 16
  static let characteristics = 32
  static let quirks = 64
  static let credentials = 8
  static let ownCodes = 256
  static let assets = 64
  /// Of a driver, and of a package: keys that follow each other, and no more.
  static let signatures = 8
}
