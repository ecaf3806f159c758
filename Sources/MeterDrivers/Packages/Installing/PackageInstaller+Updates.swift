import HostPrimitives

/// What updates need of the drop-in folder.
extension PackageInstaller {
  /// The newest versions that were ever installed, by driver, and the versions that were revoked.
  package struct History: Sendable, Hashable {
    /// The newest version of each driver that was ever installed here.
    package var newest: [String: SemanticVersion]
    /// What nobody uses any more.
    package var revoked: [RevokedVersion]

    /// A history from its parts.
    package init(newest: [String: SemanticVersion] = [:], revoked: [RevokedVersion] = []) {
      (self.newest, self.revoked) = (newest, revoked)
    }
  }

  /// What was installed and revoked.
  ///
  /// - Throws: ``PackageError``.
  package static func history(of sources: RegistrySources) throws(PackageError) -> History {
    guard let folder = sources.fragments else { return History() }
    let found = try PackageFolder.history(folder)
    return History(newest: found.versions.newest, revoked: found.notes.revoked)
  }

  /// Notes what a publisher has revoked: from now on it is not installed, not enabled, and nobody goes back to it.
  ///
  /// - Returns: What could not be noted, because its publisher has revoked too much before.
  /// - Throws: ``PackageError``.
  package func revoke(_ versions: [RevokedVersion]) throws(PackageError) -> [RevokedVersion] {
    guard !versions.isEmpty else { return [] }
    let folder = try PackageFolder(path: folderPath)
    let list = try trustList()
    var notes = try folder.notes()
    let left = notes.revoke(versions) { list.publisher(forDriver: $0)?.id ?? "" }
    try folder.set(notes)
    return left
  }

  /// Notes what the host has done with a package by itself, for as long as this version is in use.
  ///
  /// - Throws: ``PackageError``.
  package func note(_ words: String, of id: String, _ version: SemanticVersion) throws(PackageError) {
    let folder = try PackageFolder(path: folderPath)
    var notes = try folder.notes()
    let line = words.oneLine(atMost: 1_024)
    notes.notes[id] = PackageNotes.Note(version: version, words: line)
    try folder.set(notes)
  }

  /// The package in use and the one that was before, whole; nil: none is kept.
  ///
  /// - Throws: ``PackageError``.
  package func kept(_ id: String) throws(PackageError) -> (current: PackageContent, previous: PackageContent?) {
    let (folder, package) = try installed(id)
    let current = try folder.content(id, package.folder)
    guard let previous = try folder.previous(package) else { return (current, nil) }
    return (current, try folder.content(id, previous.folder))
  }
}
