package import GatewayAPI
package import GatewayEngine
import Foundation
package import MeterDrivers

/// Driver packages of a gateway: made, signed, verified, installed.
package struct GatewayPackages: Sendable {
  private let locations: GatewayLocations

  /// The end of a package's file name.
  package static let fileExtension = "mhdriver"

  /// The packages of a gateway at these locations. The registry is not read yet.
  package init(locations: GatewayLocations) { self.locations = locations }

  // MARK: - Files

  /// Makes a package of a folder, holds the registry that it would make against this gateway's, and starts its library for
  /// this machine once: what `install` would refuse is no package.
  ///
  /// - Parameters:
  ///   - libraries: Libraries that lie elsewhere.
  ///   - output: Where it goes; nil: `ID-VERSION.mhdriver` in the working folder.
  /// - Throws: `PackageError`.
  package func pack(
    folder: String, libraries: [String], output: String?
  ) async throws(PackageError) -> PackageDescription {
    let content = try PackageSource(folder: folder, libraries: libraries).package(for: locations.registrySources)
    try PackageProspect(content: content, sources: locations.registrySources).check(passesOverDrafts: true)
    let isStarted = try await content.start(in: host, for: locations.registrySources)
    let file = output ?? content.name
    try content.write(to: file)
    var description = PackageDescription(content, file: file)
    description.isStarted = isStarted
    return description
  }

  /// Signs a package with the key of a file; other keys' signatures stay.
  ///
  /// - Parameter output: Where the signed package goes; nil: in the place of the unsigned one.
  /// - Throws: `PackageError`.
  package func sign(
    _ file: String, key: String, output: String?
  ) throws(PackageError) -> PackageDescription {
    let pair = try PublisherKeyPair(file: key)
    let content = try PackageContent(path: file)
    // What it has already must hold: a wrong signature beside a right one helps nobody.
    _ = try content.signers()
    try content.checkLibraries()
    let signed = try content.signed(with: pair)
    try signed.write(to: output ?? file)
    return PackageDescription(signed, file: output ?? file)
  }

  /// Verifies a package file: content, every library, signatures, whether the trust list has its publisher, and the registry
  /// that installing it would make. Nothing is started: packing has done that, and installing will.
  package func verify(_ file: String) -> PackageReport {
    var report = PackageReport(file: file, passed: false)
    do throws(PackageError) {
      let content = try PackageContent(path: file)
      report.package = PackageDescription(content, file: file)
      try content.checkLibraries()
      try content.checkImports()
      report.publisher = try content.publisher(in: TrustList(file: locations.trust)).name
      try PackageProspect(content: content, sources: locations.registrySources).check(passesOverDrafts: false)
      report.passed = true
    } catch {
      report.code = error.code.rawValue
      report.message = error.description
    }
    return report
  }

  // MARK: - Installing

  /// Installs a package over the version that is installed.
  ///
  /// - Throws: `PackageError`.
  package func install(
    _ file: String, options: PackageInstaller.Options
  ) async throws(PackageError) -> PackageChangeDescription {
    try await install(PackageContent(path: file), options: options)
  }

  /// Installs a package that is there already, over the version that is installed.
  ///
  /// - Throws: `PackageError`.
  package func install(
    _ content: PackageContent, options: PackageInstaller.Options
  ) async throws(PackageError) -> PackageChangeDescription {
    let change = try await installer().install(content, options: options)
    return PackageChangeDescription(change.before == nil ? "installed" : "updated", change)
  }

  /// Installs those of some packages that are newer than what is installed under their names. What lies in a folder and
  /// cannot be installed is passed over: it is nobody's request.
  ///
  /// - Parameters:
  ///   - files: Package files, and folders that hold some.
  ///   - ids: The packages or drivers that are wanted; empty: all that are installed.
  ///   - tell: Takes each change as soon as it is true: a later one may fail.
  /// - Throws: `PackageError`: a file cannot be read, an id is not installed, or the first package that is refused.
  @discardableResult
  package func update(
    _ files: [String], ids: [String], options: PackageInstaller.Options,
    tell: (PackageChangeDescription) -> Void = { _ in }
  ) async throws(PackageError) -> [PackageChangeDescription] {
    let installed = try PackageInstaller.packages(in: locations.registrySources)
    var wanted = installed
    if !ids.isEmpty {
      wanted = []
      for id in ids { wanted.append(try named(id, of: installed)) }
    }
    var candidates = try wanted.map { package throws(PackageError) in
      UpdateCandidate(package, try installer(), options)
    }
    let asked = Set(files)
    for file in try packageFiles(files) {
      let content: PackageContent
      do throws(PackageError) { content = try PackageContent(path: file) } catch {
        if asked.contains(file) { throw error }
        continue
      }
      let id = content.manifest.id
      if !installed.contains(where: { $0.id == id }), asked.contains(file) {
        throw PackageError(
          .notInstalled, "\(id) is not installed, so \(file) is no update", cure: "`meterhost driver install \(file)`")
      }
      guard let index = candidates.firstIndex(where: { $0.package.id == id }) else { continue }
      try candidates[index].offer(content, isAsked: asked.contains(file))
    }
    var changes: [PackageChangeDescription] = []
    for candidate in candidates {
      let change =
        if let content = candidate.best {
          PackageChangeDescription("updated", try await installer().install(content, options: options))
        } else {
          PackageChangeDescription(skipped: candidate.package, candidate.reason)
        }
      changes.append(change)
      tell(change)
    }
    return changes
  }

  /// Goes back to the version that was in use before.
  ///
  /// - Parameter version: The version that somebody wants to leave; nil: whichever is in use.
  /// - Throws: `PackageError`, with code `changedMeanwhile` when another version is in use.
  package func rollBack(
    _ id: String, from version: SemanticVersion? = nil
  ) async throws(PackageError) -> PackageChangeDescription {
    let package = try named(id)
    guard let version else {
      return PackageChangeDescription("rolled_back", try await installer().rollBack(package.id))
    }
    guard let change = try await installer().rollBack(package.id, from: version) else {
      throw PackageInstaller.changed(package.id, from: version, to: try named(package.id).version)
    }
    return PackageChangeDescription("rolled_back", change)
  }

  /// Enables or disables a package.
  ///
  /// - Throws: `PackageError`.
  package func setEnabled(_ isEnabled: Bool, _ id: String) async throws(PackageError) -> PackageChangeDescription {
    PackageChangeDescription(
      isEnabled ? "enabled" : "disabled", try await installer().setEnabled(isEnabled, try named(id).id))
  }

  /// Disables a version.
  ///
  /// - Returns: Nil when another version is in use.
  /// - Throws: `PackageError`.
  func disable(_ id: String, _ version: SemanticVersion) async throws(PackageError) -> PackageChangeDescription? {
    try await installer().disable(id, version).map { PackageChangeDescription("disabled", $0) }
  }

  /// Notes what publishers have revoked: it is not installed, enabled or gone back to from now on.
  ///
  /// - Returns: What could not be noted.
  /// - Throws: `PackageError`.
  func revoke(_ versions: [RevokedVersion]) throws(PackageError) -> [RevokedVersion] {
    try installer().revoke(versions)
  }

  /// Notes what the host has done with a version by itself.
  ///
  /// - Throws: `PackageError`.
  func note(_ words: String, of id: String, _ version: SemanticVersion) throws(PackageError) {
    try installer().note(words, of: id, version)
  }

  /// Removes a package.
  ///
  /// - Throws: `PackageError`.
  package func remove(_ id: String) throws(PackageError) -> PackageChangeDescription {
    PackageChangeDescription("removed", try installer().remove(try named(id).id))
  }

  private func installer() throws(PackageError) -> PackageInstaller {
    try PackageInstaller(sources: locations.registrySources, host: host)
  }

  /// Starts bundles in workers.
  private var host: DriverHost {
    DriverHost(configuration: DriverHostConfiguration(isolation: .worker, workerPath: locations.worker))
  }

  private func named(_ id: String) throws(PackageError) -> InstalledPackage {
    try named(id, of: PackageInstaller.packages(in: locations.registrySources))
  }

  /// The package of this name, or the one that has brought this driver.
  private func named(_ id: String, of packages: [InstalledPackage]) throws(PackageError) -> InstalledPackage {
    guard let found = packages.first(where: { $0.id == id }) ?? packages.first(where: { $0.drivers.contains(id) })
    else {
      throw PackageError(
        .notInstalled, "no installed package has the driver \(id)", cure: "`meterhost driver list` shows what there is")
    }
    return found
  }

  private func packageFiles(_ paths: [String]) throws(PackageError) -> [String] {
    var files: [String] = []
    for path in paths {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
        files.append(path)
        continue
      }
      let names: [String]
      do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
        throw PackageError(
          .packageFile, "the folder \(path) cannot be listed", cure: "check its permissions",
          cause: error.localizedDescription)
      }
      files += names.filter { $0.hasSuffix(".\(Self.fileExtension)") }.sorted().map { "\(path)/\($0)" }
    }
    return files
  }
}
