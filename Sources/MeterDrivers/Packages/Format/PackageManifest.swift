import StrictJSON

/// What a package says about itself; its signatures are made over these very bytes.
package struct PackageManifest: Sendable, Hashable {
  package struct File: Sendable, Hashable {
    /// Its place in the package.
    package let path: String
    /// Its length in bytes.
    package let size: Int
    /// The SHA-256 of its content.
    package let sha256: BundleHash
  }

  /// The package's name: the id of the first driver of its fragment.
  package let id: String
  /// The version of all its drivers.
  package let version: SemanticVersion
  /// Who made it, as the fragment says.
  package let vendor: String
  /// An SPDX licence expression.
  package let license: String
  /// The contract that its libraries were built for.
  package let abi: ABIVersion
  /// The ids of its drivers.
  package let drivers: [String]
  /// The place of the library for each platform.
  package let libraries: [PackagePlatform: String]
  /// Every file, in the order of their paths and of the package.
  package let files: [File]

  /// The hash of every file, by its path.
  var hashes: [String: BundleHash] { Dictionary(files.map { ($0.path, $0.sha256) }) { first, _ in first } }

  /// The version of the format.
  static let format: UInt64 = 1
  /// Largest manifest, in bytes.
  static let sizeLimit = 256 << 10
  /// Most files of a package.
  static let fileLimit = 512

  static let rules = JSONRules(size: sizeLimit, depth: 8, allowsEscapedKeys: false)

  /// The manifest as it is written.
  var bytes: [UInt8] {
    PackageJSON.object([
      ("package_version", .number(Self.format)), ("id", .text(id)), ("version", .text("\(version)")),
      ("vendor", .text(vendor)), ("license", .text(license)),
      ("abi", .object([("major", .number(UInt64(abi.major))), ("minor", .number(UInt64(abi.minor)))])),
      ("drivers", .list(drivers.map(PackageJSON.text))),
      (
        "libraries",
        .object(
          libraries.sorted { $0.key.rawValue < $1.key.rawValue }.map { (key: $0.key.rawValue, value: .text($0.value)) })
      ),
      (
        "files",
        .list(
          files.map {
            .object([
              ("path", .text($0.path)), ("size", .number(UInt64($0.size))), ("sha256", .text("\($0.sha256)")),
            ])
          })
      ),
    ]).bytes
  }
}

// MARK: - Reading

private enum ManifestKey: String, RegistryKey {
  case packageVersion = "package_version"
  case id, version, vendor, license, abi, drivers, libraries, files
  static let requiredKeys: Set<Self> = Set(allCases)
}

private enum ManifestFileKey: String, RegistryKey {
  case path, size, sha256
  static let requiredKeys: Set<Self> = Set(allCases)
}

extension PackageManifest {
  /// Reads a manifest; everything that it says about itself is checked.
  init(_ bytes: [UInt8], name: String) throws(PackageError) {
    do throws(RegistryError) {
      try self.init(root: try JSONElement.strict(bytes, name: "\(name): manifest", rules: Self.rules))
    } catch {
      throw error.code == .unknownVersion
        ? PackageError(.notAPackage, error.message) : PackageError(.packageDamaged, error.message)
    }
  }

