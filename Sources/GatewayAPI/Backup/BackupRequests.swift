/// Makes a snapshot of the state folder for a backup, and keeps it until whoever asked has written it elsewhere.
///
/// It asks one question: whether the backup is written and on disk. The answer `1` says so; any other one, and giving up, says
/// that none was made. Then the snapshot is removed.
public struct BackupRequest: ControlConversation {
  /// Where the snapshot is, and that the backup is noted.
  public typealias Event = BackupTelling

  /// Its name on the socket.
  public static let name = "backup.make"
  /// Whether the key that encrypts tokens, keys and bonds is told: with it, and with the snapshot, all of them can be read.
  public var hasKey = false

  /// A backup.
  public init(hasKey: Bool = false) { self.hasKey = hasKey }
}

extension BackupRequest {
  private enum CodingKeys: String, CodingKey {
    case hasKey = "with_key"
  }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    hasKey = try container.decode(.hasKey, else: hasKey)
  }
}

/// What making a backup tells.
public enum BackupTelling: Sendable {
  /// The snapshot is there.
  case snapshot(BackupSnapshot)
  /// The backup is noted as the last one.
  case noted(BackupState)
  /// Something that only a later version knows, by its name.
  case other(String)
}

/// Each telling is one object, and its member `event` says which.
extension BackupTelling: Codable {
  private enum CodingKeys: String, CodingKey { case event }

  /// What a telling is called.
  private struct Name: RawRepresentable, Hashable, Codable, CaseIterable {
    static let snapshot = Name(rawValue: "snapshot")
    static let noted = Name(rawValue: "noted")
    static let allCases = [snapshot, noted]
    let rawValue: String
  }

  /// Reads a telling by its name.
  public init(from decoder: any Decoder) throws {
    let name = try decoder.container(keyedBy: CodingKeys.self).decode(Name.self, forKey: .event)
    switch name {
    case .snapshot: self = .snapshot(try BackupSnapshot(from: decoder))
    case .noted: self = .noted(try BackupState(from: decoder))
    default: self = .other(name.rawValue)
    }
  }

  /// Writes the name and what belongs to it into one object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .snapshot(let snapshot):
      try container.encode(Name.snapshot, forKey: .event)
      try snapshot.encode(to: encoder)
    case .noted(let state):
      try container.encode(Name.noted, forKey: .event)
      try state.encode(to: encoder)
    case .other(let name): try container.encode(name, forKey: .event)
    }
  }
}

/// A snapshot of a state folder.
public struct BackupSnapshot: Sendable, Codable, Hashable {
  /// The folder: the database is `state.sqlite` in it, the other files are in `files`.
  public var folder: String
  /// The gateway's name.
  public var gateway: String
  /// When it was taken, microseconds since 1970-01-01T00:00Z.
  public var microseconds: Int64
  /// The key of the vault, in base64; nil where it was not asked for, or there is none.
  public var key: String?
  /// What is in the state folder and not in the snapshot.
  public var left: [String]

  enum CodingKeys: String, CodingKey {
    case folder, gateway, key, left
    case microseconds = "made_us"
  }

  package init(folder: String, gateway: String, microseconds: Int64, key: String?, left: [String]) {
    (self.folder, self.gateway, self.microseconds) = (folder, gateway, microseconds)
    (self.key, self.left) = (key, left)
  }
}

/// Asks when a backup was made last, and whether the state folder came out of one.
public struct BackupShowRequest: ControlRequest {
  /// What is known of backups.
  public typealias Answer = BackupState

  /// Its name on the socket.
  public static let name = "backup.show"
  /// It changes nothing.
  public static let isRepeatable = true
  /// It changes nothing.
  public static let onlyLooks = true

  /// The question.
  public init() {}
}

/// What a state folder knows of backups, as `--json` shows it.
public struct BackupState: Sendable, Codable, Hashable {
  /// The gateway's name.
  public var gateway: String
  /// Of when the last backup is, RFC 3339 in UTC; nil: there is none.
  public var last: String?
  /// Whether the key of the vault is in it; nil without a backup.
  public var hasKey: Bool?
  /// Of when the backup is that the folder was restored from, RFC 3339 in UTC; nil: from none.
  public var restoredFrom: String?
  /// When it was restored, RFC 3339 in UTC.
  public var restored: String?
  /// Whether it was restored as the same machine.
  public var isSameMachine: Bool?

  enum CodingKeys: String, CodingKey {
    case gateway, last, restored
    case hasKey = "with_key"
    case restoredFrom = "restored_from"
    case isSameMachine = "same_machine"
  }

  package init(gateway: String) { self.gateway = gateway }
}
