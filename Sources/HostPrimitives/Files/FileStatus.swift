internal import Glibc

/// What the system says of a file (fstat(2), lstat(2)).
package struct FileStatus: Sendable, Hashable {
  /// Bytes.
  package let size: Int64
  /// Whether it is a plain file: no folder, link, device, socket or pipe.
  package let isPlainFile: Bool
  /// Whether it is a socket.
  package let isSocket: Bool
  /// The user that it belongs to.
  package let owner: UInt32
  /// Who may do what with it: the nine bits of the mode.
  package let permissions: UInt32
  /// How many names it has.
  package let names: UInt64

  /// The file itself, whatever it is called: its place in its file system.
  package let identity: Identity

  package struct Identity: Sendable, Hashable {
    fileprivate let device: UInt64
    fileprivate let inode: UInt64
  }

  /// When it was last written.
  package let written: Moment

  /// A moment as the file system keeps it.
  package struct Moment: Sendable, Hashable {
    fileprivate let seconds: Int
    fileprivate let nanoseconds: Int
  }

  /// Of an open file; nil where the system refuses, and `errno` says why.
  package init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Of what lies at a path, a link itself and not what it names; nil where the system refuses, and `errno` says why.
  package init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Of what a path leads to, through links; nil where the system refuses, and `errno` says why.
  package init?(following path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    size = Int64(status.st_size)
    isPlainFile = status.st_mode & S_IFMT == S_IFREG
    isSocket = status.st_mode & S_IFMT == S_IFSOCK
    written = Moment(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    owner = status.st_uid
    permissions = status.st_mode & 0o777
    names = UInt64(status.st_nlink)
    identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }
}
