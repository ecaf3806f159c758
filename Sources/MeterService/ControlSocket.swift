import Foundation
import MeterGateway

/// Where the running service listens: a Unix socket in the state folder, which only the folder's user may enter.
///
/// A socket's address has 107 bytes of path (unix(7)), and state folders may have more. The path that is given to the
/// kernel therefore goes by the folder's descriptor.
final class ControlSocket: Sendable {
  static let fileName = "control.sock"
  /// What both sides speak; a service from before an update refuses the commands of after it.
  static let version = "1"

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

  /// The path, as long as this value lives.
  var path: String { "/proc/self/fd/\(folder)/\(Self.fileName)" }

  /// Removes what a service left that was killed. Only the owner of the folder may call it.
  func removeStale() { unlinkat(folder, Self.fileName, 0) }
}
