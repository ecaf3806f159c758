extension PackageContent {
  /// Judges a library as loading it would, as far as that can be done on another machine.
  static func checkLibrary(
    _ content: [UInt8], _ path: String, _ platform: PackagePlatform, _ contract: ABIVersion
  ) throws(PackageError) {
    do throws(BundleError) {
      try BundleRules().check(content, path: path, machine: platform.machine)
    } catch { throw PackageError(.packageLibrary, "\(error)") }
    let note = (try? ELFInspector(content, machine: platform.machine))?.contracts.first
    guard let note, ABIVersion(major: note.major, minor: note.minor) == contract else {
      let built = note.map { "\($0.major).\($0.minor)" } ?? "no contract"
      throw PackageError(
        .packageLibrary, "\(path) was built for \(built), its fragment says \(contract)",
        cure: "correct \"abi\" of the entry, or build it with the headers of that version")
    }
  }

  /// Judges what every library asks libc for, as the conformance suite does; installing does not.
  package func checkImports() throws(PackageError) {
    for (platform, path) in manifest.libraries.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let library = try? ELFInspector(files[path] ?? [], machine: platform.machine)
      if let finding = VerifiedBundle.forbidden(among: library?.imports ?? [], of: "\(name): \(path)") {
        throw PackageError(.packageLibrary, "\(finding)")
      }
    }
  }

  /// Judges every library of the package.
  package func checkLibraries() throws(PackageError) {
    for (platform, path) in manifest.libraries.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      try Self.checkLibrary(files[path] ?? [], "\(name): \(path)", platform, manifest.abi)
    }
  }
}
