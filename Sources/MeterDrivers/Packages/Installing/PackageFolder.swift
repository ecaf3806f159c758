import Glibc
import StrictJSON

/// The drop-in folder as far as packages are concerned:
///
/// | path | |
/// |---|---|
/// | `ID.json` | the fragment of a package in use: renaming it over the last one is what makes an installation true |
/// | `packages/ID/VERSION-HASH/` | one version: the package itself, its library for this machine, its assets |
/// | `packages/ID/record.json` | which version was before |
/// | `packages/ID/disabled.json` | the fragment of a package that is disabled |
/// | `packages/versions.json` | the newest version of every driver that was ever installed |
/// | `packages/updates.json` | which versions were revoked, and what the host has done by itself |
/// | `packages/.lock` | held by whoever changes something |
struct PackageFolder {
  let path: String
  private let root: FolderHandle
  private let packages: FolderHandle
  private let lock: FolderLock

  static let package = "package.mhdriver"
  private static let disabled = "disabled.json"
  private static let staging = ".staging"
  /// Characters of a version that its folder shows.
  private static let longestVersion = 40

  /// Opens the folder for changes; makes it where it is missing.
  ///
  /// - Throws: ``PackageError`` with code `busy` while another process changes it.
  init(path: String) throws(PackageError) {
    self.path = path
    if access(path, F_OK) != 0, errno == ENOENT {
      let parent = FolderHandle.folder(of: path)
      guard access(parent, F_OK) == 0 || mkdir(parent, 0o755) == 0 else {
        throw .system(
          .packageFolder, "cannot make the folder \(parent)", errno, cure: "make it, or use another --fragments")
      }
      _ = try FolderHandle(path: parent).makeChild(String(path.split(separator: "/").last ?? ""))
    }
    root = try FolderHandle(path: path)
    packages = try root.makeChild(InstalledPackage.packages)
    guard let lock = try packages.lock(".lock") else {
      throw PackageError(
        .busy, "another installation is changing \(path)", cure: "wait for it and try again")
    }
    self.lock = lock
  }

  // MARK: - Looking

  /// The packages of a drop-in folder, by id. Takes no lock: a fragment is whole at any time.
  static func list(_ path: String) throws(PackageError) -> [InstalledPackage] {
    guard access(path, F_OK) == 0 || errno != ENOENT else { return [] }
    let root = try FolderHandle(path: path)
    guard let packages = try root.child(InstalledPackage.packages) else { return [] }
    // Whoever only looks is not refused the list for it.
    let notes = (try? Self.notes(packages)) ?? PackageNotes()
    var found: [InstalledPackage] = []
    for id in try packages.names() where PackagePath.isName(id) {
      guard let own = try? packages.child(id) else { continue }
      guard var package = try look(id, root, own) else { continue }
      if let note = notes.notes[id], note.version == package.version { package.note = note.words }
      found.append(package)
    }
    return found
  }

  /// The newest versions of a drop-in folder that were ever installed, and what was revoked. Takes no lock.
  static func history(_ path: String) throws(PackageError) -> (versions: InstalledVersions, notes: PackageNotes) {
    guard access(path, F_OK) == 0 || errno != ENOENT,
      let packages = try FolderHandle(path: path).child(InstalledPackage.packages)
    else { return (InstalledVersions(), PackageNotes()) }
    return (try versions(packages), try notes(packages))
  }

