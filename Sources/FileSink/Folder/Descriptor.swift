import Glibc

/// A descriptor that is closed with the value, and once.
final class Descriptor: Sendable {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  /// What the system knows of the file; nil when it does not say.
  var status: stat? {
    var status = stat()
    return fstat(number, &status) == 0 ? status : nil
  }
}

extension stat {
  var isFile: Bool { st_mode & S_IFMT == S_IFREG }
  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }

  /// Whether both are of one file.
  func isSame(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }
}