  private init(root: JSONElement) throws(RegistryError) {
    var warnings: [RegistryWarning] = []
    var object = try ObjectReader<ManifestKey>(root)
    let version = try object.required(.packageVersion)
    guard try version.integer(0...UInt64.max) == Self.format else {
      throw version.error(.unknownVersion, "is no package version of this host", cure: "update MeterHost")
    }
    let idPlace = try object.required(.id)
    id = try idPlace.driverID()
    guard PackagePath.isPackageID(id) else {
      throw idPlace.error(
        .invalidValue, "\"\(shown(id))\" is no id of a package", cure: "pack it again with an id of at most 64 bytes")
    }
    self.version = try object.required(.version).version()
    vendor = try object.required(.vendor).name()
    license = try object.required(.license).name()
    let contract = try object.required(.abi)
    var abiObject = try ObjectReader<DriverABIKey>(contract)
    abi = ABIVersion(
      major: try abiObject.required(.major).integer(0...UInt16.max),
      minor: try abiObject.required(.minor).integer(0...UInt16.max))
    try abiObject.finish(&warnings)
    var drivers: [String] = []
    for element in try object.required(.drivers).elements(atMost: 64) { drivers.append(try element.driverID()) }
    self.drivers = drivers
    let filesPlace = try object.required(.files)
    files = try Self.files(filesPlace, &warnings)
    libraries = try Self.libraries(object.required(.libraries), files)
    try object.finish(&warnings)
    if let warning = warnings.first {
      throw root.error(.invalidValue, warning.description, cure: "pack it again with this version of MeterHost")
    }
    guard drivers.first == id, Set(drivers).count == drivers.count else {
      throw root.error(.invalidValue, "its drivers are not those of the package \(id)", cure: "pack it again")
    }
    guard files.contains(where: { $0.path == PackagePath.fragment }),
      files.contains(where: { $0.path == PackagePath.license })
    else {
      throw filesPlace.error(
        .missingKey, "lacks \(PackagePath.fragment) or \(PackagePath.license)", cure: "pack it again")
    }
  }

  private static func files(
    _ place: JSONElement, _ warnings: inout [RegistryWarning]
  ) throws(RegistryError) -> [File] {
    var files: [File] = []
    for element in try place.elements(atMost: fileLimit) {
      var object = try ObjectReader<ManifestFileKey>(element)
      let pathPlace = try object.required(.path)
      let path = try pathPlace.string(limit: PackagePath.limit)
      guard PackagePath.isAllowed(path) else {
        throw pathPlace.error(.escapingPath, "\"\(shown(path))\" is no place of a package", cure: "pack it again")
      }
      // Strictly rising: no path twice, one order for one content.
      if let before = files.last?.path, !before.utf8.lexicographicallyPrecedes(path.utf8) {
        throw pathPlace.error(.duplicateID, "\"\(path)\" is out of order", cure: "pack it again")
      }
      files.append(
        File(
          path: path, size: try object.required(.size).integer(0...PackageContent.fileSizeLimit),
          sha256: try object.required(.sha256).sha256()))
      try object.finish(&warnings)
    }
    let folders = Set(files.map(\.path))
    for file in files {
      var parts = file.path.split(separator: "/").dropLast()
      while !parts.isEmpty {
        guard !folders.contains(parts.joined(separator: "/")) else {
          throw place.error(.invalidValue, "\"\(file.path)\" lies below a file", cure: "pack it again")
        }
        parts.removeLast()
      }
    }
    return files
  }

  private static func libraries(
    _ place: JSONElement, _ files: [File]
  ) throws(RegistryError) -> [PackagePlatform: String] {
    var libraries: [PackagePlatform: String] = [:]
    for (key, value) in try place.members(atMost: PackagePlatform.allCases.count) {
      guard let platform = PackagePlatform(rawValue: key.anyText) else {
        throw key.error(.invalidValue, "is no platform", cure: "update MeterHost, or pack it again")
      }
      let path = try value.string(limit: PackagePath.limit)
      guard path.hasPrefix("lib/\(platform.rawValue)/"), files.contains(where: { $0.path == path }) else {
        throw value.error(.unknownReference, "\"\(shown(path))\" is no library of the package", cure: "pack it again")
      }
      libraries[platform] = path
    }
    let listed = files.filter { $0.path.hasPrefix("lib/") }.map(\.path)
    guard !libraries.isEmpty, Set(listed) == Set(libraries.values), listed.count == libraries.count else {
      throw place.error(.invalidValue, "there is not one library for each platform", cure: "pack it again")
    }
    return libraries
  }
}
