import Glibc

/// An open folder; everything below it is reached through its descriptor, and no symbolic link is followed.
final class FolderHandle {
  /// The folder's path, for errors.
  let path: String
  private let descriptor: Int32
  private let code: PackageError.Code

  private init(_ descriptor: Int32, _ path: String, _ code: PackageError.Code) {
    self.descriptor = descriptor
    self.path = path
    self.code = code
  }

  deinit { close(descriptor) }

  /// Opens a folder by its path; links on the way there are the operator's own and are followed.
  convenience init(path: String, code: PackageError.Code = .packageFolder) throws(PackageError) {
    let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .system(code, "the folder \(path) cannot be opened", errno, cure: "make it, and check its permissions")
    }
    self.init(descriptor, path, code)
  }

  /// The folder that a file stands in.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2f) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A folder in this one; nil when there is nothing of this name.
  func child(_ name: String) throws(PackageError) -> FolderHandle? {
    let found = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    if found < 0, errno == ENOENT { return nil }
    guard found >= 0 else {
      throw failure("\(path)/\(name) is no folder that can be opened; symbolic links are not followed", errno)
    }
    return FolderHandle(found, "\(path)/\(name)", code)
  }

  /// The same, made where it is missing.
  func makeChild(_ name: String) throws(PackageError) -> FolderHandle {
    if mkdirat(descriptor, name, 0o755) == 0 {
      // The mode whatever the umask says: the host may run as another user.
      guard fchmodat(descriptor, name, 0o755, 0) == 0 else {
        throw failure("cannot set the mode of \(path)/\(name)", errno)
      }
      try sync()
    } else if errno != EEXIST {
      throw failure("cannot make the folder \(path)/\(name)", errno)
    }
    guard let made = try child(name) else { throw failure("\(path)/\(name) is gone", ENOENT) }
    return made
  }

  /// Makes a file and puts it on disk; its entry in the folder needs ``sync()``.
  func create(_ bytes: [UInt8], _ name: String, mode: mode_t = 0o644) throws(PackageError) {
    let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
    guard file >= 0 else { throw failure("cannot make \(path)/\(name)", errno) }
    defer { close(file) }
    var number: Int32 = 0
    bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count, number == 0, let base = bytes.baseAddress {
        let put = write(file, base + written, bytes.count - written)
        if put < 0, errno != EINTR { number = errno }
        if put > 0 { written += put }
      }
    }
    if number == 0, fchmod(file, mode) != 0 { number = errno }
    if number == 0, fsync(file) != 0 { number = errno }
    guard number == 0 else {
      unlinkat(descriptor, name, 0)
      throw failure("cannot write \(path)/\(name)", number)
    }
  }

  /// Puts a whole file in the place of what is there: after a crash there is the old or the new one.
  ///
  /// - Parameter part: What the file is called until it is whole. A name of its own for whoever has no lock on the
  ///   folder: of two who write at once, each would take the other's away.
  func replace(
    _ bytes: [UInt8], _ name: String, mode: mode_t = 0o644, part own: String? = nil
  ) throws(PackageError) {
    let part = own ?? ".\(name).part"
    unlinkat(descriptor, part, 0)
    try create(bytes, part, mode: mode)
    do throws(PackageError) { try rename(part, to: name, in: self) } catch {
      unlinkat(descriptor, part, 0)
      throw error
    }
    try sync()
  }

  /// The content of a regular file; nil when there is nothing of this name.
  func read(_ name: String, limit: Int) throws(PackageError) -> [UInt8]? {
    let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if file < 0, errno == ENOENT { return nil }
    guard file >= 0 else {
      throw failure("\(path)/\(name) cannot be opened; symbolic links are not followed", errno)
    }
    defer { close(file) }
    return try PlainFile.read(file, "\(path)/\(name)", limit: limit, what: "the file", code: code)
  }

  /// Whether there is something of this name, a link too.
  func has(_ name: String) -> Bool {
    var facts = stat()
    return fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0
  }

  /// Moves something to another place of the same file system, over what is there.
  func rename(_ name: String, to other: String, in folder: FolderHandle) throws(PackageError) {
    guard renameat(descriptor, name, folder.descriptor, other) == 0 else {
      throw failure("cannot rename \(path)/\(name) to \(folder.path)/\(other)", errno)
    }
  }

  /// Removes a file; that it is gone already is no failure.
  func remove(_ name: String) throws(PackageError) {
    guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
      throw failure("cannot remove \(path)/\(name)", errno)
    }
  }

  /// Removes a folder with everything in it, or whatever else has this name. What lies behind links stays.
  func removeTree(_ name: String, depth: Int = 16) throws(PackageError) {
    if unlinkat(descriptor, name, 0) == 0 || errno == ENOENT { return }
    guard depth > 0, errno == EISDIR || errno == EPERM, let folder = try child(name) else {
      throw failure("cannot remove \(path)/\(name)", errno)
    }
    for entry in try folder.names() { try folder.removeTree(entry, depth: depth - 1) }
    guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 || errno == ENOENT else {
      throw failure("cannot remove \(path)/\(name)", errno)
    }
  }

  func names() throws(PackageError) -> [String] {
    // A descriptor of its own, which the stream closes.
    let own = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0, let stream = fdopendir(own) else { throw failure("\(path) cannot be listed", errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Puts the folder's entries on disk.
  func sync() throws(PackageError) {
    guard fsync(descriptor) == 0 else { throw failure("the folder \(path) cannot be put on disk", errno) }
  }

  /// Takes a lock that ends with the value, or with the process; nil: another one has it.
  func lock(_ name: String) throws(PackageError) -> FolderLock? {
    let file = openat(descriptor, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard file >= 0 else { throw failure("cannot open the lock \(path)/\(name)", errno) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      close(file)
      guard number == EWOULDBLOCK else { throw failure("cannot lock \(path)/\(name)", number) }
      return nil
    }
    return FolderLock(file)
  }

  private func failure(_ message: String, _ number: Int32) -> PackageError {
    .system(code, message, number, cure: "check the owner and the permissions of \(path)")
  }
}

/// A lock on a folder while the value lives.
final class FolderLock: Sendable {
  private let descriptor: Int32

  fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    // Said, not only closed: a process that is being started at the moment holds a copy of the descriptor until its exec.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
