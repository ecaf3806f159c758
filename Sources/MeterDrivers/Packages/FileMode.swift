import Glibc

/// Who else may read or change a file.
enum FileMode {
  /// Throws when one of these permissions is given, or the file is no regular one; a file that is not there passes.
  static func refuse(
    _ path: String, open bits: mode_t, code: PackageError.Code, _ error: () -> PackageError
  ) throws(PackageError) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw PackageError(code, "\(path) is no regular file") }
    guard facts.st_mode & bits == 0 else { throw error() }
  }
}
