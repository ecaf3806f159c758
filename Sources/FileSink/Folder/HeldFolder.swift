import Glibc

/// An open folder: what is done in it is done there by its descriptor, wherever its path leads by now, and no symbolic link is followed.
///
/// The store's durable files are private to the state folder and are replaced as a whole; here whole lines are added to a file
/// that others read.
final class HeldFolder: Sendable {
  let path: String
  private let descriptor: Descriptor

  /// Opens a folder of this user.
  ///
  /// - Parameter makes: Makes it (mode 0700) when there is none. Where readings were written already it is not made again: what
  ///   is missing then is a disk, and its place is on another one.
  init(path: String, makes: Bool) throws(FileSinkError) {
    self.path = path
    guard !makes || mkdir(path, 0o700) == 0 || errno == EEXIST else {
      let number = errno
      guard number == ENOENT || number == ENOTDIR else { throw .system("cannot make the folder \(path)", number) }
      throw FileSinkError(
        .missingFolder,
        "the folder \(path) is not there, nor is the one that it would be made in: make that, or mount its disk.")
    }
    let opened = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else {
      let number = errno
      guard number == ENOTDIR || number == ELOOP else { throw .system("cannot open the folder \(path)", number) }
      throw FileSinkError(
        .notAFolder, "\(path) is a file or a symbolic link: give the path of the folder itself, or move the file away.")
    }
    descriptor = Descriptor(opened)
    try checkOwner()
  }

  private func checkOwner() throws(FileSinkError) {
    guard let status = descriptor.status else { throw .system("cannot look at the folder \(path)") }
    guard status.st_uid == geteuid() else {
      throw FileSinkError(
        .otherOwner,
        "the folder \(path) belongs to the user \(status.st_uid), and this is the user \(geteuid()): give a folder of this user, or "
          + "change its owner.")
    }
    guard status.st_mode & 0o002 == 0 else {
      throw FileSinkError(
        .openToOthers,
        "every user of this machine may write to the folder \(path), and so change readings: take that away with chmod o-w."
      )
    }
  }

  /// - Throws: ``FileSinkError/Code/moved`` when the path leads elsewhere by now.
  func checkPlace() throws(FileSinkError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw .system("cannot look at the folder \(path)") }
    guard let own = descriptor.status, own.isSame(as: status) else {
      throw FileSinkError(.moved, "the folder \(path) was replaced by another one: it is opened anew.")
    }
  }

  /// What stands under a name; nil for nothing.
  func status(_ name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  func names() throws(FileSinkError) -> [String] {
    // A descriptor of its own, which the stream closes.
    let own = openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0 else { throw .system("cannot list the folder \(path)") }
    guard let stream = fdopendir(own) else {
      let number = errno
      close(own)
      throw .system("cannot list the folder \(path)", number)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names
  }

  /// Opens a file of this user alone.
  func open(_ name: String, _ flags: Int32) throws(FileSinkError) -> Descriptor {
    // A pipe in its place would hold up whoever opens it.
    let opened = openat(descriptor.number, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
    guard opened >= 0 else { throw .system("cannot open \(path)/\(name)") }
    let file = Descriptor(opened)
    guard let status = file.status else { throw .system("cannot look at \(path)/\(name)") }
    guard status.isFile, status.st_uid == geteuid(), status.st_nlink <= 1 else {
      throw FileSinkError(
        .foreignFile,
        "\(path)/\(name) is no file of this user alone, but a pipe, a device, another user's or one with a second name: move it away."
      )
    }
    return file
  }

  /// A folder in this one, made (mode 0700) when it is missing.
  func child(_ name: String) throws(FileSinkError) -> HeldFolder {
    if mkdirat(descriptor.number, name, 0o700) == 0 {
      try sync()
    } else if errno != EEXIST {
      throw .system("cannot make the folder \(path)/\(name)")
    }
    let opened = openat(descriptor.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else { throw .system("cannot open the folder \(path)/\(name)") }
    return try HeldFolder(child: Descriptor(opened), "\(path)/\(name)")
  }

  private init(child descriptor: Descriptor, _ path: String) throws(FileSinkError) {
    (self.descriptor, self.path) = (descriptor, path)
    try checkOwner()
  }

  func rename(_ name: String, to other: String) throws(FileSinkError) {
    guard renameat(descriptor.number, name, descriptor.number, other) == 0 else {
      throw .system("cannot rename \(path)/\(name)")
    }
  }

  /// Removes a file when it is there.
  func remove(_ name: String) { unlinkat(descriptor.number, name, 0) }

  /// Makes a file and removes it.
  func tryWriting() throws(FileSinkError) {
    let name = ".file-sink.try-\(getpid())"
    remove(name)
    _ = try open(name, O_WRONLY | O_CREAT | O_EXCL)
    remove(name)
  }

  /// Puts the folder's entries on disk.
  func sync() throws(FileSinkError) {
    guard fsync(descriptor.number) == 0 else { throw .system("cannot put the folder \(path) on disk") }
  }
}
