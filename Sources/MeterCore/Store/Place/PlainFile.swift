internal import Foundation
internal import Glibc

/// Opens what has to be a file. A pipe or a device in its place, which others may have put there or a person by mistake, would hold up
/// whoever opens it, for ever.
enum PlainFile {
  /// - Throws: ``StoreError/Code/folder`` when it is no file or cannot be opened.
  static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(StoreError) -> Int32 {
    guard let descriptor = try openIfThere(path, flags, mode: mode) else {
      errno = ENOENT
      throw StateFolder.failure("cannot open \(path); check its owner.")
    }
    return descriptor
  }

  /// As ``open(_:_:mode:)``; nil when there is nothing at the path.
  ///
  /// - Parameter followsLinks: For a path that a person has given.
  static func openIfThere(
    _ path: String, _ flags: Int32, mode: mode_t = 0o600, followsLinks: Bool = false
  ) throws(StoreError) -> Int32? {
    let links = followsLinks ? 0 : O_NOFOLLOW
    let descriptor = Glibc.open(path, flags | links | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      if !followsLinks { try check(path) }
      throw StateFolder.failure("cannot open \(path); check its owner.")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw isNone(path)
    }
    return descriptor
  }

  /// Everything that a file holds; nil when there is none.
  static func contents(_ path: String) throws(StoreError) -> Data? {
    guard let descriptor = try openIfThere(path, O_RDONLY) else { return nil }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      return try handle.readToEnd() ?? Data()
    } catch {
      throw StoreError(.inputOutput, "cannot read \(path); check the medium.", cause: "\(error.localizedDescription)")
    }
  }

  /// Refuses what is there and is no file; nothing is opened.
  static func check(_ path: String) throws(StoreError) {
    let number = errno
    defer { errno = number }
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw isNone(path)
  }

  private static func isNone(_ path: String) -> StoreError {
    StoreError(
      .folder,
      "\(path) is no file, but a folder, a link, a pipe or a device: it was not opened. Move it away, and put back the file that was "
        + "there.")
  }
}
