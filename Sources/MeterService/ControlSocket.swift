import CLinux
import Foundation
import GatewayAPI
import Glibc

/// Where the running service listens: a Unix socket in the state folder, which only the folder's user may enter, and to which only that
/// user may connect.
///
/// A socket's address has 107 bytes of path (unix(7)), and state folders may have more. The path that is given to the
/// kernel therefore goes by the folder's descriptor.
final class ControlSocket: Sendable {
  static let fileName = "control.sock"

  private let folder: Int32

  /// - Throws: ``GatewayError`` with code `control_socket` when the folder cannot be opened.
  init(stateFolder: URL) throws(GatewayError) {
    folder = open(stateFolder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else {
      throw GatewayError(
        .failed, code: "control_socket",
        "the state folder \(stateFolder.path) cannot be opened: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(folder) }

  /// A socket for a connection to the service, or below 0.
  static func openStream() -> Int32 { clinux_open_stream() }

  /// Nobody answers on the socket.
  struct Unreachable: Error {}

  /// A connection to the service, which whoever gets it closes. Waits while the service has more connections than it can take.
  ///
  /// - Throws: `Unreachable`; ``GatewayError`` with code `foreign_service`.
  func connect() throws -> Int32 {
    let connection = Self.openStream()
    guard connection >= 0 else { throw Unreachable() }
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: target) { target in
      target.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    do {
      guard result == 0 else { throw Unreachable() }
      guard !Self.isForeign(connection) else { throw Self.foreign }
      return connection
    } catch {
      close(connection)
      throw error
    }
  }

  private static var foreign: GatewayError {
    GatewayError(
      .failed, code: "foreign_service",
      "another user's program listens at \(fileName) of the state folder, or it cannot be told whose it is: nothing was sent",
      hint: "run the command as the user whose service it is, or look who can write the state folder")
  }

  /// Whether another user than this process's has the other end of a connection, or nobody can say whose it is: they would get
  /// what the command says, tokens and readings, and could answer whatever they like.
  private static func isForeign(_ connection: Int32) -> Bool {
    var user: UInt32 = 0
    return clinux_stream_peer(connection, &user) != 0 || user != geteuid()
  }

  /// The path, as long as this value lives.
  var path: String { "/proc/self/fd/\(folder)/\(Self.fileName)" }
}
