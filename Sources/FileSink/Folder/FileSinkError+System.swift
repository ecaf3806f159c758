import Glibc

extension FileSinkError {
  /// What the system's last error means for a person.
  ///
  /// - Parameter what: What could not be done, such as "cannot write /srv/readings/x".
  static func system(_ what: String, _ number: Int32 = errno) -> FileSinkError {
    let cause = String(cString: strerror(number))
    let later = "the readings wait and are written then"
    let (code, cure): (Code, String) =
      switch number {
      case ENOSPC: (.diskFull, "the disk is full: make room on it; \(later)")
      case EDQUOT: (.diskFull, "this user's share of the disk is full: make room or raise the quota; \(later)")
      case EFBIG: (.diskFull, "this process may not write files so large: raise its limit, or lower rotate_bytes")
      case EROFS: (.readOnly, "the file system is mounted read-only: mount it writable; \(later)")
      case EACCES, EPERM: (.readOnly, "this user may not: check owner and permissions of the folder; \(later)")
      case ENOENT, ENOTDIR, ESTALE: (.moved, "it is gone: put the folder back, or mount its disk; \(later)")
      case ELOOP: (.foreignFile, "it is a symbolic link, which is not followed: move it away")
      case EMFILE, ENFILE: (.inputOutput, "too many files are open: raise the limit of open files")
      default: (.inputOutput, "check the disk and its connection; \(later)")
      }
    return FileSinkError(code, "\(what): \(cure).", cause: cause)
  }
}