  /// The fragments of the packages that are disabled, by id.
  static func disabledFragments(_ path: String) throws(PackageError) -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for package in try list(path) where !package.isEnabled {
      let own = try FolderHandle(path: path).child(InstalledPackage.packages)?.child(package.id)
      if let bytes = try own?.read(disabled, limit: JSONRules.registry.size) { found[package.id] = bytes }
    }
    return found
  }

  private static func look(
    _ id: String, _ root: FolderHandle, _ own: FolderHandle
  ) throws(PackageError) -> InstalledPackage? {
    let name = InstalledPackage.fragmentName(id)
    let limit = JSONRules.registry.size
    var package: InstalledPackage?
    if let bytes = try root.read(name, limit: limit) {
      package = InstalledPackage(id: id, fragment: bytes, isEnabled: true)
    } else if let bytes = try own.read(disabled, limit: limit) {
      package = InstalledPackage(id: id, fragment: bytes, isEnabled: false)
    }
    guard let package else { return nil }
    var shown = package
    shown.previous = try record(own).flatMap { Self.settled($0, package).previous?.version }
    return shown
  }

  private static func record(_ own: FolderHandle) throws(PackageError) -> PackageRecord? {
    try own.read(PackageRecord.name, limit: PackageRecord.sizeLimit).flatMap { PackageRecord($0) }
  }

  /// The record as it should be. One that names another version than the fragment is older than it: the process that
  /// renamed the fragment has not come to write it.
  private static func settled(_ record: PackageRecord?, _ package: InstalledPackage) -> PackageRecord {
    let active = PackageRecord.Version(package)
    guard let record, record.active.folder != active.folder else {
      return PackageRecord(active: active, previous: record?.previous)
    }
    // The same version again is no way back.
    let previous = record.active.version == active.version ? record.previous : record.active
    return PackageRecord(active: active, previous: previous?.folder == active.folder ? nil : previous)
  }

  /// The package of this name; nil: it is not installed.
  ///
  /// - Throws: ``PackageError`` with code `nameTaken` when another's fragment has its name.
  func package(_ id: String) throws(PackageError) -> InstalledPackage? {
    guard let own = try packages.child(id) else {
      try refuseTakenName(id)
      return nil
    }
    if let package = try Self.look(id, root, own) { return package }
    try refuseTakenName(id)
    guard !own.has(Self.disabled) else {
      throw PackageError(
        .nameTaken, "\(own.path)/\(Self.disabled) is not what an installation has written",
        cure: "put back what it was, or remove the folder \(own.path)")
    }
    return nil
  }

  /// Whether a version is certainly not the one in use; where nobody can say, it may be.
  func isUnused(_ id: String, _ folder: String) -> Bool {
    do throws(PackageError) { return try package(id)?.folder != folder } catch { return false }
  }

  private func refuseTakenName(_ id: String) throws(PackageError) {
    let name = InstalledPackage.fragmentName(id)
    guard root.has(name) else { return }
    throw PackageError(
      .nameTaken, "\(path)/\(name) is there, and no package has written it", cure: "rename it or remove it")
  }

  /// The newest versions that were ever installed.
  func versions() throws(PackageError) -> InstalledVersions { try Self.versions(packages) }

  private static func versions(_ packages: FolderHandle) throws(PackageError) -> InstalledVersions {
    guard let bytes = try packages.read(InstalledVersions.name, limit: InstalledVersions.sizeLimit) else {
      return InstalledVersions()
    }
    return try InstalledVersions(bytes, path: "\(packages.path)/\(InstalledVersions.name)")
  }

  /// What was revoked and what the host has done.
  func notes() throws(PackageError) -> PackageNotes { try Self.notes(packages) }

  private static func notes(_ packages: FolderHandle) throws(PackageError) -> PackageNotes {
    guard let bytes = try packages.read(PackageNotes.name, limit: PackageNotes.sizeLimit) else { return PackageNotes() }
    return try PackageNotes(bytes, path: "\(packages.path)/\(PackageNotes.name)")
  }

  /// Keeps what was revoked and what the host has done.
  func set(_ notes: PackageNotes) throws(PackageError) {
    guard try notes != self.notes() else { return }
    try packages.replace(notes.bytes, PackageNotes.name)
  }

  /// The package file of a version that is kept.
  func content(_ id: String, _ folder: String) throws(PackageError) -> PackageContent {
    let place = "\(path)/\(InstalledPackage.prefix(id, folder))\(Self.package)"
    guard
      let bytes = try packages.child(id)?.child(folder)?.read(Self.package, limit: PackageContent.sizeLimit)
    else {
      throw PackageError(.packageFolder, "\(place) is gone", cure: "install the package again")
    }
    return try PackageContent(bytes, name: place)
  }

  /// What the package was before, and may be again.
  func previous(_ package: InstalledPackage) throws(PackageError) -> PackageRecord.Version? {
    guard let own = try packages.child(package.id) else { return nil }
    return Self.settled(try Self.record(own), package).previous
  }

  // MARK: - Changing

  /// Puts the files of a version on disk, where nothing uses them yet.
  ///
  /// - Returns: The version's folder.
  func stage(_ content: PackageContent) throws(PackageError) -> String {
    let own = try packages.makeChild(content.manifest.id)
    try own.removeTree(Self.staging)
    do throws(PackageError) {
      let staging = try own.makeChild(Self.staging)
      try staging.create(content.bytes, Self.package)
      let library = try content.library(.host)
      for (file, bytes) in [library]
        + content.files.filter({ $0.key.hasPrefix(PackagePath.assets + "/") })
        .map({ ($0.key, $0.value) })
      {
        let parts = file.split(separator: "/").map(String.init)
        var folder = staging
        for part in parts.dropLast() { folder = try folder.makeChild(part) }
        try folder.create(bytes, parts.last ?? "")
        try folder.sync()
      }
      try staging.sync()
      let hash = "\(BundleHash(of: content.bytes))".prefix(12)
      // A version may be as long as a whole name may be; the hash tells the folders apart.
      let version = content.manifest.version.description.prefix(Self.longestVersion)
      let base = "\(version)-\(hash)"
      var name = base
      var number = 2
      while own.has(name) {
        name = "\(base)-\(number)"
        number += 1
      }
      try own.rename(Self.staging, to: name, in: own)
      try own.sync()
      return name
    } catch {
      try? own.removeTree(Self.staging)
      throw error
    }
  }

  /// Removes a version that has not come into use.
  func discard(_ id: String, _ folder: String) {
    guard let own = (try? packages.child(id)) ?? nil else { return }
    try? own.removeTree(folder)
  }

  /// Makes a version the one in use: after this, and not before, the registry has it.
  func activate(_ id: String, _ folder: String, fragment: [UInt8], isEnabled: Bool) throws(PackageError) {
    // What could not be recognised as this package's afterwards would take every version of it along.
    guard InstalledPackage(id: id, fragment: fragment, isEnabled: isEnabled)?.folder == folder else {
      throw PackageError(
        .packageFolder, "the fragment of \(id) would not be known as that of \(folder)",
        cure: "ask its maker for a package with other names")
    }
    if isEnabled {
      try root.replace(fragment, InstalledPackage.fragmentName(id))
    } else {
      try packages.makeChild(id).replace(fragment, Self.disabled)
    }
  }

  /// Takes a package's fragment out of the registry, or puts it back.
  func setEnabled(_ isEnabled: Bool, _ id: String) throws(PackageError) {
    let own = try packages.makeChild(id)
    let name = InstalledPackage.fragmentName(id)
    if isEnabled {
      try own.rename(Self.disabled, to: name, in: root)
    } else {
      try root.rename(name, to: Self.disabled, in: own)
    }
    try own.sync()
    try root.sync()
  }

  func disabledFragment(_ id: String) throws(PackageError) -> [UInt8]? {
    try packages.child(id)?.read(Self.disabled, limit: JSONRules.registry.size)
  }

  /// Takes a package out of use; its files go with ``settle(_:)``.
  func deactivate(_ id: String) throws(PackageError) {
    try root.remove(InstalledPackage.fragmentName(id))
    try root.sync()
    guard let own = try packages.child(id) else { return }
    try own.remove(Self.disabled)
    try own.sync()
  }

  /// Brings everything beside the fragment up to what the fragment says, wherever a crash has stopped an earlier change:
  /// the record, the newest versions, and nothing that nobody uses.
  func settle(_ id: String) throws(PackageError) {
    guard let own = try packages.child(id) else { return }
    guard let package = try Self.look(id, root, own) else {
      // A fragment that says nothing may be a slip of whoever edited it: the versions wait for it.
      guard !root.has(InstalledPackage.fragmentName(id)), !own.has(Self.disabled) else { return }
      try packages.removeTree(id)
      return try packages.sync()
    }
    var versions = try versions()
    let known = versions
    for driver in package.drivers { versions.note(package.version, ofDriver: driver) }
    if versions != known { try packages.replace(versions.bytes, InstalledVersions.name) }
    let record = try Self.record(own)
    var settled = Self.settled(record, package)
    if let previous = settled.previous, !own.has(previous.folder) { settled.previous = nil }
    if settled != record { try own.replace(settled.bytes, PackageRecord.name) }
    if package.isEnabled { try own.remove(Self.disabled) }
    let kept = [settled.active.folder, settled.previous?.folder, PackageRecord.name, Self.disabled].compactMap(\.self)
    for name in try own.names() where !kept.contains(name) { try own.removeTree(name) }
  }
}
