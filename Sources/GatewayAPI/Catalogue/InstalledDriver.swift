/// A driver as `--json` shows it.
public struct InstalledDriver: Sendable, Codable, Hashable {
  /// The driver's id, a reverse-DNS name such as `org.meterhost.glucose`.
  public var id: String
  /// The driver's own semantic version, as the registry has it.
  public var version: String
  /// Who made it.
  public var vendor: String
  /// The licence of its bundle as an SPDX expression.
  public var license: String
  /// The id of the family whose stored state it shares (rule R23).
  public var family: String
  /// The library's file, as the registry names it: relative to the folder of ``file``.
  public var library: String
  /// SHA-256 of the library in hexadecimal; nil where a registry under development names none (rule R20).
  public var sha256: String?
  /// The version of the driver contract that it was built for, such as `1.0`.
  public var abi: String
  /// Which of `advertisement_only`, `connect` and `decode` it can do, in this order.
  public var capabilities: [String]
  /// The ids of the catalogue's entries that it reads.
  public var peripherals: [UInt32]
  /// The registry file or fragment that it stands in.
  public var file: String
  /// The id of the package that has brought it; nil: none has.
  public var package: String?
  /// The version that `driver rollback` goes back to; nil where there is none.
  public var previous: String?
  /// The name of the publisher who vouches for it; nil: nobody does, or nobody who counts.
  public var publisher: String?
  /// The public keys that have signed it, in hexadecimal, whether the trust list has them or not.
  public var signedBy: [String]
  /// Whether the registry has it; false: its package is disabled.
  public var isEnabled: Bool
  /// What the host has done with its package by itself, such as going back from a version; left out for nothing.
  public var note: String?

  private enum CodingKeys: String, CodingKey {
    case id, version, vendor, license, family, library, sha256, abi, capabilities, peripherals, file, package, previous
    case publisher, note
    case signedBy = "signed_by"
    case isEnabled = "enabled"
  }

  package init(
    id: String, version: String, vendor: String, license: String, family: String, library: String,
    sha256: String? = nil, abi: String, capabilities: [String], peripherals: [UInt32], file: String,
    package: String? = nil, previous: String? = nil, publisher: String? = nil, signedBy: [String], isEnabled: Bool,
    note: String? = nil
  ) {
    self.note = note
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
  /// The bundle's path, or what was asked for where no bundle was found.
  public var file: String
  /// The id of the driver that the file belongs to; nil unless it was asked for by that id.
  public var driver: String?
  /// Whether the bundle would be loaded.
  public var passed: Bool
  /// SHA-256 of the file in hexadecimal; nil unless the bundle passed.
  public var sha256: String?
  /// Stable name of the failure; nil when the bundle passed.
  public var code: String?
  /// What is wrong and what to do, for people; nil when the bundle passed.
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
