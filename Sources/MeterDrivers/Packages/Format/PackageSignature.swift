import HostPrimitives
import StrictJSON

/// A publisher's signature of a package: over the manifest, which names the hash of every file, and over each library for
/// itself, so that the registry entry that an installation writes carries it on.
package struct PackageSignature: Sendable, Hashable {
  /// A signature that the registry entry of a driver gets.
  struct Library: Sendable, Hashable {
    let driver: String
    let platform: PackagePlatform
    let value: [UInt8]
  }

  /// Whose it is.
  package let key: PublisherKey
  let value: [UInt8]
  let libraries: [Library]

  /// Largest list of signatures, in bytes.
  static let sizeLimit = 256 << 10

  /// What is signed.
  static func statement(_ manifest: [UInt8]) -> [UInt8] { Array("MeterHost driver package 1\n".utf8) + manifest }

  /// Signs a package.
  init(_ pair: PublisherKeyPair, of content: PackageContent) throws(PackageError) {
    key = pair.key
    value = try pair.signature(over: Self.statement(content.manifestBytes))
    var libraries: [Library] = []
    for (platform, statement) in try Self.statements(content) {
      libraries.append(
        Library(driver: statement.id, platform: platform, value: try pair.signature(over: statement.bytes)))
    }
    self.libraries = libraries
  }

  private init(key: PublisherKey, value: [UInt8], libraries: [Library]) {
    (self.key, self.value, self.libraries) = (key, value, libraries)
  }

  /// Whether all of it belongs to this package.
  func isValid(for content: PackageContent) -> Bool {
    guard let statements = try? Self.statements(content) else { return false }
    return key.accepts(value, over: Self.statement(content.manifestBytes)) && libraries.count == statements.count
      && zip(libraries, statements).allSatisfy { library, expected in
        library.driver == expected.statement.id && library.platform == expected.platform
          && key.accepts(library.value, over: expected.statement.bytes)
      }
  }

  /// The signature that the entry of a driver gets.
  func entry(driver: String, platform: PackagePlatform) -> DriverSignature? {
    libraries.first { $0.driver == driver && $0.platform == platform }.map {
      DriverSignature(key: key, value: $0.value)
    }
  }

  private static func statements(
    _ content: PackageContent
  ) throws(PackageError) -> [(platform: PackagePlatform, statement: DriverStatement)] {
    let manifest = content.manifest
    let hashes = manifest.hashes
    let drivers = try content.fragment().drivers
    var statements: [(platform: PackagePlatform, statement: DriverStatement)] = []
    for driver in drivers {
      let assets = driver.assets.compactMap { asset in hashes[asset.file].map { (asset.name, $0) } }
      for platform in PackagePlatform.allCases {
        guard let hash = manifest.libraries[platform].flatMap({ hashes[$0] }) else { continue }
        let statement = DriverStatement(
          id: driver.id, version: manifest.version, sha256: hash, assets: Dictionary(assets) { first, _ in first })
        statements.append((platform, statement))
      }
    }
    return statements
  }
}

// MARK: - JSON

private enum SignaturesKey: String, RegistryKey {
  case signatures
  static let requiredKeys: Set<Self> = Set(allCases)
}

private enum SignatureKey: String, RegistryKey {
  case key, value, libraries
  static let requiredKeys: Set<Self> = Set(allCases)
}

private enum LibrarySignatureKey: String, RegistryKey {
  case driver, platform, value
  static let requiredKeys: Set<Self> = Set(allCases)
}

extension PackageSignature {
  /// The signatures as a package holds them.
  static func write(_ signatures: [PackageSignature]) -> [UInt8] {
    PackageJSON.object([
      (
        "signatures",
        .list(
          signatures.map { signature in
            .object([
              ("key", .text("\(signature.key)")), ("value", .text(signature.value.hexadecimal)),
              (
                "libraries",
                .list(
                  signature.libraries.map {
                    .object([
                      ("driver", .text($0.driver)), ("platform", .text($0.platform.rawValue)),
                      ("value", .text($0.value.hexadecimal)),
                    ])
                  })
              ),
            ])
          })
      )
    ]).bytes
  }

  /// Reads them; they are not judged yet.
  static func read(_ bytes: [UInt8], name: String) throws(PackageError) -> [PackageSignature] {
    do throws(RegistryError) {
      let rules = JSONRules(size: sizeLimit, depth: 8, allowsEscapedKeys: false)
      return try read(try JSONElement.strict(bytes, name: "\(name): signatures", rules: rules))
    } catch {
      throw PackageError(.packageDamaged, error.message)
    }
  }

  private static func read(_ root: JSONElement) throws(RegistryError) -> [PackageSignature] {
    var warnings: [RegistryWarning] = []
    var object = try ObjectReader<SignaturesKey>(root)
    var signatures: [PackageSignature] = []
    for element in try object.required(.signatures).elements(atMost: RegistryLimits.signatures) {
      var object = try ObjectReader<SignatureKey>(element)
      let key = try object.required(.key).publisherKey()
      let value = try object.required(.value).signatureValue()
      var libraries: [Library] = []
      for element in try object.required(.libraries).elements(atMost: 256) {
        var object = try ObjectReader<LibrarySignatureKey>(element)
        libraries.append(
          Library(
            driver: try object.required(.driver).driverID(),
            platform: try object.required(.platform).choice(PackagePlatform.self),
            value: try object.required(.value).signatureValue()))
        try object.finish(&warnings)
      }
      try object.finish(&warnings)
      guard !signatures.contains(where: { $0.key == key }) else {
        throw element.error(.duplicateID, "the key \(key) has signed twice", cure: "sign it again")
      }
      signatures.append(PackageSignature(key: key, value: value, libraries: libraries))
    }
    try object.finish(&warnings)
    if let warning = warnings.first {
      throw root.error(.invalidValue, warning.description, cure: "sign it again with this version of MeterHost")
    }
    return signatures
  }
}
