import ProgramTerminal

/// A file with secrets.
enum PrivateFile {
  /// Warns when users of the machine who are neither the owner nor in the file's group can read it; of a file that this program's own
  /// user has, the group, too.
  static func warn(_ path: String) {
    guard let warning = FileExposure.warning(of: path, sparesGroups: true) else { return }
    Terminal().error("warning: \(warning)")
  }
}
