internal import Foundation
internal import Glibc

/// The folder that holds a host's state, owned by this process while the value lives.
///
/// A class, so that the descriptor that carries the lock is closed exactly once.
package final class StateFolder: Sendable {
  let path: String
  /// The folder's own lock, and that of the file in it: who finds the file removed, or the folder at another path, finds it
  /// owned all the same.
  private let own: Int32
  private let lock: Int32?
  /// The files that must stay the ones that they are.
  let held: HeldFiles

  /// Makes the folder (mode 0700) and takes its locks.
  ///
  /// - Parameter isReadOnly: Changes nothing, as on a file system that is mounted read-only.
  init(path: String, isReadOnly: Bool = false) throws(StoreError) {
    self.path = path
    guard isReadOnly || mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw Self.failure("cannot make the state folder \(path); make its parent folder or choose another one.")
    }
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else {
      throw Self.failure("cannot open the state folder \(path); choose a folder of this user.")
    }
    do throws(StoreError) {
      if !isReadOnly {
        try Self.refuseOthers(folder, path)
        try Self.closeToOthers(folder, path)
      }
      let file = try Self.takeLock("\(path)/\(Self.lockFile)", folder: path, isReadOnly: isReadOnly)
      guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
        if let file { close(file) }
        throw StoreError.busy(pid: nil, folder: path)
      }
      lock = file
    } catch {
      close(folder)
      throw error
    }
    own = folder
    held = HeldFiles(folder: path)
    held.hold(file: Self.lockFile)
  }

  deinit {
    // Said, not only closed: a process that is being started at the moment holds a copy of the descriptor until its exec.
    // The file's lock goes last: who waits for it finds the folder free.
    for descriptor in [own, lock].compactMap(\.self) {
      flock(descriptor, LOCK_UN)
      close(descriptor)
    }
  }

  private static let lockFile = "lock"
  private static let mostTries = 5

  /// Whoever has the folder can put anything into it, and root may change the mode of every folder: another user's would get the token
  /// and the readings.
  private static func refuseOthers(_ folder: Int32, _ path: String) throws(StoreError) {
    var status = stat()
    guard fstat(folder, &status) == 0 else { throw failure("cannot look at the state folder \(path).") }
    guard status.st_uid != geteuid() else { return }
    throw StoreError(
      .readOnly,
      "the state folder \(path) belongs to the user \(status.st_uid), and this is the user \(geteuid()): nothing was read or written. "
        + "Run the command as the folder's user, such as with `sudo -u '#\(status.st_uid)'`, or give a folder of this user."
    )
  }

  /// A file or a device that stands in the folder's place is somebody else's, and was not opened.
  private static func closeToOthers(_ folder: Int32, _ path: String) throws(StoreError) {
    guard fchmod(folder, 0o700) == 0 else {
      guard errno != EROFS else { throw mountedReadOnly(path) }
      throw failure("cannot close the state folder \(path) to other users; it must belong to this user.")
    }
  }

  /// Whether nothing can be written there, whoever asks.
  static func isMountedReadOnly(_ path: String) -> Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }

  static func mountedReadOnly(_ path: String) -> StoreError {
    StoreError(
      .readOnly,
      "the state folder \(path) is on a file system that is mounted read-only: it can be looked at, and nothing can be changed. "
        + "Mount it writable, or give another folder.")
  }

  /// - Returns: Nil for a folder that has no such file and may not be changed.
  private static func takeLock(
    _ file: String, folder: String, isReadOnly: Bool
  ) throws(StoreError) -> Int32? {
    let flags = isReadOnly ? O_RDONLY : O_RDWR | O_CREAT
    guard let descriptor = try PlainFile.openIfThere(file, flags) else {
      guard !isReadOnly else { return nil }
      throw failure("cannot open the lock file \(file); check its owner.")
    }
    guard takes(descriptor) else {
      let isTaken = errno == EWOULDBLOCK
      let error = isTaken ? StoreError.busy(pid: readPID(descriptor), folder: folder) : failure("cannot lock \(file).")
      close(descriptor)
      throw error
    }
    guard !isReadOnly else { return descriptor }
    // The pid only informs; the lock itself decides, so a short write is no failure.
    let pid = Array("\(getpid())\n".utf8)
    _ = ftruncate(descriptor, 0)
    _ = pwrite(descriptor, pid, pid.count, 0)
    return descriptor
  }

  /// Whoever only looks at a folder lets go of the lock at once, and keeps nobody from it who tries again.
  private static func takes(_ descriptor: Int32) -> Bool {
    for _ in 0..<mostTries {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      guard errno == EWOULDBLOCK else { return false }
      usleep(10_000)
    }
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }

  /// The process that owns a state folder at this moment; nil: none does, or none that can be told. Makes nothing.
  ///
  /// - Throws: ``StoreError/Code/folder`` when the lock may not be looked at: it is another user's, or no file.
  package static func holder(of folder: String) throws(StoreError) -> Int32? {
    guard let descriptor = try PlainFile.openIfThere("\(folder)/\(lockFile)", O_RDONLY) else { return nil }
    defer { close(descriptor) }
    // What the file says stays when its writer is gone. Shared: those who only look are not in each other's way.
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else {
      flock(descriptor, LOCK_UN)
      return nil
    }
    return errno == EWOULDBLOCK ? readPID(descriptor) : nil
  }

  private static func readPID(_ descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }

  /// Makes an empty file that only this user may read; SQLite gives its journal files the same mode. Its entry in the folder
  /// is on disk when this returns.
  func makePrivateFile(_ name: String) throws(StoreError) -> String {
    let file = "\(path)/\(name)"
    let descriptor = try PlainFile.open(file, O_RDWR | O_CREAT)
    defer { close(descriptor) }
    guard fchmod(descriptor, 0o600) == 0 else {
      throw Self.failure("cannot close \(file) to other users; check its owner.")
    }
    try Self.syncFolder(path)
    return file
  }

  /// Refuses pipes, links and devices in the place of the database, its journals and what stands beside it: SQLite waits for the one
  /// and follows the other.
  func refuseWhatIsNoFile(_ name: String) throws(StoreError) {
    let database = ["", "-wal", "-shm", "-journal", ".part", ".repaired"].map { name + $0 }
    for file in database + [CommitWitness.fileName, Self.marker] { try PlainFile.check("\(path)/\(file)") }
  }

  /// The file that says that a folder is being restored: as long as it is there, the folder is no state folder.
  static let restoringMarker = "restoring"
  /// The file that says that there was a database: without it, an empty folder is a new one.
  private static let marker = "initialized"

  /// Refuses a folder whose database was there and is gone or empty: a new one in its place would hide the loss.
  func refuseMissing(_ name: String) throws(StoreError) {
    guard Self.size("\(path)/\(Self.restoringMarker)") == nil else {
      throw StoreError(
        .missingDatabase,
        "a backup is being restored into \(path), or that has broken off: what is there is not whole. Run `meterhost restore` again "
          + "with the same folder, or give another one.")
    }
    let size = Self.size("\(path)/\(name)") ?? 0
    let wasThere = Self.size("\(path)/\(Self.marker)") != nil || (Self.size("\(path)/\(name)-wal") ?? 0) > 0
    guard size == 0, wasThere else { return }
    throw StoreError(
      .missingDatabase,
      "the state database \(path)/\(name) is gone or empty; put a copy of it back, with the file \(CommitWitness.fileName) of the "
        + "same time. Leave \(name)-wal where it is: it may hold the newest readings, and whether it goes with the copy is found "
        + "out. To start with an empty one and without the readings that were in it, move the folder aside.")
  }

  /// Notes that the database is there.
  func markInitialized() throws(StoreError) {
    guard Self.size("\(path)/\(Self.marker)") == nil else { return }
    let text = "MeterHost has made its database here; without it, this folder is damaged.\n"
    _ = try writeDurably(Array(text.utf8), folder: ".", name: Self.marker)
  }

  // MARK: - Replacing a damaged database

  /// The path of a new, empty file beside the database, to be filled and then put in its place.
  func makeReplacement(_ name: String) throws(StoreError) -> String {
    dropReplacement(name)
    return try makePrivateFile("\(name).part")
  }

  /// Removes what was made of a replacement.
  func dropReplacement(_ name: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] where Self.size("\(path)/\(name).part\(suffix)") != nil {
      unlink("\(path)/\(name).part\(suffix)")
    }
  }

  /// Puts the replacement in the place of the database, of which a copy with its journal is kept: after a crash either of
  /// the two is there, for ``finishReplacing(_:)`` goes on from the first rename.
  ///
  /// - Returns: The folder of the copy.
  func replace(_ name: String) throws(StoreError) -> String {
    let kept = try keepCopy(name)
    try Self.sync("\(path)/\(name).part")
    guard rename("\(path)/\(name).part", "\(path)/\(name).repaired") == 0 else {
      throw Self.failure("cannot rename \(path)/\(name).part.")
    }
    try Self.syncFolder(path)
    try finishReplacing(name)
    return kept
  }

  /// Ends a replacement that a crash has interrupted. The old journal goes first: SQLite would take it for the new
  /// database's.
  func finishReplacing(_ name: String) throws(StoreError) {
    guard Self.size("\(path)/\(name).repaired") != nil else { return }
    for suffix in ["-wal", "-shm"] {
      guard unlink("\(path)/\(name)\(suffix)") == 0 || errno == ENOENT else {
        throw Self.failure("cannot remove \(path)/\(name)\(suffix).")
      }
    }
    try Self.syncFolder(path)
    guard rename("\(path)/\(name).repaired", "\(path)/\(name)") == 0 else {
      throw Self.failure("cannot rename \(path)/\(name).repaired.")
    }
    try Self.syncFolder(path)
  }

  private static func sync(_ file: String) throws(StoreError) {
    let descriptor = try PlainFile.open(file, O_RDONLY)
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("cannot sync \(file).") }
  }

  /// The length of a file; nil where there is none.
  static func size(_ file: String) -> Int64? {
    var status = stat()
    return lstat(file, &status) == 0 ? Int64(status.st_size) : nil
  }

  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var offset = 0
    while offset < bytes.count {
      let count = bytes[offset...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      offset += count
    }
    return true
  }

  /// - Parameter code: The failure's, where the system's error does not decide.
  static func syncFolder(_ path: String, _ code: StoreError.Code = .folder) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("cannot open the folder \(path).", code) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("cannot sync the folder \(path).", code) }
  }

  static func failure(_ message: String, _ code: StoreError.Code = .folder) -> StoreError {
    let number = errno
    let cause = String(cString: strerror(number))
    switch number {
    case ENOSPC, EDQUOT: return StoreError(.diskFull, message, cause: cause)
    case EROFS, EACCES, EPERM: return StoreError(.readOnly, message, cause: cause)
    // Neither the file nor its owner has anything to do with that.
    case EMFILE, ENFILE:
      return StoreError(.folder, "\(firstPart(of: message)): \(StoreError.tooManyFiles)", cause: cause)
    default: return StoreError(code, message, cause: cause)
    }
  }

  /// What happened, without the cure.
  private static func firstPart(of message: String) -> Substring {
    let part = message.prefix { $0 != ";" }
    return part.last == "." ? part.dropLast() : part
  }
}
