/// The trust list as `--json` shows it.
public struct TrustDescription: Sendable, Codable, Hashable {
  /// A publisher.
  public struct Publisher: Sendable, Codable, Hashable {
    /// Its short name.
    public var id: String
    /// What people call it.
    public var name: String
    /// The drivers that it may sign for.
    public var drivers: [String]
    /// Its keys.
    public var keys: [String]
    /// Its keys that count no more.
    public var revoked: [String]

    package init(id: String, name: String, drivers: [String], keys: [String], revoked: [String]) {
      self.id = id
      self.name = name
      self.drivers = drivers
      self.keys = keys
      self.revoked = revoked
    }
  }

  /// A version below which drivers are not used.
  public struct Floor: Sendable, Codable, Hashable {
    /// Which drivers.
    public var drivers: String
    /// The oldest version that is used.
    public var version: String

    package init(drivers: String, version: String) {
      self.drivers = drivers
      self.version = version
    }
  }

  /// The file.
  public var file: String
  /// Whether packages without a signature may be installed with `--unsigned`.
  public var allowsUnsigned: Bool
  /// Whether drivers of fragments need a signature.
  public var requiresSignatures: Bool
  /// The publishers.
  public var publishers: [Publisher]
  /// The floors.
  public var floors: [Floor]

  private enum CodingKeys: String, CodingKey {
    case file, publishers, floors
    case allowsUnsigned = "allow_unsigned"
    case requiresSignatures = "require_signatures"
  }

  package init(file: String, allowsUnsigned: Bool, requiresSignatures: Bool, publishers: [Publisher], floors: [Floor]) {
    self.file = file
    self.allowsUnsigned = allowsUnsigned
    self.requiresSignatures = requiresSignatures
    self.publishers = publishers
    self.floors = floors
  }
}
