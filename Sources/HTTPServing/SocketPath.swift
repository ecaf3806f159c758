import Glibc
import HostPrimitives
import Synchronization

/// A path at which a server listens as a Unix socket.
///
/// The server binds in a folder that only its user can enter, and the socket is renamed to its path when it has its mode: there is
/// no moment at which others could connect. What was left behind at the path is replaced by that.
package final class SocketPath: Sendable {
  /// Why nobody can listen there.
  package struct Failure: Error, Sendable {
    /// What is wrong, and what helps.
    package let message: String
  }

  /// Who may connect.
  package enum Access: Sendable, Hashable {
    /// The server's user (0600).
    case user
    /// Its group, too (0660).
    case group
  }

  private let path: String
  private let access: Access
  private let folder: String
  private let descriptor: Int32
  private let published = Mutex<FileStatus.Identity?>(nil)

  /// A path at which nobody listens.
  ///
  /// - Throws: ``Failure`` when somebody does, when something else is there, and when the folder cannot be used.
  package init(_ path: String, access: Access) throws(Failure) {
    guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path), !path.utf8.contains(0), !path.isEmpty
    else { throw Failure(message: "The path of a socket has 1 to 107 bytes, and “\(path)” has others") }
    try Self.checkFree(path)
    let folder = "\(path).\(UInt32.random(in: .min ... .max))"
    guard mkdir(folder, 0o700) == 0 else {
      throw Failure(message: "No socket can be made beside \(path); the folder must be there, and be this user's")
    }
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      rmdir(folder)
      throw Failure(message: "The folder of \(path) cannot be opened")
    }
    (self.path, self.access, self.folder, self.descriptor) = (path, access, folder, descriptor)
  }

  deinit {
    unlinkat(descriptor, "s", 0)
    rmdir(folder)
    close(descriptor)
  }

  /// Where the server binds: by the descriptor, because the folder's path may be too long for a socket.
  package var bindPath: String { "/proc/self/fd/\(descriptor)/s" }

  /// Lets clients connect, when the server listens.
  ///
  /// - Throws: ``Failure``.
  package func publish() throws(Failure) {
    try Self.checkFree(path)
    guard fchmodat(descriptor, "s", access == .user ? 0o600 : 0o660, 0) == 0,
      let socket = FileStatus(at: bindPath), renameat(descriptor, "s", AT_FDCWD, path) == 0
    else { throw Failure(message: "The socket cannot be put at \(path): \(String(cString: strerror(errno)))") }
    // A process that is killed leaves no folder behind.
    rmdir(folder)
    published.withLock { $0 = socket.identity }
  }

  /// Removes the socket, unless another server has put its own in its place.
  package func remove() {
    guard let own = published.withLock(\.self) else { return }
    guard FileStatus(at: path)?.identity == own else { return }
    unlink(path)
  }

  private static func checkFree(_ path: String) throws(Failure) {
    guard let found = FileStatus(at: path) else { return }
    guard found.isSocket else {
      throw Failure(message: "\(path) is there already and is no socket; remove it, or choose another path")
    }
    guard !isListenedAt(path) else {
      throw Failure(message: "Another process listens at \(path); choose another path")
    }
  }

  /// Of a socket that was left behind the kernel says that it refuses connections.
  private static func isListenedAt(_ path: String) -> Bool {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return result == 0 || errno != ECONNREFUSED
  }
}
