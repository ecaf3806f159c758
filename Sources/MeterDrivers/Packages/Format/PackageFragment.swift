import HostPrimitives
import StrictJSON

/// The registry fragment of a package: read as far as packing and installing need it, and rewritten for the place where it
/// is installed. The registry's own loader judges the rest.
struct PackageFragment {
  /// What an entry says of a driver.
  struct Driver: Sendable, Hashable {
    let id: String
    let version: SemanticVersion
    let vendor: String
    let license: String
    let library: String
    let assets: [Asset]
    let abi: ABIVersion
  }

  /// What an entry says of a file beside the library.
  struct Asset: Sendable, Hashable {
    let name: String
    let file: String
  }

  /// What an installed entry says of its library.
  struct Installed {
    /// Relative to the drop-in folder.
    let library: String
    let sha256: BundleHash
    let signatures: [DriverSignature]
    /// The hashes of the package's files, by their paths there.
    let files: [String: BundleHash]
  }

  let drivers: [Driver]
  private let root: JSONElement
  private let bytes: [UInt8]

  /// Reads a fragment.
  init(_ bytes: [UInt8], name: String) throws(PackageError) {
    self.bytes = bytes
    do throws(RegistryError) {
      root = try JSONElement.strict(bytes, name: name, rules: .registry)
      drivers = try Self.drivers(root)
    } catch {
      throw PackageError(.registryProblem, error.message)
    }
    let versions = Set(drivers.map(\.version))
    guard let first = drivers.first, versions.count == 1,
      drivers.allSatisfy({
        $0.library == first.library && $0.abi == first.abi && $0.vendor == first.vendor && $0.license == first.license
      })
    else {
      throw PackageError(
        .packageSource,
        drivers.isEmpty
          ? "\(name) describes no driver"
          : "the drivers of \(name) differ in library, version, contract, vendor or licence",
        cure: "a package is one bundle: put drivers of other bundles into packages of their own")
    }
  }

  private static func drivers(_ root: JSONElement) throws(RegistryError) -> [Driver] {
    try root.requireObject()
    guard let list = root.member("drivers") else { return [] }
    var drivers: [Driver] = []
    for element in try list.elements(atMost: 64) {
      try element.requireObject()
      func member(_ key: DriverKey) throws(RegistryError) -> JSONElement {
        guard let found = element.member(key.rawValue) else {
          throw element.error(.missingKey, "has no \"\(key.rawValue)\"", cure: "add it")
        }
        return found
      }
      let abi = try member(.abi)
      try abi.requireObject()
      guard let major = abi.member("major"), let minor = abi.member("minor") else {
        throw abi.error(.missingKey, "has no version", cure: "write {\"major\": 1, \"minor\": 0}")
      }
      drivers.append(
        Driver(
          id: try member(.id).driverID(), version: try member(.version).version(), vendor: try member(.vendor).name(),
          license: try member(.license).name(), library: try member(.library).relativePath(),
          assets: try assets(element),
          abi: ABIVersion(major: try major.integer(0...UInt16.max), minor: try minor.integer(0...UInt16.max))))
    }
    return drivers
  }

  private static func assets(_ driver: JSONElement) throws(RegistryError) -> [Asset] {
    guard let list = driver.member(DriverKey.assets.rawValue) else { return [] }
    var assets: [Asset] = []
    for element in try list.elements(atMost: RegistryLimits.assets) {
      try element.requireObject()
      guard let name = element.member(DriverAssetKey.name.rawValue),
        let file = element.member(DriverAssetKey.file.rawValue)
      else { throw element.error(.missingKey, "has no name or no file", cure: "add \"name\" and \"file\"") }
      assets.append(Asset(name: try name.name(), file: try file.relativePath()))
    }
    return assets
  }

  /// What it says of anything but its drivers.
  struct Reach: Sendable, Hashable {
    /// Families that it declares.
    var families: Set<String> = []
    /// Entries that it brings, also in the place of others.
    var peripherals: [PeripheralKey] = []
    /// Entries whose texts it changes.
    var overrides: [PeripheralKey] = []
  }

  /// What it says of anything but its drivers; the registry's loader has judged it.
  var reach: Reach {
    func keys(_ list: String) -> [PeripheralKey] {
      (root.member(list)?.elements ?? []).compactMap { entry in
        let id: UInt32? = try? entry.member("id")?.integer(1...999_999_999)
        let kind = entry.member("kind")?.asString.flatMap(PeripheralKind.init(rawValue:))
        guard let id, let kind else { return nil }
        return PeripheralKey(kind: kind, id: id)
      }
    }
    let families = (root.member("families")?.elements ?? []).compactMap { $0.member("id")?.asString }
    return Reach(families: Set(families), peripherals: keys("peripherals"), overrides: keys("overrides"))
  }

