import StrictJSON

/// A version of a package that its publisher lets nobody use any more.
package struct RevokedVersion: Sendable, Hashable {
  /// The package's id.
  package var package: String
  /// The version.
  package var version: SemanticVersion
  /// Why, for people.
  package var reason: String

  /// A revocation from its parts.
  package init(package: String, version: SemanticVersion, reason: String) {
    (self.package, self.version, self.reason) = (package, version, reason)
  }

  var json: PackageJSON {
    .object([("name", .text(package)), ("version", .text("\(version)")), ("reason", .text(reason))])
  }

  init(_ element: JSONElement, _ warnings: inout [RegistryWarning]) throws(RegistryError) {
    var object = try ObjectReader<RevocationKey>(element)
    package = try object.required(.name).driverID()
    version = try object.required(.version).version()
    reason = try object.required(.reason).line()
    try object.finish(&warnings)
  }
}

private enum RevocationKey: String, RegistryKey {
  case name, version, reason
  static let requiredKeys: Set<Self> = Set(allCases)
}
