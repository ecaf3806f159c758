import Glibc
import Synchronization

/// A body that is being written into the spool. It is there when ``finish()`` has returned, and leaves nothing otherwise.
package final class SpoolWriter: Sendable {
  private struct State {
    var written = 0
    var isOver = false
  }

  /// What it will be called.
  package let name: SpoolName
  private let spool: HealthSpool
  private let temporary: String
  private let descriptor: Int32
  private let state = Mutex(State())

  init(_ name: SpoolName, in spool: HealthSpool, temporary: String, descriptor: Int32) {
    (self.name, self.spool, self.temporary, self.descriptor) = (name, spool, temporary, descriptor)
  }

  deinit {
    if !state.withLock(\.isOver) {
      unlink(temporary)
      spool.abandon(name.id)
    }
    close(descriptor)
  }

  /// How many bytes were written.
  package var written: Int { state.withLock(\.written) }

  /// Writes a part.
  ///
  /// - Throws: ``SpoolError``: there is no room for it.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(SpoolError) {
    guard !bytes.isEmpty else { return }
    try spool.grow(name.id, by: bytes.count)
    guard spool.hasRoom(descriptor, for: bytes.count) else { throw .diskFull }
    var done = 0
    while done < bytes.count {
      let count = write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SpoolError(errno) }
      done += count
    }
    state.withLock { $0.written += done }
  }

  /// Puts the body on disk under its name.
  ///
  /// - Throws: ``SpoolError``; then it is not there.
  package func finish() throws(SpoolError) -> SpoolEntry {
    let size = written
    guard fsync(descriptor) == 0 else { throw SpoolError(errno) }
    let file = "\(spool.folder)/\(name.file)"
    guard rename(temporary, file) == 0 else { throw SpoolError(errno) }
    state.withLock { $0.isOver = true }
    spool.complete(name.id, size)
    // Without the folder on disk its name may be gone after a power cut: the sender has to send it again.
    guard HealthSpool.sync(spool.folder) else {
      let error = SpoolError(errno)
      spool.remove(SpoolEntry(name: name, path: file, size: size))
      throw error
    }
    return SpoolEntry(name: name, path: file, size: size)
  }
}

/// A whole body in the spool.
package struct SpoolEntry: Sendable, Hashable {
  /// Whose it is.
  package let name: SpoolName
  /// The file.
  package let path: String
  /// In bytes.
  package let size: Int
}

/// Why a body cannot be kept.
package enum SpoolError: Error, Sendable, Hashable {
  /// The spool has as many bodies or bytes as it may.
  case full
  /// The disk is.
  case diskFull
  /// It cannot be written: the words of the system.
  case broken(String)

  init(_ number: Int32) {
    switch number {
    case ENOSPC, EDQUOT: self = .diskFull
    default: self = .broken(String(cString: strerror(number)))
    }
  }
}
