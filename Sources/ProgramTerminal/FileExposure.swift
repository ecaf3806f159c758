import Glibc

/// Who can read a file with secrets beside the user whose it is.
package enum FileExposure {
  /// What a person is told of a file that other users of the machine can read; nil: they cannot, or it is no file.
  ///
  /// - Parameter sparesGroups: Whether a file of another user may be open to its group: an administrator has given it to this program's.
  package static func warning(of path: String, sparesGroups: Bool = false) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let barred = sparesGroups && status.st_uid != geteuid() ? S_IROTH : S_IRGRP | S_IROTH
    guard status.st_mode & barred != 0 else { return nil }
    return "other users can read \(path): `chmod 600 \(path)`"
  }
}
