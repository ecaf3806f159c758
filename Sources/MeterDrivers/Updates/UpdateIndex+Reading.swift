import HostPrimitives
import StrictJSON

private enum IndexKey: String, RegistryKey {
  case indexVersion = "index_version"
  case number, issued, expires, key, packages, revoked
  static let requiredKeys: Set<Self> = Set(allCases)
}

private enum IndexPackageKey: String, RegistryKey {
  case name, version, file, size, sha256, abi, host, channel, percentage, changelog
  static let requiredKeys: Set<Self> = Set(allCases)
}

extension UpdateIndex {
  /// Reads an index. Unknown keys refuse it: what a publisher has written there must not be passed over.
  ///
  /// - Parameter name: What it is called in errors.
  /// - Throws: ``PackageError`` with code `indexDamaged`, naming line, column and place.
  package init(_ bytes: [UInt8], name: String) throws(PackageError) {
    do throws(RegistryError) {
      let rules = JSONRules(size: Self.sizeLimit, depth: 8, allowsEscapedKeys: false)
      try self.init(root: try JSONElement.strict(bytes, name: name, rules: rules))
    } catch { throw PackageError(.indexDamaged, error.message) }
  }

  private init(root: JSONElement) throws(RegistryError) {
    var warnings: [RegistryWarning] = []
    var object = try ObjectReader<IndexKey>(root)
    let version = try object.required(.indexVersion)
    guard try version.integer(0...UInt64.max) == Self.format else {
      throw version.error(.unknownVersion, "is no version of this host", cure: "update MeterHost")
    }
    number = try object.required(.number).integer(1...UInt64(Int64.max))
    let issued = try object.required(.issued)
    let expires = try object.required(.expires)
    issuedMicroseconds = try issued.utcMoment()
    expiresMicroseconds = try expires.utcMoment()
    guard expiresMicroseconds > issuedMicroseconds,
      expiresMicroseconds - issuedMicroseconds <= Self.longestMicroseconds
    else {
      throw expires.error(.invalidValue, "is not within 400 days after it was issued", cure: "ask its publisher")
    }
    key = try object.required(.key).publisherKey()
    var packages: [Package] = []
    var known: Set<VersionName> = []
    for element in try object.required(.packages).elements(atMost: Self.packageLimit) {
      let package = try Package(element, &warnings)
      guard known.insert(VersionName(package: package.name, version: package.version)).inserted else {
        throw element.error(.duplicateID, "\(package.name) \(package.version) stands twice", cure: "ask its publisher")
      }
      packages.append(package)
    }
    self.packages = packages
    var revoked: [RevokedVersion] = []
    for element in try object.required(.revoked).elements(atMost: Self.revocationLimit) {
      revoked.append(try RevokedVersion(element, &warnings))
    }
    self.revoked = revoked
    try object.finish(&warnings)
    if let warning = warnings.first {
      throw root.error(.invalidValue, warning.description, cure: "update MeterHost, or ask its publisher")
    }
  }

  private struct VersionName: Hashable {
    let package: String
    let version: SemanticVersion
  }
}

extension UpdateIndex.Package {
  fileprivate init(_ element: JSONElement, _ warnings: inout [RegistryWarning]) throws(RegistryError) {
    var object = try ObjectReader<IndexPackageKey>(element)
    let namePlace = try object.required(.name)
    name = try namePlace.driverID()
    guard PackagePath.isPackageID(name) else {
      throw namePlace.error(.invalidValue, "\"\(shown(name))\" is no id of a package", cure: "ask its publisher")
    }
    version = try object.required(.version).version()
    let filePlace = try object.required(.file)
    file = try filePlace.string(limit: 255)
    // A name and no path: it is put behind the address of the folder.
    guard Self.isFileName(file) else {
      throw filePlace.error(.escapingPath, "\"\(shown(file))\" is no name of a file", cure: "ask its publisher")
    }
    size = try object.required(.size).integer(1...PackageContent.sizeLimit)
    sha256 = try object.required(.sha256).sha256()
    var contract = try ObjectReader<DriverABIKey>(try object.required(.abi))
    abi = ABIVersion(
      major: try contract.required(.major).integer(0...UInt16.max),
      minor: try contract.required(.minor).integer(0...UInt16.max))
    try contract.finish(&warnings)
    host = try object.required(.host).version()
    channel = try object.required(.channel).choice(UpdateIndex.Channel.self)
    percentage = try object.required(.percentage).integer(0...100)
    changelog = try object.required(.changelog).text()
    try object.finish(&warnings)
  }
}

extension UpdateIndex.Package {
  /// A name of letters, digits, dots, dashes and underscores, which needs no escape in an address and hides nothing.
  package static func isFileName(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 160 else { return false }
    let isLetterOrDigit = { (byte: UInt8) in
      (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }
    return isLetterOrDigit(first)
      && name.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f }
  }
}

extension JSONElement {
  /// A moment in UTC, in microseconds since 1970-01-01T00:00Z.
  fileprivate func utcMoment() throws(RegistryError) -> Int64 {
    let text = try string(limit: 32)
    guard let time = WrittenTime(text), time.offset == .utc, time.hasSeconds, !time.hasBlank,
      let moment = time.utcMicroseconds
    else {
      throw error(
        .invalidValue, "\"\(shown(text))\" is no moment in UTC", cure: "write one such as 2030-01-31T00:00:00Z")
    }
    return moment
  }
}
