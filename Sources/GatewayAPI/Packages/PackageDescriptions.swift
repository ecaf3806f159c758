/// A driver package as `--json` shows it.
public struct PackageDescription: Sendable, Codable, Hashable {
  /// The file.
  public var file: String
  /// The package's name.
  public var id: String
  /// The version of its drivers.
  public var version: String
  /// Who made it.
  public var vendor: String
  /// Its licence.
  public var license: String
  /// The contract's version that it was built for.
  public var abi: String
  /// Its drivers.
  public var drivers: [String]
  /// The platforms that it has libraries for.
  public var platforms: [String]
  /// How many bytes it has.
  public var size: Int
  /// The SHA-256 of the file.
  public var sha256: String
  /// The keys that have signed it; not judged.
  public var signers: [String]
  /// Whether its library for this machine was started; nil: nobody has tried, false: it has none.
  public var isStarted: Bool?

  private enum CodingKeys: String, CodingKey {
    case file, id, version, vendor, license, abi, drivers, platforms, size, sha256, signers
    case isStarted = "started"
  }

  package init(
    file: String, id: String, version: String, vendor: String, license: String, abi: String, drivers: [String],
    platforms: [String], size: Int, sha256: String, signers: [String], isStarted: Bool? = nil
  ) {
    self.file = file
    self.id = id
    self.version = version
    self.vendor = vendor
    self.license = license
    self.abi = abi
    self.drivers = drivers
    self.platforms = platforms
    self.size = size
    self.sha256 = sha256
    self.signers = signers
    self.isStarted = isStarted
  }
}

/// What verifying a package has found.
public struct PackageReport: Sendable, Codable, Hashable {
  /// The file.
  public var file: String
  /// What it is; nil when it cannot be read.
  public var package: PackageDescription?
  /// Whether its publisher is trusted and all of it is in order.
  public var passed: Bool
  /// Who vouches for it.
  public var publisher: String?
  /// Stable name of the failure.
  public var code: String?
  /// What is wrong and what to do.
  public var message: String?

  package init(
    file: String, package: PackageDescription? = nil, passed: Bool, publisher: String? = nil, code: String? = nil,
    message: String? = nil
  ) {
    self.file = file
    self.package = package
    self.passed = passed
    self.publisher = publisher
    self.code = code
    self.message = message
  }
}

/// What a change of the installed packages has done.
public struct PackageChangeDescription: Sendable, Codable, Hashable {
  /// What was done: `installed`, `updated`, `rolled_back`, `removed`, `enabled` or `disabled`; `skipped` by an update.
  public var action: String
  /// The package's name.
  public var id: String
  /// The version in use; of a removed package, the one that was.
  public var version: String
  /// The version that was in use before.
  public var before: String?
  /// The version that `driver rollback` goes back to.
  public var previous: String?
  /// Who vouches for it.
  public var publisher: String?
  /// Its drivers.
  public var drivers: [String]
  /// Whether the registry has them.
  public var isEnabled: Bool
  /// What somebody should know.
  public var warnings: [String]

  private enum CodingKeys: String, CodingKey {
    case action, id, version, before, previous, publisher, drivers, warnings
    case isEnabled = "enabled"
  }

  package init(
    action: String, id: String, version: String, before: String? = nil, previous: String? = nil,
    publisher: String? = nil, drivers: [String], isEnabled: Bool, warnings: [String]
  ) {
    self.action = action
    self.id = id
    self.version = version
    self.before = before
    self.previous = previous
    self.publisher = publisher
    self.drivers = drivers
    self.isEnabled = isEnabled
    self.warnings = warnings
  }
}
