import StrictJSON

extension Registry {
  /// Reads `registry.json` and the fragments of the drop-in folder.
  ///
  /// - Throws: a ``RegistryError`` when the base registry is refused. A fragment that is refused is left out as a
  ///   whole, and a driver without a hash in a registry that is not marked `development` by itself: both stand in
  ///   ``problems``.
  public static func load(_ sources: RegistrySources) throws(RegistryError) -> Registry {
    try load(sources, replacing: [:])
  }

  /// The same with some fragments other than they are on disk: what would be if they were changed.
  ///
  /// - Parameter changes: The changes by the file names of fragments.
  static func load(
    _ sources: RegistrySources, replacing changes: [String: FragmentChange]
  ) throws(RegistryError) -> Registry {
    let base = try JSONDocument.registry(RegistryFile.read(sources.base), file: sources.base)
    var content = try RegistryContent(
      base: base, folder: FolderHandle.folder(of: sources.base), compiled: sources.abi)
    if let folder = sources.fragments {
      do throws(RegistryError) {
        let names = try RegistryFile.fragments(in: folder, replacing: changes)
        content.addFragments(names.count, folder: folder) { index throws(RegistryError) in
          let path = "\(folder)/\(names[index])"
          if case .written(let bytes) = changes[names[index]] { return try JSONDocument.registry(bytes, file: path) }
          return try JSONDocument.registry(RegistryFile.read(path), file: path)
        }
      } catch {
        content.problems.append(error)
      }
    }
    return Registry(
      content, base: sources.base, fragments: sources.fragments, trust: TrustState(file: sources.trust))
  }

  /// Decodes a fragment as loading it would, without the entries of other fragments that it may clash with.
  static func checkFragment(
    _ bytes: [UInt8], name: String, for sources: RegistrySources
  ) throws(RegistryError) {
    _ = try fragment(bytes, name: name, for: sources)
  }

  /// The drivers of a fragment by itself.
  static func drivers(
    ofFragment bytes: [UInt8], name: String, for sources: RegistrySources
  ) throws(RegistryError) -> [DriverEntry] {
    try fragment(bytes, name: name, for: sources).lists.drivers.joined().map(\.entry.entry)
  }

  private static func fragment(
    _ bytes: [UInt8], name: String, for sources: RegistrySources
  ) throws(RegistryError) -> DecodedFragment {
    let base = try JSONDocument.registry(RegistryFile.read(sources.base), file: sources.base)
    let folder = FolderHandle.folder(of: sources.base)
    var decoder = try RegistryContent(base: base, folder: folder, compiled: sources.abi).decoder(folder: folder)
    return try decoder.fragment(JSONDocument.registry(bytes, file: name))
  }

  /// The same from bytes; `folder` is what the base's paths are relative to.
  static func load(
    base: [UInt8], fragments: [(name: String, bytes: [UInt8])] = [], folder: String = ".", abi: CompiledABI = .current
  ) throws(RegistryError) -> Registry {
    var content = try RegistryContent(
      base: JSONDocument.registry(base, file: "registry.json"), folder: folder, compiled: abi)
    content.addFragments(fragments.count, folder: folder) { index throws(RegistryError) in
      try JSONDocument.registry(fragments[index].bytes, file: fragments[index].name)
    }
    return Registry(content)
  }

  /// The bundle of a driver as a path with every symbolic link followed (rule R22).
  ///
  /// Looked at on first need only, so that drivers that nobody uses cost nothing.
  /// - Throws: `unreadableFile` when there is no such file, `escapingPath` when a symbolic link leads out of the folder
  ///   of the registry that names it.
  package func libraryPath(of driver: DriverEntry) throws(RegistryError) -> String {
    try path(of: driver.library, "the bundle of \(driver.id)", of: driver)
  }

  /// The same for any file of a driver; `what` names it in errors.
  func path(of file: String, _ what: String, of driver: DriverEntry) throws(RegistryError) -> String {
    let path = "\(driver.folder)/\(file)"
    guard let folder = RegistryFile.resolved(driver.folder), let resolved = RegistryFile.resolved(path) else {
      throw RegistryError(
        code: .unreadableFile, file: path, path: "$", position: nil, problem: "\(what) is not there",
        cure: "install it, or remove the driver from the registry")
    }
    guard resolved.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/") else {
      throw RegistryError(
        code: .escapingPath, file: path, path: "$", position: nil,
        problem: "a symbolic link leads \(what) out of \(folder)",
        cure: "put the file itself below the registry's folder")
    }
    return resolved
  }
}

extension RegistryContent {
  /// Adds fragments in their order. A broken one is a problem, and nothing of it is used.
  fileprivate mutating func addFragments(
    _ count: Int, folder: String, _ read: @Sendable (Int) throws(RegistryError) -> JSONDocument
  ) {
    let template = decoder(folder: folder)
    // In batches, so that large fragments are not all in memory at once.
    for start in stride(from: 0, to: count, by: 128) {
      let decoded = concurrentMap(min(128, count - start)) { index in
        Result { () throws(RegistryError) in
          var decoder = template
          return try decoder.fragment(read(start + index))
        }
      }
      for fragment in decoded {
        do throws(RegistryError) {
          try add(fragment.get())
        } catch {
          problems.append(error)
        }
      }
    }
  }
}
