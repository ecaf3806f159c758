import Glibc

/// Who else may read or change a file.
enum FileMode {
  /// Throws when one of these permissions is given, the file belongs to another user than this one or root, or it is no
  /// regular one; a file that is not there passes.
  static func refuse(
    _ path: String, open bits: mode_t, code: PackageError.Code, _ error: () -> PackageError
  ) throws(PackageError) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw PackageError(code, "\(path) is no regular file") }
    // Its owner may write it whatever its mode says.
    guard facts.st_uid == 0 || facts.st_uid == geteuid() else {
      throw PackageError(
        code, "\(path) belongs to another user (\(facts.st_uid))",
        cure: "it must belong to root or to whoever runs this: look at what it says, then give it its owner")
    }
    guard facts.st_mode & bits == 0 else { throw error() }
  }
}