  /// Whose signatures the entry of the first driver carries.
  var signers: [PublisherKey] {
    let signatures = root.member("drivers")?.elements.first?.member(DriverKey.signatures.rawValue)
    return (signatures?.elements ?? []).compactMap { $0.member("key")?.asString }
      .compactMap { PublisherKey(hexadecimal: $0) }
  }

  /// Relative pictures of the fragment, which have to be in the package.
  var images: [String] {
    imagePlaces.compactMap { $0.asString }
  }

  private var imagePlaces: [JSONElement] {
    ["peripherals", "overrides"].flatMap { root.member($0)?.elements ?? [] }
      .compactMap { $0.member("image_url") }.filter { !($0.asString ?? "https://").hasPrefix("https://") }
  }

  /// The fragment for the drop-in folder: every entry has library, hashes and signatures of what is installed; assets and
  /// pictures are found below `prefix`. Everything else stays byte for byte.
  func installed(prefix: String, _ entry: (Driver) -> Installed?) -> [UInt8] {
    var edits: [(range: Range<Int>, text: [UInt8])] = []
    for (place, driver) in zip(root.member("drivers")?.elements ?? [], drivers) {
      guard let entry = entry(driver), let library = place.member(DriverKey.library.rawValue) else { continue }
      var members: [(String, PackageJSON)] = [("sha256", .text("\(entry.sha256)"))]
      if !entry.signatures.isEmpty {
        let list = entry.signatures.map {
          PackageJSON.object([("key", .text("\($0.key)")), ("value", .text($0.value.hexadecimal))])
        }
        members.append((DriverKey.signatures.rawValue, .list(list)))
      }
      let text = [Self.inline(.text(entry.library))] + members.map { "\"\($0.0)\": \(Self.inline($0.1))" }
      edits.append((library.range, Array(text.joined(separator: ", ").utf8)))
      for asset in place.member(DriverKey.assets.rawValue)?.elements ?? [] {
        guard let file = asset.member(DriverAssetKey.file.rawValue), let path = file.asString,
          let hash = entry.files[path]
        else { continue }
        let hashMember = "\"\(DriverAssetKey.sha256.rawValue)\": \(Self.inline(.text("\(hash)")))"
        edits.append((file.range, Array("\(Self.inline(.text(prefix + path))), \(hashMember)".utf8)))
      }
    }
    for place in imagePlaces {
      edits.append((place.range, Array(Self.inline(.text(prefix + (place.asString ?? ""))).utf8)))
    }
    var result = bytes
    for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      result.replaceSubrange(edit.range, with: edit.text)
    }
    return result
  }

  /// The fragment without what only an installation can say of a library; `keys` stand in no entry then.
  static func stripped(_ bytes: [UInt8], name: String) throws(PackageError) -> [UInt8] {
    var fragment = try PackageFragment(bytes, name: name)
    // One at a time: places move with every member that goes.
    while let range = fragment.installedMember { fragment = try fragment.removing(range, name: name) }
    return fragment.bytes
  }

  private func removing(_ range: Range<Int>, name: String) throws(PackageError) -> PackageFragment {
    var bytes = bytes
    bytes.removeSubrange(range)
    return try PackageFragment(bytes, name: name)
  }

  /// Whether an entry says something of its library that only an installation can say.
  var isInstalled: Bool { installedMember != nil }

  /// The first such member, with the comma that parts it from its neighbour: an entry has other members.
  private var installedMember: Range<Int>? {
    for object in fileObjects {
      let members = object.members
      for (index, member) in members.enumerated()
      where [DriverKey.sha256, .signatures].contains(where: { $0.rawValue == member.key.asString }) {
        if index > 0 { return members[index - 1].value.end(in: bytes)..<member.value.end(in: bytes) }
        return member.key.offset..<(members.count > 1 ? members[1].key.offset : member.value.end(in: bytes))
      }
    }
    return nil
  }

  /// Every object that names a file with its hash.
  private var fileObjects: [JSONElement] {
    (root.member("drivers")?.elements ?? []).flatMap { driver in
      [driver] + (driver.member(DriverKey.assets.rawValue)?.elements ?? [])
    }
  }

  /// One line: what stands in another's file takes little room.
  private static func inline(_ json: PackageJSON) -> String {
    String(decoding: json.bytes, as: UTF8.self).split(separator: "\n").map { $0.drop { $0 == " " } }
      .joined(separator: " ")
  }
}

extension JSONElement {
  /// The bytes of a string with its quotes.
  fileprivate var range: Range<Int> { offset..<offset + count + 2 }

  /// The place behind a value.
  fileprivate func end(in bytes: [UInt8]) -> Int {
    switch kind {
    case .string, .key: return offset + count + 2
    case .object, .array:
      // Behind its last part comes its bracket, with white space between.
      let last = kind == .object ? members.last?.value : elements.last
      var place = last?.end(in: bytes) ?? offset + 1
      while place < bytes.count, bytes[place] != UInt8(ascii: kind == .object ? "}" : "]") { place += 1 }
      return place + 1
    default: return offset + count
    }
  }
}
