import StrictJSON

extension Registry {
  /// Reads `registry.json` and the fragments of the drop-in folder.
  ///
  /// - Throws: a ``RegistryError`` when the base registry is refused. A fragment that is refused is left out as a
  ///   whole, and a driver without a hash in a registry that is not marked `development` by itself: both stand in
  ///   ``problems``.
  public static func load(_ sources: RegistrySources) throws(RegistryError) -> Registry {
    let base = try JSONDocument.registry(RegistryFile.read(sources.base), file: sources.base)
    var content = try RegistryContent(
      base: base, folder: RegistryFile.folder(of: sources.base), compiled: sources.abi)
    if let folder = sources.fragments {
      do throws(RegistryError) {
        for name in try RegistryFile.fragments(in: folder) { content.addFragment(at: "\(folder)/\(name)", in: folder) }
      } catch {
        content.problems.append(error)
      }
    }
    return Registry(content)
  }

  /// The same from bytes; `folder` is what the base's paths are relative to.
  static func load(
    base: [UInt8], fragments: [(name: String, bytes: [UInt8])] = [], folder: String = ".", abi: CompiledABI = .current
  ) throws(RegistryError) -> Registry {
    var content = try RegistryContent(
      base: JSONDocument.registry(base, file: "registry.json"), folder: folder, compiled: abi)
    for (name, bytes) in fragments {
      content.addFragment(folder: folder) { () throws(RegistryError) in try JSONDocument.registry(bytes, file: name) }
    }
    return Registry(content)
  }

  /// The bundle of a driver as a path with every symbolic link followed (rule R22).
  ///
  /// Looked at on first need only, so that drivers that nobody uses cost nothing (feature P3).
  /// - Throws: `unreadableFile` when there is no such file, `escapingPath` when a symbolic link leads out of the folder
  ///   of the registry that names it.
  public func libraryPath(of driver: DriverEntry) throws(RegistryError) -> String {
    let path = "\(driver.folder)/\(driver.library)"
    guard let folder = RegistryFile.resolved(driver.folder), let resolved = RegistryFile.resolved(path) else {
      throw RegistryError(
        code: .unreadableFile, file: path, path: "$", position: nil, problem: "the bundle of \(driver.id) is not there",
        cure: "install it, or remove the driver from the registry")
    }
    guard resolved.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/") else {
      throw RegistryError(
        code: .escapingPath, file: path, path: "$", position: nil,
        problem: "a symbolic link leads the bundle of \(driver.id) out of \(folder)",
        cure: "put the bundle itself below the registry's folder")
    }
    return resolved
  }
}

extension RegistryContent {
  fileprivate mutating func addFragment(at path: String, in folder: String) {
    addFragment(folder: folder) { () throws(RegistryError) in
      try JSONDocument.registry(RegistryFile.read(path), file: path)
    }
  }

  /// A broken fragment is a problem, and nothing of it is used.
  fileprivate mutating func addFragment(folder: String, _ read: () throws(RegistryError) -> JSONDocument) {
    do throws(RegistryError) {
      try add(fragment: read(), folder: folder)
    } catch {
      problems.append(error)
    }
  }
}
