internal import CLinux

/// The folder that socket files live in.
public enum SocketFolder {
  /// Makes the folder and the missing ones above it, for the user alone (mode 0700).
  ///
  /// - Throws: ``SocketError`` with code `system`, or `path_too_long`.
  public static func create(_ path: String) throws(SocketError) {
    let result = mh_socket_make_folder(path)
    guard result == 0 else { throw SocketError.creatingFolder(path, errno: -result) }
  }
}
