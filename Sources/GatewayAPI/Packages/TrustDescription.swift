/// The trust list as `--json` shows it.
public struct TrustDescription: Sendable, Codable, Hashable {
  /// Whose signature makes a package trusted, and for which drivers.
  public struct Publisher: Sendable, Codable, Hashable {
    /// Its short name, which the commands take.
    public var id: String
    /// What people call it.
    public var name: String
    /// The drivers that it may sign for: each an id, or the beginning of ids that ends with a dot.
    public var drivers: [String]
    /// Its public keys in hexadecimal; several while one takes another's place.
    public var keys: [String]
    /// Its public keys that sign indexes only, in hexadecimal; left out when it has none.
    public var indexKeys: [String]?
    /// Public keys that were its own and count no more, whatever they have signed and when.
    public var revoked: [String]

    private enum CodingKeys: String, CodingKey {
      case id, name, drivers, keys, revoked
      case indexKeys = "index_keys"
    }

    package init(
      id: String, name: String, drivers: [String], keys: [String], indexKeys: [String]? = nil, revoked: [String]
    ) {
      self.indexKeys = indexKeys
      self.id = id
      self.name = name
      self.drivers = drivers
      self.keys = keys
      self.revoked = revoked
    }
  }

  /// A version below which drivers are not used.
  public struct Floor: Sendable, Codable, Hashable {
    /// A driver's id, or the beginning of ids that ends with a dot.
    public var drivers: String
    /// The oldest version that is used.
    public var version: String

    package init(drivers: String, version: String) {
      self.drivers = drivers
      self.version = version
    }
  }

  /// The path of the list.
  public var file: String
  /// Whether packages without a signature may be installed with `--unsigned`.
  public var allowsUnsigned: Bool
  /// Whether drivers of fragments need a signature.
  public var requiresSignatures: Bool
  /// Whom the operator trusts; one without keys and drivers stands there for its revoked keys.
  public var publishers: [Publisher]
  /// Below which versions drivers are not used, whoever has signed them.
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
