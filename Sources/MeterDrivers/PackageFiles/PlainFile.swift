import Glibc

/// Reading and writing whole files by their paths.
enum PlainFile {
  /// The bytes of a regular file.
  static func read(
    _ path: String, limit: Int, what: String, code: PackageError.Code = .packageFile
  ) throws(PackageError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .system(code, "\(what) \(path) cannot be opened", errno, cure: "check the path and its permissions")
    }
    defer { close(descriptor) }
    return try read(descriptor, path, limit: limit, what: what, code: code)
  }

  /// The bytes of a regular file that is open.
  static func read(
    _ descriptor: Int32, _ path: String, limit: Int, what: String, code: PackageError.Code
  ) throws(PackageError) -> [UInt8] {
    do throws(WholeFile.Failure) { return try WholeFile.read(descriptor, limit: limit) } catch {
      switch error {
      case .notRegular:
        throw PackageError(code, "\(what) \(path) is no regular file", cure: "name the file itself")
      case .tooLarge(let size):
        throw PackageError(
          code == .packageFile ? .packageTooLarge : code,
          "\(what) \(path) has \(size) bytes; at most \(limit) are read")
      case .unreadable(let number): throw .system(code, "\(what) \(path) cannot be read", number)
      case .changing: throw PackageError(code, "\(what) \(path) changes while it is read", cure: "try again")
      }
    }
  }

  /// Whether a regular file begins with these bytes.
  static func begins(_ path: String, with start: [UInt8]) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return false }
    var found = [UInt8](repeating: 0, count: start.count)
    return pread(descriptor, &found, found.count, 0) == start.count && found == start
  }

  /// Writes a file so that after a crash either the old or the new one is there.
  ///
  /// - Parameter isNew: Refuses when there is a file already.
  static func write(
    _ bytes: [UInt8], to path: String, mode: mode_t, isNew: Bool = false, code: PackageError.Code
  ) throws(PackageError) {
    let folder = try FolderHandle(path: FolderHandle.folder(of: path), code: code)
    let name = String(path.split(separator: "/").last ?? "")
    guard !name.isEmpty else { throw PackageError(code, "\"\(path)\" names no file") }
    if isNew {
      try folder.create(bytes, name, mode: mode)
      try folder.sync()
    } else {
      let number = String(UInt64.random(in: 0...UInt64.max), radix: 16)
      try folder.replace(bytes, name, mode: mode, part: ".meterhost-\(number).part")
    }
  }
}
