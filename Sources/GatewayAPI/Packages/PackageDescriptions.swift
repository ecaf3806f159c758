/// A driver package as `--json` shows it.
public struct PackageDescription: Sendable, Codable, Hashable {
  /// The path of the package's file.
  public var file: String
  /// The package's id: that of the first driver of its fragment.
  public var id: String
  /// The version of its drivers.
  public var version: String
  /// Who made it, as the fragment says.
  public var vendor: String
  /// An SPDX licence expression.
  public var license: String
  /// The version of the driver contract that it was built for, such as `1.0`.
  public var abi: String
  /// The ids of the drivers in its libraries.
  public var drivers: [String]
  /// The platforms that it has libraries for, by name: `linux-aarch64`, `linux-x86_64`.
  public var platforms: [String]
  /// How many bytes the file has.
  public var size: Int
  /// The SHA-256 of the file in hexadecimal.
  public var sha256: String
  /// The public keys that have signed it, in hexadecimal; whether anybody trusts them is not judged.
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
  /// The path of the package's file, as it was given.
  public var file: String
  /// What it is; nil when it cannot be read.
  public var package: PackageDescription?
  /// Whether its publisher is trusted and all of it is in order.
  public var passed: Bool
  /// The name of the publisher who vouches for it; nil when nobody does who is trusted, or that was not reached.
  public var publisher: String?
  /// Stable name of the failure; nil when it passed.
  public var code: String?
  /// What is wrong and what to do, for people; nil when it passed.
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
  /// The package's id: that of the first driver of its fragment.
  public var id: String
  /// The version in use; of a removed package, the one that was.
  public var version: String
  /// The version that was in use before; nil: none was.
  public var before: String?
  /// The version that `driver rollback` goes back to; nil where there is none.
  public var previous: String?
  /// The name of the publisher who vouches for it; nil: nobody does.
  public var publisher: String?
  /// The ids of the drivers in its libraries.
  public var drivers: [String]
  /// Whether the registry has them.
  public var isEnabled: Bool
  /// What somebody should know, each in its own words; of a `skipped` package the reason.
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
