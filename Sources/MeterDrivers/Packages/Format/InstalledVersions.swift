import StrictJSON

/// The newest version of every driver that was ever installed here, also of those that are gone: a package that is older is
/// no update.
struct InstalledVersions: Sendable, Hashable {
  private(set) var newest: [String: SemanticVersion] = [:]

  static let name = "versions.json"
  static let sizeLimit = 1 << 20

  init() {}

  /// - Throws: ``PackageError``: without it nobody can say which versions are too old.
  init(_ bytes: [UInt8], path: String) throws(PackageError) {
    do throws(RegistryError) {
      let rules = JSONRules(size: Self.sizeLimit, depth: 4, allowsEscapedKeys: false)
      let root = try JSONElement.strict(bytes, name: path, rules: rules)
      guard let place = root.member("newest") else {
        throw root.error(.missingKey, "has no \"newest\"", cure: "remove the file if no older package may be a danger")
      }
      for (key, value) in try place.members(atMost: RegistryLimits.entries) {
        newest[key.anyText] = try value.version()
      }
    } catch { throw PackageError(.packageFolder, error.message) }
  }

  /// Notes that a version is installed.
  mutating func note(_ version: SemanticVersion, ofDriver id: String) {
    if newest[id] ?? version <= version { newest[id] = version }
  }

  var bytes: [UInt8] {
    let sorted = newest.sorted { $0.key < $1.key }
    return PackageJSON.object([
      ("versions_version", .number(1)),
      ("newest", .object(sorted.map { (key: $0.key, value: .text("\($0.value)")) })),
    ]).bytes
  }
}
