/// A backup that was made or verified, as `--json` shows it.
public struct BackupDescription: Sendable, Codable, Hashable {
  /// The file.
  public var file: String
  /// The file's bytes.
  public var bytes: Int64
  /// How many parts are in it.
  public var parts: Int
  /// Of when it is, RFC 3339 in UTC.
  public var made: String
  /// The gateway's name.
  public var gateway: String
  /// The version of the program that made it.
  public var program: String
  /// Whether the key of the vault is in it.
  public var hasKey: Bool
  /// How many records wait in it; nil where they were not counted.
  public var records: Int?
  /// The names of records that were damaged before the backup was made; nil where they were not looked at.
  public var damaged: [String]?
  /// What was left out of the state folder; nil where that is not known.
  public var left: [String]?

  enum CodingKeys: String, CodingKey {
    case file, bytes, parts, made, gateway, program, records, damaged, left
    case hasKey = "with_key"
  }

  package init(
    file: String, bytes: Int64, parts: Int, made: String, gateway: String, program: String, hasKey: Bool
  ) {
    (self.file, self.bytes, self.parts, self.made) = (file, bytes, parts, made)
    (self.gateway, self.program, self.hasKey) = (gateway, program, hasKey)
  }
}

/// A state folder that was restored, as `--json` shows it.
public struct RestoreDescription: Sendable, Codable, Hashable {
  /// Secrets by their kind.
  public struct Secrets: Sendable, Codable, Hashable {
    /// Tokens of receivers.
    public var tokens: Int
    /// Keys and licences of meters.
    public var keys: Int
    /// Bonds with meters.
    public var bonds: Int
    /// What drivers keep in secret.
    public var drivers: Int

    package init(tokens: Int, keys: Int, bonds: Int, drivers: Int) {
      (self.tokens, self.keys, self.bonds, self.drivers) = (tokens, keys, bonds, drivers)
    }
  }

  /// The state folder.
  public var state: String
  /// Of when the backup is, RFC 3339 in UTC.
  public var made: String
  /// The gateway's name from here on.
  public var gateway: String
  /// Whether it goes on as the machine that the backup was made on.
  public var isSameMachine: Bool
  /// How many records wait in it.
  public var records: Int
  /// The names of records that were damaged before the backup was made.
  public var damaged: [String]
  /// The secrets in the backup.
  public var secrets: Secrets
  /// Whether they can be opened; else they are gone, and have to be given again.
  public var hasKey: Bool
  /// The folder with the machine's configuration, for root to put in its place; nil where none was in the backup.
  public var machine: String?
  /// The file of the key that systemd hands over to a host here, which takes it before the one that came with the backup; nil: none was
  /// found, or no key came.
  public var sealedKey: String?

  enum CodingKeys: String, CodingKey {
    case state, made, gateway, records, damaged, secrets, machine
    case sealedKey = "sealed_key"
    case isSameMachine = "same_machine"
    case hasKey = "with_key"
  }

  package init(
    state: String, made: String, gateway: String, isSameMachine: Bool, records: Int, damaged: [String],
    secrets: Secrets,
    hasKey: Bool, machine: String?
  ) {
    (self.state, self.made, self.gateway, self.isSameMachine) = (state, made, gateway, isSameMachine)
    (self.records, self.damaged, self.secrets, self.hasKey) = (records, damaged, secrets, hasKey)
    self.machine = machine
  }
}
