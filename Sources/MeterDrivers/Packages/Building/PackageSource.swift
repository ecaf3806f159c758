import Glibc
import StrictJSON

/// A folder that a package is made of, as `meterhost driver new` lays it out:
///
/// | in the folder | becomes |
/// |---|---|
/// | the one `*.json` with a `registry_version` | the registry fragment |
/// | the library that the fragment names, there or right in the folder, and those of the same name in `linux-x86_64/` and `linux-aarch64/` beside it | a library for each platform; the ELF file says which |
/// | `LICENSE`, `LICENSE.md`, `LICENSE.txt` or `COPYING` | the licence |
/// | `README.md` | the readme |
/// | `assets/` | files that go along |
package struct PackageSource: Sendable {
  package let folder: String
  /// Libraries elsewhere, such as those that were built for another platform.
  package let libraries: [String]

  package init(folder: String, libraries: [String] = []) {
    self.folder = folder
    self.libraries = libraries
  }

  private static let licenses = ["LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING"]
  private static let textLimit = 1 << 20

  /// Makes the package. The same files give the same bytes, whatever their dates and whoever packs them.
  ///
  /// - Parameter registry: The registry that the fragment is meant for; judges it entry by entry.
  /// - Throws: ``PackageError``.
  package func package(for registry: RegistrySources) throws(PackageError) -> PackageContent {
    let (name, written) = try fragment()
    let bytes = try PackageFragment.stripped(written, name: name)
    let fragment = try PackageFragment(bytes, name: name)
    guard let first = fragment.drivers.first else {
      throw PackageError(.packageSource, "\(name) describes no driver", cure: "describe the bundle's driver in it")
    }
    guard PackagePath.isPackageID(first.id) else {
      throw PackageError(
        .packageSource, "\"\(shown(first.id))\" can be a driver's id and no package's",
        cure: "put a driver first whose id has at most 64 bytes and is not \(InstalledVersions.name)")
    }
    do throws(RegistryError) {
      try Registry.checkFragment(bytes, name: name, for: registry)
    } catch { throw PackageError(.registryProblem, error.message) }
    var files = [PackagePath.fragment: bytes]
    var places: [PackagePlatform: String] = [:]
    let libraryName = first.library.split(separator: "/").last.map(String.init) ?? ""
    guard PackagePath.isName(libraryName), libraryName.hasSuffix(".so") else {
      throw PackageError(
        .packageSource, "\"\(shown(libraryName))\" is no name for a library in a package",
        cure: "name it with letters, digits, dots, dashes and underscores, and .so at its end")
    }
    for path in try libraryPaths(first.library) {
      let (platform, content) = try library(path, contract: first.abi)
      guard places.updateValue(PackagePath.library(platform, libraryName), forKey: platform) == nil else {
        throw PackageError(
          .packageSource, "\(path) is a second library for \(platform.rawValue)", cure: "leave one of them out")
      }
      files[PackagePath.library(platform, libraryName)] = content
    }
    guard !places.isEmpty else {
      throw PackageError(
        .packageSource, "\(folder) has no library \(first.library)",
        cure: "build it, put it there or into linux-x86_64/ and linux-aarch64/ beside it, or name it with --library")
    }
    try addTexts(to: &files)
    try addAssets(of: fragment, to: &files)
    return try content(fragment, first, places, files)
  }

  private func content(
    _ fragment: PackageFragment, _ first: PackageFragment.Driver, _ places: [PackagePlatform: String],
    _ files: [String: [UInt8]]
  ) throws(PackageError) -> PackageContent {
    let listed = files.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    guard listed.count <= PackageManifest.fileLimit else {
      throw PackageError(.packageTooLarge, "\(listed.count) files; a package has at most \(PackageManifest.fileLimit)")
    }
    let manifest = PackageManifest(
      id: first.id, version: first.version, vendor: first.vendor, license: first.license, abi: first.abi,
      drivers: fragment.drivers.map(\.id), libraries: places,
      files: listed.map { PackageManifest.File(path: $0.key, size: $0.value.count, sha256: BundleHash(of: $0.value)) })
    let made = PackageContent(
      manifest: manifest, signatures: [], files: files, name: "\(first.id)-\(first.version).mhdriver")
    // What every reader will do with it: whatever this build cannot read it must not have written.
    return try PackageContent(made.bytes, name: made.name)
  }

  // MARK: - Parts

  private func fragment() throws(PackageError) -> (name: String, bytes: [UInt8]) {
    var found: [(String, [UInt8])] = []
    for name in try FolderHandle(path: folder, code: .packageSource).names()
    where name.hasSuffix(".json") && !name.hasPrefix(".") {
      let path = folder + "/" + name
      let bytes = try PlainFile.read(path, limit: JSONRules.registry.size, what: "the file", code: .packageSource)
      // Other JSON files, such as the script of a virtual meter, are none of the package's business.
      guard let root = try? JSONElement.strict(bytes, name: path, rules: .registry) else {
        if name == PackagePath.fragment { found.append((path, bytes)) }
        continue
      }
      if root.member("registry_version") != nil, root.member("drivers") != nil { found.append((path, bytes)) }
    }
    guard let first = found.first, found.count == 1 else {
      throw PackageError(
        .packageSource,
        found.isEmpty
          ? "\(folder) has no registry fragment"
          : "\(folder) has several registry fragments: \(found.map(\.0).joined(separator: ", "))",
        cure:
          "put one *.json there with registry_version and the driver's entry; docs/reference/registry.md describes it")
    }
    return first
  }

  private func libraryPaths(_ library: String) throws(PackageError) -> [String] {
    let parts = library.split(separator: "/").map(String.init)
    let parent = ([folder] + parts.dropLast()).joined(separator: "/")
    let name = parts.last ?? ""
    // Where the fragment has it, or right in the folder; for other machines in a folder of the platform's name.
    let places = [parent, folder].flatMap { (base: String) -> [String] in
      [base + "/" + name] + PackagePlatform.allCases.map { "\(base)/\($0.rawValue)/\(name)" }
    }
    var seen: Set<String> = []
    var found: [String] = []
    for path in places + libraries {
      // One that was named and is not there is told when it is read.
      guard let resolved = RegistryFile.resolved(path) ?? (libraries.contains(path) ? path : nil),
        seen.insert(resolved).inserted
      else { continue }
      found.append(path)
    }
    return found
  }

  private func library(
    _ path: String, contract: ABIVersion
  ) throws(PackageError) -> (PackagePlatform, [UInt8]) {
    let content = try PlainFile.read(path, limit: PackageContent.fileSizeLimit, what: "the library")
    let machine = (try? ELFInspector(content))?.machine
    guard let platform = PackagePlatform.allCases.first(where: { $0.machine == machine }) else {
      throw PackageError(
        .packageLibrary,
        "\(path) is no library of \(PackagePlatform.allCases.map(\.rawValue).joined(separator: " or "))",
        cure: "build it for one of them")
    }
    try PackageContent.checkLibrary(content, path, platform, contract)
    return (platform, content)
  }

  private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  private func addTexts(to files: inout [String: [UInt8]]) throws(PackageError) {
    let licenses = Self.licenses.map { (name: String) -> String in folder + "/" + name }.filter(Self.isThere)
    guard let license = licenses.first else {
      throw PackageError(
        .packageSource, "\(folder) has no licence", cure: "put its text into \(folder)/LICENSE")
    }
    files[PackagePath.license] = try PlainFile.read(
      license, limit: Self.textLimit, what: "the licence", code: .packageSource)
    let readme = "\(folder)/\(PackagePath.readme)"
    if Self.isThere(readme) {
      files[PackagePath.readme] = try PlainFile.read(
        readme, limit: Self.textLimit, what: "the readme", code: .packageSource)
    }
  }

  private func addAssets(
    of fragment: PackageFragment, to files: inout [String: [UInt8]]
  ) throws(PackageError) {
    if let assets = try FolderHandle(path: folder, code: .packageSource).child(PackagePath.assets) {
      try add(assets, PackagePath.assets, to: &files)
    }
    for asset in fragment.drivers.flatMap(\.assets)
    where files[asset.file] == nil || !asset.file.hasPrefix(PackagePath.assets + "/") {
      throw PackageError(
        .packageSource, "the fragment names the asset \(shown(asset.file)), which is not in the package",
        cure: "put it below \(folder)/\(PackagePath.assets) and name it assets/...")
    }
    for image in fragment.images where files[image] == nil {
      throw PackageError(
        .packageSource, "the fragment names the picture \(shown(image)), which is not in the package",
        cure: "put it below \(folder)/\(PackagePath.assets) and name it assets/..., or give an https address")
    }
  }

  private func add(
    _ folder: FolderHandle, _ place: String, to files: inout [String: [UInt8]]
  ) throws(PackageError) {
    for name in try folder.names() where !name.hasPrefix(".") {
      let path = "\(place)/\(name)"
      if let inner = try? folder.child(name) {
        guard path.split(separator: "/").count < PackagePath.depth else {
          throw PackageError(.packageSource, "\(folder.path)/\(name) lies too deep", cure: "put its files further up")
        }
        try add(inner, path, to: &files)
        continue
      }
      guard PackagePath.isAllowed(path) else {
        throw PackageError(
          .packageSource, "\"\(shown(path))\" is no name for a file in a package",
          cure: "use letters, digits, dots, dashes and underscores, at most 64 a name")
      }
      files[path] = try folder.read(name, limit: PackageContent.fileSizeLimit)
      guard files.count <= PackageManifest.fileLimit else {
        throw PackageError(.packageTooLarge, "a package has at most \(PackageManifest.fileLimit) files")
      }
    }
  }
}
