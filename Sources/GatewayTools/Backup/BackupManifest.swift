import GatewayAPI
import MeterCore

/// The first text of a backup: whose it is. Each text has four bytes of length before it, most significant first.
///
/// The content of a backup is this, for each part a ``BackupPartHead`` with its bytes behind it, and a ``BackupEnd``.
struct BackupStart: Codable, Sendable, Hashable {
  /// What the parts are; a reader of another version refuses it.
  var format: Int
  /// The gateway's name.
  var gateway: String
  /// When the snapshot was taken, microseconds since 1970-01-01T00:00Z.
  var microseconds: Int64
  /// The program that made it.
  var program: String
  /// Whether the key of the vault is a part.
  var hasKey: Bool

  static let format = 1

  enum CodingKeys: String, CodingKey {
    case format, gateway, program
    case microseconds = "made_us"
    case hasKey = "with_key"
  }
}

/// What stands before each part, and before the end.
struct BackupPartHead: Codable, Sendable, Hashable {
  /// The part's name, and how many bytes follow; nil at the end.
  var part: String?
  var size: Int64?
  /// What all parts were; nil before each of them.
  var end: BackupEnd?
}

/// The last text: all parts, so that one that is missing is seen whatever wrote the backup.
struct BackupEnd: Codable, Sendable, Hashable {
  /// One part.
  struct Part: Codable, Sendable, Hashable {
    var part: String
    var size: Int64
    /// SHA-256 of its bytes, in hexadecimal.
    var sha256: String
  }

  var parts: [Part]
}

/// What no backup of a gateway goes beyond. Who reads one believes no number before it was compared with these.
enum BackupLimits {
  /// Bytes of a text.
  static let text = 64 << 20
  static let parts = 200_000
  /// Bytes of a part, and of all of them.
  static let part: Int64 = 1 << 40
  static let key: Int64 = 32
}
