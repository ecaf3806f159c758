import MeterDrivers

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

  /// Describes a package.
  init(_ content: PackageContent, file: String) {
    let manifest = content.manifest
    let bytes = content.bytes
    self.file = file
    id = manifest.id
    version = "\(manifest.version)"
    vendor = manifest.vendor
    license = manifest.license
    abi = "\(manifest.abi)"
    drivers = manifest.drivers
    platforms = manifest.libraries.keys.map(\.rawValue).sorted()
    size = bytes.count
    sha256 = "\(BundleHash(of: bytes))"
    signers = content.signatures.map { "\($0.key)" }
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

  /// Describes a change.
  init(_ action: String, _ change: PackageInstaller.Change) {
    self.action = action
    id = change.package.id
    version = "\(change.package.version)"
    before = change.before.map { "\($0)" }
    previous = change.package.previous.map { "\($0)" }
    publisher = change.publisher?.name
    drivers = change.package.drivers
    isEnabled = change.package.isEnabled
    warnings = change.warnings
  }

  /// Says that an update has left a package as it is.
  init(skipped package: InstalledPackage, _ reason: String) {
    action = "skipped"
    id = package.id
    version = "\(package.version)"
    drivers = package.drivers
    isEnabled = package.isEnabled
    warnings = [reason]
  }
}
