import Foundation

/// A file with secrets.
enum PrivateFile {
  /// Warns when users of the machine who are neither the owner nor in the file's group can read it; of a file that this program's own
  /// user has, the group, too.
  static func warn(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    let barred = status.st_uid == geteuid() ? S_IRGRP | S_IROTH : S_IROTH
    guard status.st_mode & barred != 0 else { return }
    Terminal().error("warning: other users can read \(path): `chmod 600 \(path)`")
  }
}
