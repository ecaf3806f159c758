import MeterDrivers

/// The package that an update would install in the place of an installed one: the newest against which nothing speaks.
struct UpdateCandidate {
  let package: InstalledPackage
  /// What would be installed; nil: there is nothing newer.
  private(set) var best: PackageContent?
  /// Why there is nothing newer.
  private(set) var reason = Self.none
  private let installer: PackageInstaller
  private let options: PackageInstaller.Options

  init(_ package: InstalledPackage, _ installer: PackageInstaller, _ options: PackageInstaller.Options) {
    self.package = package
    self.installer = installer
    self.options = options
  }

  /// Looks at a package of the same name.
  ///
  /// - Parameter isAsked: Somebody has named this very file: it is theirs to be told why it is refused.
  mutating func offer(_ content: PackageContent, isAsked: Bool) throws(PackageError) {
    let version = content.manifest.version
    guard version > best?.manifest.version ?? package.version else {
      if best == nil, reason == Self.none { reason = "\(version) is not newer" }
      return
    }
    if !isAsked, let objection = try installer.objection(to: content, over: package, options: options) {
      reason = "\(content.name) is passed over: \(objection.message)"
      return
    }
    best = content
  }

  private static let none = "there is no package of it"
}
