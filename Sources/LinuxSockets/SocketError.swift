internal import CLinux

/// Why a packet socket could not do what was asked.
public struct SocketError: Error, Hashable, Sendable {
  /// The kinds of failure.
  public enum Code: String, Hashable, Sendable {
    /// The system call failed; see ``SocketError/errno``.
    case system
    /// Nobody listens at the path, or there is no such socket.
    case notFound = "not_found"
    /// Somebody else listens at the path already.
    case addressInUse = "address_in_use"
    /// The path does not fit `sun_path`.
    case pathTooLong = "path_too_long"
    /// The packet is empty or longer than ``PacketSocket/maximumPacketLength``.
    case packetLength = "packet_length"
    /// The peer has closed the connection, or this end was closed.
    case closed
  }

  /// What went wrong, for programs.
  public let code: Code
  /// What went wrong and what to do, for people.
  public let message: String
  /// The error number of the system call; 0 if none failed.
  public let errno: Int32

  /// The symbolic name of ``errno``, such as `ECONNREFUSED`; nil if no system call failed.
  public var errnoName: String? {
    guard errno != 0 else { return nil }
    return Self.name(of: errno)
  }

  /// The symbolic name of an error number, such as `ECONNREFUSED`.
  package static func name(of errno: Int32) -> String {
    mh_socket_errno_name(errno).map { String(cString: $0) } ?? "errno \(errno)"
  }

  init(_ code: Code, message: String, errno: Int32 = 0) {
    self.code = code
    self.errno = errno
    self.message = message
  }

  /// An error of a system call, named by what was tried.
  init(_ code: Code = .system, trying action: String, errno: Int32, cure: String? = nil) {
    let name = Self.name(of: errno)
    self.init(code, message: "cannot \(action): \(name)\(cure.map { "; \($0)" } ?? "")", errno: errno)
  }

  static let closedHere = SocketError(.closed, message: "the connection is closed")
}

extension SocketError: CustomStringConvertible {
  /// What was tried and what came of it, for people.
  public var description: String { message }
}
