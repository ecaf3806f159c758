import Glibc
import StrictJSON

/// What a fragment would be in a registry that is only thought of.
enum FragmentChange: Sendable, Hashable {
  /// A file with this content.
  case written([UInt8])
  /// No file.
  case gone
}

/// Reading files without Foundation: a regular file, within the size limit, or a typed error.
enum RegistryFile {
  static func read(_ path: String) throws(RegistryError) -> [UInt8] {
    try read(path, limit: JSONRules.registry.size, what: "a JSON file")
  }

  /// The same for a file of another kind, which `what` names.
  static func read(_ path: String, limit: Int, what: String) throws(RegistryError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw failure(path, "cannot be opened: \(words(errno))", "check the path and its rights")
    }
    defer { close(descriptor) }
    do throws(WholeFile.Failure) { return try WholeFile.read(descriptor, limit: limit) } catch {
      switch error {
      case .notRegular: throw failure(path, "is no regular file", "put \(what) there")
      case .tooLarge(let size):
        throw failure(path, "has \(size) bytes", "keep it below \(limit) bytes")
      case .unreadable(let number): throw failure(path, "cannot be read: \(words(number))", "check the disk")
      case .changing: throw failure(path, "changes while it is read", "write it elsewhere and rename it")
      }
    }
  }

  /// The names of the fragments when some are added, changed or gone.
  static func fragments(
    in folder: String, replacing changes: [String: FragmentChange]
  ) throws(RegistryError) -> [String] {
    let names = try fragments(in: folder)
    guard !changes.isEmpty else { return names }
    let added = changes.filter { $0.value != .gone && !names.contains($0.key) }.map(\.key)
    return (names.filter { changes[$0] != .gone } + added).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The `*.json` files of a folder by name, hidden ones left out; none when there is no such folder.
  static func fragments(in folder: String) throws(RegistryError) -> [String] {
    guard let stream = opendir(folder) else {
      if errno == ENOENT { return [] }
      throw failure(folder, "cannot be listed: \(words(errno))", "check that it is a folder and its rights")
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".json"), !name.hasPrefix(".") { names.append(name) }
    }
    guard names.count <= RegistryLimits.fragments else {
      throw failure(folder, "holds \(names.count) fragments", "keep it at \(RegistryLimits.fragments) or fewer")
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The path with every symbolic link followed; nil when there is nothing.
  static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func failure(_ path: String, _ problem: String, _ cure: String) -> RegistryError {
    RegistryError(
      code: .unreadableFile, file: path, path: "$", position: nil, problem: problem, cure: cure)
  }
}
