internal import CLinux
internal import Glibc

/// The error numbers that packet sockets tell apart.
enum SystemError {
  static let wouldBlock = EAGAIN
  static let brokenPipe = EPIPE
  static let connectionReset = ECONNRESET
  static let connectionAborted = ECONNABORTED
  static let notConnected = ENOTCONN
}

extension SocketError {
  /// Whether the process or the machine has too little of something, which may pass.
  var isShortage: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) }

  static func connecting(to path: String, errno: Int32) -> SocketError {
    switch errno {
    case ENOENT, ECONNREFUSED, ENOTDIR:
      SocketError(.notFound, trying: "connect to “\(path)”", errno: errno, cure: "nobody listens there")
    case EAGAIN:
      SocketError(trying: "connect to “\(path)”", errno: errno, cure: "the listener is busy, try again")
    default: Self.path(path, trying: "connect to “\(path)”", errno: errno)
    }
  }

  static func listening(at path: String, errno: Int32) -> SocketError {
    switch errno {
    case EADDRINUSE:
      SocketError(
        .addressInUse, trying: "listen at “\(path)”", errno: errno,
        cure: "another process listens there, or the file is no socket")
    case ENOENT, ENOTDIR:
      SocketError(.notFound, trying: "listen at “\(path)”", errno: errno, cure: "create the folder first")
    default: Self.path(path, trying: "listen at “\(path)”", errno: errno)
    }
  }

  static func creatingFolder(_ path: String, errno: Int32) -> SocketError {
    Self.path(path, trying: "create the folder “\(path)”", errno: errno)
  }

  private static func path(_ path: String, trying action: String, errno: Int32) -> SocketError {
    guard errno == ENAMETOOLONG else { return SocketError(trying: action, errno: errno) }
    return SocketError(
      .pathTooLong, trying: action, errno: errno,
      cure: "a socket's path has at most 107 bytes; choose a shorter folder")
  }
}
