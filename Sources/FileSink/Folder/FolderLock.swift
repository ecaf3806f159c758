import Glibc

/// Keeps every other process and sink from writing to a folder, for as long as the value lives.
final class FolderLock: Sendable {
  static let file = ".file-sink.lock"
  private static let mostTries = 5

  private let descriptor: Descriptor

  /// - Throws: ``FileSinkError/Code/busy`` when another one has it.
  init(_ folder: HeldFolder) throws(FileSinkError) { descriptor = try Self.take(folder) }

  deinit {
    // Said, not only closed: a process that is being started at the moment holds a copy of the descriptor until its exec.
    flock(descriptor.number, LOCK_UN)
  }

  private static func take(_ folder: HeldFolder) throws(FileSinkError) -> Descriptor {
    for _ in 1...mostTries {
      let lock = try folder.open(file, O_RDWR | O_CREAT)
      guard flock(lock.number, LOCK_EX | LOCK_NB) == 0 else {
        let number = errno
        guard number == EWOULDBLOCK else { throw .system("cannot lock \(folder.path)/\(file)", number) }
        throw busy(folder, pid(in: lock))
      }
      // Somebody may have removed it in between: another one could lock another file of this name.
      guard isHeld(lock, in: folder) else { continue }
      note(lock)
      return lock
    }
    throw busy(folder, nil)
  }

  /// Whether the file is still the folder's.
  func isHeld(in folder: HeldFolder) -> Bool { Self.isHeld(descriptor, in: folder) }

  private static func isHeld(_ file: Descriptor, in folder: HeldFolder) -> Bool {
    guard let own = file.status, let named = folder.status(Self.file) else { return false }
    return own.isSame(as: named)
  }

  /// The number only informs: the lock itself decides.
  private static func note(_ file: Descriptor) {
    let text = Array("\(getpid())\n".utf8)
    _ = ftruncate(file.number, 0)
    _ = pwrite(file.number, text, text.count, 0)
  }

  private static func pid(in file: Descriptor) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(file.number, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }

  private static func busy(_ folder: HeldFolder, _ pid: Int32?) -> FileSinkError {
    let who = pid.map { $0 == getpid() ? "another sink of this process" : "the process \($0)" } ?? "another process"
    return FileSinkError(
      .busy,
      "\(who) writes to the folder \(folder.path): give each sink and each host a folder of its own, or stop the other one."
    )
  }
}
