import DriverContract

/// Installs, changes and removes driver packages in a drop-in folder. A version comes into use by one rename, after its
/// signatures, its libraries, the registry that it makes and a start in a worker were found good; whatever happens before
/// leaves the folder as it was.
package struct PackageInstaller: Sendable {
  /// What an installation may do beyond the usual.
  package struct Options: Sendable, Hashable {
    /// Takes a package that nobody has signed, where the operator allows that.
    package var takesUnsigned = false
    /// Takes a version below the newest one that was installed. Floors of the trust list hold anyway.
    package var allowsDowngrade = false
    /// Enables the package where it is disabled; else it stays so.
    package var enables = false
    /// Only in the place of this version: what somebody has installed or removed meanwhile stays as it is. Nil: of whatever is there.
    package var replaces: SemanticVersion?

    /// The usual.
    package init() {}
  }

  /// What was changed.
  package struct Change: Sendable, Hashable {
    /// The package as it is now; of a removed one, as it was.
    package let package: InstalledPackage
    /// The version that was in use before; nil: none was.
    package let before: SemanticVersion?
    /// Who vouches for it; nil: nobody.
    package let publisher: TrustList.Publisher?
    /// What somebody should know.
    package let warnings: [String]
  }

  let sources: RegistrySources
  let folderPath: String
  let host: DriverHost

  /// An installer for a registry.
  ///
  /// - Parameter host: Starts a package's bundle once before it comes into use.
  /// - Throws: ``PackageError``: the registry has no drop-in folder.
  package init(sources: RegistrySources, host: DriverHost) throws(PackageError) {
    guard let folder = sources.fragments else {
      throw PackageError(.packageFolder, "the registry has no drop-in folder", cure: "name one with --fragments")
    }
    self.sources = sources
    self.host = host
    folderPath = folder
  }

  /// The packages of a registry's drop-in folder.
  package static func packages(in sources: RegistrySources) throws(PackageError) -> [InstalledPackage] {
    try sources.fragments.map { folder throws(PackageError) in try PackageFolder.list(folder) } ?? []
  }

  // MARK: - Changes

  /// Installs a package, over the version that is installed.
  package func install(
    _ content: PackageContent, options: Options = Options()
  ) async throws(PackageError) -> Change {
    let folder = try PackageFolder(path: folderPath)
    let id = content.manifest.id
    try folder.settle(id)
    let current = try folder.package(id)
    if let wanted = options.replaces, current?.version != wanted {
      throw Self.changed(id, from: wanted, to: current?.version)
    }
    let list = try trustList()
    let publisher = try judge(content, list, options)
    try checkRevocation(of: id, content.manifest.version, try folder.notes())
    try checkVersion(content, try folder.versions(), options)
    try checkPublisher(publisher, content, current, list)
    try content.checkLibraries()
    let staged: String
    do throws(PackageError) { staged = try folder.stage(content) } catch {
      if current == nil { try? folder.settle(id) }
      throw error
    }
    let warnings: [String]
    do throws(PackageError) {
      let fragment = try self.fragment(of: content, in: staged)
      warnings = try await check(content, fragment, publisher)
      try folder.activate(id, staged, fragment: fragment, isEnabled: options.enables || current?.isEnabled ?? true)
    } catch {
      // Renamed and not put on disk for certain: it is in use all the same, and the version before is still there.
      guard folder.isUnused(id, staged) else { throw error }
      folder.discard(id, staged)
      // Nothing is left of a package that was not there before.
      if current == nil { try? folder.settle(id) }
      throw error
    }
    return try finish(folder, id, before: current?.version, publisher, warnings)
  }

  /// Goes back to the version that was in use before the one that is.
  package func rollBack(_ id: String) async throws(PackageError) -> Change {
    let (folder, current) = try installed(id)
    return try await goBack(from: current, in: folder)
  }

  /// Goes back from a version that was found bad, to the one that was in use before it.
  ///
  /// - Returns: Nil when another version is in use by now: somebody has installed it, and it stays.
  package func rollBack(_ id: String, from version: SemanticVersion) async throws(PackageError) -> Change? {
    let (folder, current) = try installed(id)
    guard current.version == version else { return nil }
    return try await goBack(from: current, in: folder)
  }

  private func goBack(
    from current: InstalledPackage, in folder: PackageFolder
  ) async throws(PackageError) -> Change {
    let id = current.id
    guard let previous = try folder.previous(current) else {
      throw PackageError(
        .noPrevious, "no earlier version of \(id) is kept", cure: "install the package of the version that you want")
    }
    try checkRevocation(of: id, previous.version, try folder.notes())
    let content = try folder.content(id, previous.folder)
    let list = try trustList()
    // It was let in once, perhaps unsigned; what is revoked or below a floor meanwhile is no way back.
    var options = Options()
    options.takesUnsigned = content.signatures.isEmpty
    let publisher = try judge(content, list, options)
    let fragment = try fragment(of: content, in: previous.folder)
    let warnings = try await check(content, fragment, publisher)
    try folder.activate(id, previous.folder, fragment: fragment, isEnabled: current.isEnabled)
    return try finish(folder, id, before: current.version, publisher, warnings)
  }

  /// Takes a package out of the registry, or puts it back, which is checked as an installation is.
  package func setEnabled(_ isEnabled: Bool, _ id: String) async throws(PackageError) -> Change {
    let (folder, current) = try installed(id)
    return try await setEnabled(isEnabled, current, in: folder)
  }

  /// Takes a version out of the registry that was found bad.
  ///
  /// - Returns: Nil when another version is in use by now: somebody has installed it, and it stays.
  package func disable(_ id: String, _ version: SemanticVersion) async throws(PackageError) -> Change? {
    let (folder, current) = try installed(id)
    guard current.version == version else { return nil }
    return try await setEnabled(false, current, in: folder)
  }

  private func setEnabled(
    _ isEnabled: Bool, _ current: InstalledPackage, in folder: PackageFolder
  ) async throws(PackageError) -> Change {
    let id = current.id
    var publisher: TrustList.Publisher?
    var warnings: [String] = []
    if isEnabled, !current.isEnabled {
      try checkRevocation(of: id, current.version, try folder.notes())
      let list = try trustList()
      let content = try folder.content(id, current.folder)
      var options = Options()
      options.takesUnsigned = content.signatures.isEmpty
      publisher = try judge(content, list, options)
      warnings = try await check(content, try folder.disabledFragment(id) ?? [], publisher)
    } else {
      // A driver can be taken out of use whatever has become of the list.
      let list = try? trustList()
      publisher = current.signers.compactMap { list?.publisher(of: $0) }.first
      if !isEnabled { warnings = try problemsWithout(id) }
    }
    if isEnabled != current.isEnabled { try folder.setEnabled(isEnabled, id) }
    return try finish(folder, id, before: current.version, publisher, warnings)
  }

  /// Removes a package with everything that is kept of it. The newest version that was there stays known.
  package func remove(_ id: String) throws(PackageError) -> Change {
    let (folder, current) = try installed(id)
    let warnings = try problemsWithout(id)
    try folder.deactivate(id)
    try folder.settle(id)
    return Change(package: current, before: current.version, publisher: nil, warnings: warnings)
  }

  // MARK: - Checks

  /// What speaks against a package in the place of an installed one, as far as that can be told without trying it:
  /// signatures, floors, its publisher, this machine. Nil: nothing.
  ///
  /// - Throws: ``PackageError``: the trust list or the registry cannot be read, so that nothing can be said.
  package func objection(
    to content: PackageContent, over current: InstalledPackage, options: Options = Options()
  ) throws(PackageError) -> PackageError? {
    let list = try trustList()
    do throws(PackageError) {
      let publisher = try judge(content, list, options)
      try checkPublisher(publisher, content, current, list)
      _ = try content.library(.host)
      return nil
    } catch {
      guard error.code != .registryProblem else { throw error }
      return error
    }
  }

  /// Something was to be done with a version that is not the one in use any more.
  package static func changed(_ id: String, from wanted: SemanticVersion, to found: SemanticVersion?) -> PackageError {
    PackageError(
      .changedMeanwhile,
      "\(id) was to be changed from \(wanted), and "
        + (found.map { "\($0) is in use by now" } ?? "is not installed any more"),
      cure: "`meterhost driver list` shows what there is; then decide again")
  }

  func installed(_ id: String) throws(PackageError) -> (PackageFolder, InstalledPackage) {
    let folder = try PackageFolder(path: folderPath)
    try folder.settle(id)
    guard let current = try folder.package(id) else {
      throw PackageError(
        .notInstalled, "no package \(id) is installed in \(folderPath)", cure: "`meterhost driver list` shows what is")
    }
    return (folder, current)
  }

  func trustList() throws(PackageError) -> TrustList {
    guard let path = sources.trust else { return TrustList() }
    return try TrustList(file: path)
  }

  /// Who vouches for the package; nil: nobody, and the operator takes it nevertheless.
  private func judge(
    _ content: PackageContent, _ list: TrustList, _ options: Options
  ) throws(PackageError) -> TrustList.Publisher? {
    guard content.signatures.isEmpty, options.takesUnsigned else { return try content.publisher(in: list) }
    let registry = try base()
    guard registry.isDevelopment || list.allowsUnsigned else {
      throw PackageError(
        .unsigned, "nobody has signed \(content.name), and this registry is not for development",
        cure: "get a signed one, or allow unsigned ones: `meterhost driver trust policy --unsigned allowed`")
    }
    for driver in content.manifest.drivers { try list.checkFloor(ofDriver: driver, content.manifest.version) }
    return nil
  }

  private func checkVersion(
    _ content: PackageContent, _ versions: InstalledVersions, _ options: Options
  ) throws(PackageError) {
    guard !options.allowsDowngrade else { return }
    let manifest = content.manifest
    for driver in manifest.drivers {
      guard let newest = versions.newest[driver], manifest.version < newest else { continue }
      throw PackageError(
        .olderVersion, "\(driver) \(manifest.version) is older than \(newest), which is installed here or was",
        cure: "install a newer one; `driver rollback` goes back to the version before, --allow-downgrade to any")
    }
  }

  /// Whatever the operator says: its publisher knows why.
  private func checkRevocation(
    of id: String, _ version: SemanticVersion, _ notes: PackageNotes
  ) throws(PackageError) {
    guard let revocation = notes.revocation(of: id, version) else { return }
    throw PackageError(
      .versionRevoked, "\(id) \(version) was revoked by its publisher: \(revocation.reason)",
      cure: "install a newer version: `meterhost driver update \(id)`")
  }

  /// Only the publisher of what is installed replaces it.
  private func checkPublisher(
    _ publisher: TrustList.Publisher?, _ content: PackageContent, _ current: InstalledPackage?, _ list: TrustList
  ) throws(PackageError) {
    guard let current else { return }
    let owners = current.signers.compactMap(list.publisher)
    guard let owner = owners.first, !owners.contains(where: { $0.id == publisher?.id }) else { return }
    throw PackageError(
      .otherPublisher,
      "\(current.id) \(current.version) is of \(owner.name), and \(content.name) of "
        + (publisher?.name ?? "nobody who has signed it"),
      cure: "if that is what you want, remove the installed one first: `meterhost driver remove \(current.id)`")
  }

  /// The fragment for the drop-in folder.
  private func fragment(of content: PackageContent, in folder: String) throws(PackageError) -> [UInt8] {
    let prefix = InstalledPackage.prefix(content.manifest.id, folder)
    let library = try content.library(.host)
    return try content.fragment().installed(prefix: prefix) { driver in
      PackageFragment.Installed(
        library: prefix + library.path, sha256: BundleHash(of: library.bytes),
        signatures: content.signatures.compactMap { $0.entry(driver: driver.id, platform: .host) },
        files: content.manifest.hashes)
    }
  }

  private func finish(
    _ folder: PackageFolder, _ id: String, before: SemanticVersion?, _ publisher: TrustList.Publisher?,
    _ warnings: [String]
  ) throws(PackageError) -> Change {
    var warnings = warnings
    // The change is true already: what cannot be tidied up now is tidied up by the next one.
    do throws(PackageError) { try folder.settle(id) } catch { warnings.append("\(error)") }
    guard let package = try folder.package(id) else {
      throw PackageError(.packageFolder, "the fragment of \(id) is gone from \(folderPath)", cure: "install it again")
    }
    return Change(package: package, before: before, publisher: publisher, warnings: warnings)
  }
}

extension Registry {
  /// The registry as it would be if every package of the drop-in folder were enabled.
  package static func loadWithDisabledPackages(_ sources: RegistrySources) throws -> Registry {
    var changes: [String: FragmentChange] = [:]
    let disabled = try sources.fragments.map { folder in try PackageFolder.disabledFragments(folder) }
    for (id, fragment) in disabled ?? [:] {
      changes[InstalledPackage.fragmentName(id)] = .written(fragment)
    }
    return try load(sources, replacing: changes)
  }
}
