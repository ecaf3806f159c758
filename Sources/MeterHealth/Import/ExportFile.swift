import Glibc

/// An open file of an export. It is closed when the value goes.
final class ExportFile: Sendable {
  /// What a file has while nobody writes to it.
  struct Mark: Sendable, Hashable {
    /// Bytes.
    let size: UInt64
    /// When it was written last.
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
      size = UInt64(clamping: status.st_size)
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  /// For errors.
  let path: String
  /// What it had when it was opened.
  let mark: Mark
  private let descriptor: Int32

  /// Takes over the descriptor of a regular file.
  init(_ descriptor: Int32, _ status: stat, path: String) {
    (self.descriptor, mark, self.path) = (descriptor, Mark(status), path)
  }

  deinit { close(descriptor) }

  /// Bytes from an offset on.
  ///
  /// - Parameter count: No more than the file had behind the offset when it was opened.
  /// - Throws: ``HealthImportError`` `file`, or `truncated` where it has fewer by now.
  func read(_ count: Int, at offset: UInt64) throws(HealthImportError) -> [UInt8] {
    var done = 0
    var reason: Int32 = 0
    let start = Int64(clamping: offset)
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while done < count {
        let got = pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(start + Int64(done)))
        if got > 0 {
          done += got
        } else if got == 0 {
          break
        } else if errno != EINTR {
          reason = errno
          break
        }
      }
      filled = done
    }
    guard reason == 0 else {
      throw HealthImportError(
        .file, "\(path) cannot be read on", hint: "check the medium that it lies on",
        cause: String(cString: strerror(reason)))
    }
    guard done == count else {
      throw HealthImportError(
        .truncated, "\(path) became shorter while it was read", hint: "wait until it is written, and import it again")
    }
    return bytes
  }

  /// Whether the file is still the one that was opened.
  ///
  /// - Throws: ``HealthImportError`` `changed`.
  func check() throws(HealthImportError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, Mark(status) == mark else { throw .changed(path) }
  }
}

extension HealthImportError {
  /// The error of a file or folder that is not any more what it was when it was opened.
  static func changed(_ path: String) -> HealthImportError {
    HealthImportError(
      .changed, "\(path) was changed while it was read", hint: "wait until it is written, and import it again")
  }
}
