import StrictJSON

/// A package of the drop-in folder, as its fragment there tells it.
public struct InstalledPackage: Sendable, Hashable, Identifiable {
  /// The package's name.
  public let id: String
  /// The version of its drivers.
  package let version: SemanticVersion
  /// The ids of its drivers.
  public let drivers: [String]
  /// Whether the registry reads its fragment.
  public let isEnabled: Bool
  /// Whose signatures its entries carry; none: it was installed without one.
  package let signers: [PublisherKey]
  /// The version that `driver rollback` goes back to; nil: none is kept.
  package internal(set) var previous: SemanticVersion?
  /// What the host has done with it by itself, for people; nil: nothing.
  package internal(set) var note: String?
  /// What its fragment is called in the drop-in folder.
  package var fragmentName: String { Self.fragmentName(id) }
  /// The folder of this version, below that of the package.
  let folder: String

  /// The folder of all packages, in the drop-in folder.
  static let packages = "packages"
  /// What a package's fragment is called.
  static func fragmentName(_ id: String) -> String { "\(id).json" }
  /// Where a version lies, relative to the drop-in folder.
  static func prefix(_ id: String, _ folder: String) -> String { "\(packages)/\(id)/\(folder)/" }

  /// What a fragment says; nil: no installation of this package has written it.
  init?(id: String, fragment bytes: [UInt8], isEnabled: Bool) {
    guard let fragment = try? PackageFragment(bytes, name: id), let first = fragment.drivers.first else { return nil }
    let parts = first.library.split(separator: "/").map(String.init)
    guard parts.count >= 4, parts[0] == Self.packages, parts[1] == id, PackagePath.isName(parts[2]),
      fragment.drivers.contains(where: { $0.id == id })
    else { return nil }
    self.id = id
    version = first.version
    drivers = fragment.drivers.map(\.id)
    signers = fragment.signers
    self.isEnabled = isEnabled
    folder = parts[2]
  }
}

/// What a package's folder remembers beside its versions. The fragment says which version is in use; this says which one
/// was before.
struct PackageRecord: Sendable, Hashable {
  struct Version: Sendable, Hashable {
    let folder: String
    let version: SemanticVersion

    init(folder: String, version: SemanticVersion) { (self.folder, self.version) = (folder, version) }

    init(_ package: InstalledPackage) { self.init(folder: package.folder, version: package.version) }
  }

  var active: Version
  var previous: Version?

  static let name = "record.json"
  static let sizeLimit = 64 << 10

  var bytes: [UInt8] {
    var members: [(key: String, value: PackageJSON)] = [("record_version", .number(1)), ("active", Self.json(active))]
    if let previous { members.append(("previous", Self.json(previous))) }
    return PackageJSON.object(members).bytes
  }

  private static func json(_ version: Version) -> PackageJSON {
    .object([("folder", .text(version.folder)), ("version", .text("\(version.version)"))])
  }

  init(active: Version, previous: Version?) { (self.active, self.previous) = (active, previous) }

  /// Nil for what is no record: then there is nothing to go back to, and nothing else is lost.
  init?(_ bytes: [UInt8]) {
    let rules = JSONRules(size: Self.sizeLimit, depth: 4, allowsEscapedKeys: false)
    guard let root = try? JSONElement.strict(bytes, name: Self.name, rules: rules),
      let active = root.member("active").flatMap(Self.version)
    else { return nil }
    self.init(active: active, previous: root.member("previous").flatMap(Self.version))
  }

  private static func version(_ element: JSONElement) -> Version? {
    guard let folder = element.member("folder")?.asString, PackagePath.isName(folder),
      let version = element.member("version")?.asString.flatMap(SemanticVersion.init)
    else { return nil }
    return Version(folder: folder, version: version)
  }
}
