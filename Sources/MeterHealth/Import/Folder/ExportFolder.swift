import Glibc

/// An open folder of an export. What lies in it is reached by its descriptor, and no link is followed. It is closed when
/// the value goes.
///
/// Names are the bytes that the file system has: archives that were unpacked by old programs have names that are not UTF-8.
final class ExportFolder: Sendable {
  /// For errors.
  let path: String
  private let descriptor: Int32

  /// Takes over the descriptor of a folder.
  init(_ descriptor: Int32, path: String) { (self.descriptor, self.path) = (descriptor, path) }

  deinit { close(descriptor) }

  /// The path of something in this folder, for errors.
  func path(of name: [UInt8]) -> String { "\(path)/\(String(decoding: name, as: UTF8.self))" }

  /// The names of what lies in it, in no order: all, or one more than `most`.
  func names(most: Int) throws(HealthImportError) -> [[UInt8]] {
    // A descriptor of its own, which the stream closes.
    let own = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0 else { throw cannotOpen(errno) }
    guard let stream = fdopendir(own) else {
      let reason = errno
      close(own)
      throw cannotOpen(reason)
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while names.count <= most {
      errno = 0
      guard let entry = readdir(stream) else {
        let reason = errno
        guard reason == 0 else { throw cannotOpen(reason) }
        break
      }
      let name: [UInt8] = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in Array(bytes.prefix { $0 != 0 }) }
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
    }
    return names
  }

  /// What lies under a name.
  func status(of name: [UInt8]) throws(HealthImportError) -> stat {
    var status = stat()
    guard fstatat(descriptor, Self.text(name), &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw cannotOpen(errno, name)
    }
    return status
  }

  /// A folder in this one.
  func folder(_ name: [UInt8]) throws(HealthImportError) -> ExportFolder {
    let opened = openat(descriptor, Self.text(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else { throw cannotOpen(errno, name) }
    return ExportFolder(opened, path: path(of: name))
  }

  /// A file in this folder or in those below it.
  ///
  /// - Parameter path: The names on the way to it, with a slash between them.
  func file(_ path: [UInt8]) throws(HealthImportError) -> ExportFile {
    let names: [[UInt8]] = path.split(separator: 0x2f).map { Array($0) }
    var folder = self
    for name in names.dropLast() { folder = try folder.folder(name) }
    return try folder.ownFile(names.last ?? [])
  }

  private func ownFile(_ name: [UInt8]) throws(HealthImportError) -> ExportFile {
    // A pipe in its place would hold up whoever opens it.
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let opened = openat(descriptor, Self.text(name), flags)
    guard opened >= 0 else { throw cannotOpen(errno, name) }
    var status = stat()
    guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw .changed(path(of: name))
    }
    return ExportFile(opened, status, path: path(of: name))
  }

  /// What was listed a moment ago and is gone by now, or became a link, was changed; anything else is a failure.
  ///
  /// - Parameter name: What of the folder; nil: the folder itself.
  private func cannotOpen(_ reason: Int32, _ name: [UInt8]? = nil) -> HealthImportError {
    let path = name.map { self.path(of: $0) } ?? path
    if [ENOENT, ENOTDIR, ELOOP].contains(reason) { return .changed(path) }
    return HealthImportError(
      .file, "\(path) cannot be opened", hint: "look whose it is, and check the medium that it lies on",
      cause: String(cString: strerror(reason)))
  }

  /// A name as the system takes it.
  private static func text(_ name: [UInt8]) -> [CChar] { name.map { CChar(bitPattern: $0) } + [0] }
}
