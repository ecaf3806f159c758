import Foundation
package import GatewayAPI
package import GatewayEngine
package import MeterDrivers

/// Installs what looking for updates has found.
package struct GatewayUpdates: Sendable {
  private let locations: GatewayLocations
  private let packages: GatewayPackages
  private let fetcher: UpdateFetcher

  /// The updates of a gateway at these locations.
  package init(locations: GatewayLocations, fetcher: UpdateFetcher = UpdateFetcher()) {
    self.locations = locations
    packages = GatewayPackages(locations: locations)
    self.fetcher = fetcher
  }

  /// Notes what was revoked: from now on it is neither installed nor gone back to.
  ///
  /// - Returns: What a person has to know of those that could not be noted; nil: all of them were.
  /// - Throws: `PackageError`.
  package func noteRevoked(_ check: DriverUpdateCheck) throws(PackageError) -> String? {
    let left = try packages.revoke(
      check.revoked.compactMap { revoked in
        SemanticVersion(revoked.version).map {
          RevokedVersion(package: revoked.package, version: $0, reason: revoked.reason)
        }
      })
    guard let first = left.first else { return nil }
    let others = left.count > 1 ? " and \(left.count - 1) other versions are" : " is"
    return "\(first.package) \(first.version)\(others) revoked, and there is no room to keep that: the publisher has "
      + "revoked too many versions. Do not install them, and tell the publisher"
  }

  /// What is installed, enabled and revoked.
  ///
  /// - Throws: `PackageError`.
  package func revoked(
    _ check: DriverUpdateCheck
  ) throws(PackageError) -> [(package: InstalledPackage, reason: String)] {
    var found: [(package: InstalledPackage, reason: String)] = []
    for package in try PackageInstaller.packages(in: locations.registrySources) where package.isEnabled {
      let version = "\(package.version)"
      guard let revoked = check.revoked.first(where: { $0.package == package.id && $0.version == version }) else {
        continue
      }
      found.append((package, "it was revoked by its publisher: \(revoked.reason)"))
    }
    return found
  }

  /// Takes out of use what is installed and was revoked.
  ///
  /// - Returns: The packages that were disabled, each with the reason.
  /// - Throws: `PackageError`.
  package func disableRevoked(
    _ check: DriverUpdateCheck
  ) async throws(PackageError) -> [(change: PackageChangeDescription, reason: String)] {
    var changes: [(change: PackageChangeDescription, reason: String)] = []
    for (package, reason) in try revoked(check) {
      // Nil: another version has taken its place by now.
      guard var change = try await packages.disable(package.id, package.version) else { continue }
      change.warnings.insert("\(package.id) \(package.version) is disabled: \(reason)", at: 0)
      try packages.note("disabled: \(reason)", of: package.id, package.version)
      changes.append((change, reason))
    }
    return changes
  }

  /// Fetches and installs an offer.
  ///
  /// - Parameters:
  ///   - enables: Whether it is enabled where the version before is disabled.
  ///   - willInstall: Called when the package is there and is what the index says, before it is installed.
  /// - Throws: `PackageError`, with code `changedMeanwhile` when somebody has changed the package since it was offered; or what
  ///   the body throws.
  package func install(
    _ offer: DriverOfferDescription, enables: Bool = false, willInstall: () throws -> Void = {}
  ) async throws -> PackageChangeDescription {
    let content = try await fetch(offer)
    try willInstall()
    var options = PackageInstaller.Options()
    options.enables = enables
    // Fetching takes minutes: the offer was for what was in use before it.
    options.replaces = SemanticVersion(offer.installed)
    return try await packages.install(content, options: options)
  }

  /// Fetches an offer into a folder, for somebody who may install it; the folder is made where it is missing.
  ///
  /// - Returns: The package's file.
  /// - Throws: `PackageError`, `GatewayError`.
  package func download(_ offer: DriverOfferDescription, to folder: String) async throws -> String {
    let content = try await fetch(offer)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw PackageError(
        .packageFile, "the folder \(folder) cannot be made", cure: "make it, or name another one",
        cause: error.localizedDescription)
    }
    let file = "\(folder)/\(content.manifest.id)-\(content.manifest.version).\(GatewayPackages.fileExtension)"
    try content.write(to: file)
    return file
  }

  private func fetch(_ offer: DriverOfferDescription) async throws -> PackageContent {
    guard let version = offer.version, let size = offer.size, let sha256 = offer.sha256,
      let file = offer.address?.split(separator: "/").last
    else { throw PackageError(.indexDamaged, "the offer of \(offer.package) names no package") }
    return try await fetcher.package(
      offer.package, version: version, file: String(file), size: size, sha256: sha256,
      of: try DriverSource(offer.source))
  }

  /// The offers that a person is to have: all that nothing speaks against, and whatever its share what takes the place of a
  /// revoked version; or those that are named, which are taken whatever their share and whether they were gone back from.
  ///
  /// - Throws: `PackageError` when one that is named is not offered, or may not be installed.
  package static func chosen(
    _ names: [String], of check: DriverUpdateCheck
  ) throws(PackageError) -> [DriverOfferDescription] {
    guard !names.isEmpty else {
      return check.offers.filter { offer in
        switch UpdateOffer.Standing(rawValue: offer.standing) {
        case .available: true
        case .staged: offer.revoked != nil
        default: false
        }
      }
    }
    var chosen: [DriverOfferDescription] = []
    for name in names {
      guard let offer = check.offers.first(where: { $0.package == name }) else {
        throw PackageError(
          .notInstalled, "no source offers \(name), or it is not installed",
          cure: "`meterhost driver update --check` shows what there is, `driver list` what is installed")
      }
      switch UpdateOffer.Standing(rawValue: offer.standing) {
      case .available, .staged, .goneBack: chosen.append(offer)
      case .upToDate: continue
      case .hostTooOld: throw refused(offer, .hostTooOld)
      case .belowFloor: throw refused(offer, .belowFloor)
      case .revoked: throw refused(offer, .versionRevoked)
      case .notAllowed: throw refused(offer, .notAllowed)
      case .contract, nil: throw refused(offer, .driverRefused)
      }
    }
    return chosen
  }

  private static func refused(_ offer: DriverOfferDescription, _ code: PackageError.Code) -> PackageError {
    PackageError(code, "\(offer.package) stays at \(offer.installed): \(offer.reason ?? offer.standing)")
  }
}
