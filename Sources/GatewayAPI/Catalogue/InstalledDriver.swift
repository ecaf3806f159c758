/// A driver as `--json` shows it.
public struct InstalledDriver: Sendable, Codable, Hashable {
  /// The driver's id.
  public var id: String
  /// Its version.
  public var version: String
  /// Who made it.
  public var vendor: String
  /// Its licence.
  public var license: String
  /// The family whose state it shares.
  public var family: String
  /// The library's file, as the registry names it.
  public var library: String
  /// SHA-256 of the library; nil in a registry under development.
  public var sha256: String?
  /// The contract's version that it was built for.
  public var abi: String
  /// What it can do.
  public var capabilities: [String]
  /// The peripherals that it reads.
  public var peripherals: [UInt32]
  /// The file of the registry that it stands in.
  public var file: String
  /// The package that has brought it; nil: none has.
  public var package: String?
  /// The version that `driver rollback` goes back to.
  public var previous: String?
  /// The publisher who vouches for it; nil: nobody does, or nobody who counts.
  public var publisher: String?
  /// The keys that have signed it.
  public var signedBy: [String]
  /// Whether the registry has it; false: its package is disabled.
  public var isEnabled: Bool

  private enum CodingKeys: String, CodingKey {
    case id, version, vendor, license, family, library, sha256, abi, capabilities, peripherals, file, package, previous
    case publisher
    case signedBy = "signed_by"
    case isEnabled = "enabled"
  }

  package init(
    id: String, version: String, vendor: String, license: String, family: String, library: String,
    sha256: String? = nil, abi: String, capabilities: [String], peripherals: [UInt32], file: String,
    package: String? = nil, previous: String? = nil, publisher: String? = nil, signedBy: [String], isEnabled: Bool
  ) {
    self.id = id
    self.version = version
    self.vendor = vendor
    self.license = license
    self.family = family
    self.library = library
    self.sha256 = sha256
    self.abi = abi
    self.capabilities = capabilities
    self.peripherals = peripherals
    self.file = file
    self.package = package
    self.previous = previous
    self.publisher = publisher
    self.signedBy = signedBy
    self.isEnabled = isEnabled
  }
}

/// What verifying a bundle has found (rule R20).
public struct BundleReport: Sendable, Codable, Hashable {
  /// The file.
  public var file: String
  /// The driver of the registry that the file belongs to, if it was given by id.
  public var driver: String?
  /// Whether the bundle would be loaded.
  public var passed: Bool
  /// SHA-256 of the file.
  public var sha256: String?
  /// Stable name of the failure.
  public var code: String?
  /// What is wrong and what to do.
  public var message: String?

  package init(
    file: String, driver: String? = nil, passed: Bool, sha256: String? = nil, code: String? = nil,
    message: String? = nil
  ) {
    self.file = file
    self.driver = driver
    self.passed = passed
    self.sha256 = sha256
    self.code = code
    self.message = message
  }
}
