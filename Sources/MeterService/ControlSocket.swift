import CLinux
import Foundation
import GatewayAPI

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

  /// A socket for a connection to the service, or -1.
  static func openStream() -> Int32 { clinux_open_stream() }

  /// Whether another user than this process's has the other end of a connection, or nobody can say whose it is: they would get
  /// what the command says, tokens and readings, and could answer whatever they like.
  static func isForeign(_ connection: Int32) -> Bool {
    var user: UInt32 = 0
    return clinux_stream_peer(connection, &user) != 0 || user != geteuid()
  }

  /// The path, as long as this value lives.
  var path: String { "/proc/self/fd/\(folder)/\(Self.fileName)" }
}
