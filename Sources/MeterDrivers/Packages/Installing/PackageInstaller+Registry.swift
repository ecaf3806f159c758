import DriverContract

/// The registry that a change makes, held against the one that is.
extension PackageInstaller {
  func base() throws(PackageError) -> Registry {
    do throws(RegistryError) { return try Registry.load(sources) } catch {
      throw PackageError(.registryProblem, error.message)
    }
  }

  private func candidate(_ id: String, _ fragment: [UInt8]?) throws(PackageError) -> Registry {
    do throws(RegistryError) {
      return try Registry.load(
        sources, replacing: [InstalledPackage.fragmentName(id): fragment.map(FragmentChange.written) ?? .gone])
    } catch { throw PackageError(.registryProblem, error.message) }
  }

  /// Holds the registry that would be against the one that is, and starts the bundle once (rules R19 to R21).
  ///
  /// - Returns: What somebody should know.
  func check(
    _ content: PackageContent, _ fragment: [UInt8], _ publisher: TrustList.Publisher?
  ) async throws(PackageError) -> [String] {
    let id = content.manifest.id
    let path = "\(folderPath)/\(InstalledPackage.fragmentName(id))"
    let before = try candidate(id, nil)
    let after = try candidate(id, fragment)
    let known = Set(before.problems.map(\.message))
    if let problem = after.problems.first(where: { $0.file == path || !known.contains($0.message) }) {
      throw PackageError(.registryProblem, problem.message)
    }
    let reach = try PackageFragment(fragment, name: path).reach
    try checkFamilies(content, reach, before, after, publisher)
    let ties = Set(before.ties().map { Set($0) })
    if let tie = after.ties().first(where: { !ties.contains(Set($0)) }) {
      let names = tie.map { "\(after.peripheral(id: $0.id, kind: $0.kind)?.name ?? "") (\($0))" }
      throw PackageError(
        .ambiguousMatch, "the match rules of \(names.joined(separator: " and ")) tie: neither would be read passively",
        cure:
          "remove or disable the package of the other one, or ask \(content.manifest.vendor) for a more specific rule")
    }
    for driver in content.manifest.drivers { try await start(driver, after) }
    return after.warnings.filter { $0.file == path }.map(\.description) + words(for: reach, in: before)
  }

  /// A family keeps what its drivers know of a meter, keys too: a package shares one only with its own publisher's.
  private func checkFamilies(
    _ content: PackageContent, _ reach: PackageFragment.Reach, _ before: Registry, _ after: Registry,
    _ publisher: TrustList.Publisher?
  ) throws(PackageError) {
    for id in content.manifest.drivers {
      guard let family = after.driver(id: id)?.familyID, !reach.families.contains(family) else { continue }
      let others = before.drivers.filter { $0.familyID == family }
      let isOwn = others.allSatisfy { other in
        other.file != sources.base && publisher != nil && before.publisher(of: other)?.id == publisher?.id
      }
      guard others.isEmpty || !isOwn else { continue }
      throw PackageError(
        .foreignFamily,
        "\(id) is of the family \(family), which is not the package's: it would share the meters' state and keys with "
          + (others.isEmpty ? "whoever uses it" : others.map(\.id).joined(separator: ", ")),
        cure: "ask \(content.manifest.vendor) for a package that declares a family of its own")
    }
  }

  /// What a package does to entries that others have brought.
  private func words(for reach: PackageFragment.Reach, in before: Registry) -> [String] {
    let name = { (key: PeripheralKey) in
      "\(before.peripheral(id: key.id, kind: key.kind)?.name ?? "") (\(key))"
    }
    let replaced = reach.peripherals.filter { before.peripheral(id: $0.id, kind: $0.kind) != nil }
    return replaced.map { "it takes the place of the entry \(name($0))" }
      + reach.overrides.map { "it changes texts of the entry \(name($0)), or switches it" }
  }

  /// Loads the bundle in a worker and compares its tables with its entry.
  private func start(_ id: String, _ registry: Registry) async throws(PackageError) {
    guard let entry = registry.driver(id: id) else {
      throw PackageError(.registryProblem, "the registry would not have the driver \(id)")
    }
    let bundle: VerifiedBundle
    do { bundle = try registry.bundle(of: entry) } catch {
      throw PackageError(.driverRefused, "\(error)", cure: "ask its maker for one that works")
    }
    try await entry.checkStart(of: bundle, in: host)
  }

  /// What would be wrong with the registry if a package were not in it.
  func problemsWithout(_ id: String) throws(PackageError) -> [String] {
    let known = Set(try base().problems.map(\.message))
    return try candidate(id, nil).problems.map(\.message).filter { !known.contains($0) }
  }
}
