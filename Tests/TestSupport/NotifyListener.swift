import Foundation
import Glibc

/// Stands for systemd: hears what a service says.
public final class NotifyListener: Sendable {
  /// As it stands in `NOTIFY_SOCKET`.
  public let address: String
  private let socket: Int32

  /// - Parameter address: A path, or a name in the abstract namespace behind `@`.
  public init(_ address: String) throws {
    self.address = address
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let isAbstract = address.hasPrefix("@")
    let path = isAbstract ? [0] + Array(address.utf8.dropFirst()) : Array(address.utf8) + [0]
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: name.sun_path) + path.count)
    let status = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
    }
    guard socket >= 0, status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
  }

  deinit { close(socket) }

  /// The next datagram, as soon as it is there.
  public func next() async throws -> String {
    try await onOwnThread { [socket] in
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = recv(socket, &bytes, bytes.count, 0)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }

  /// A datagram that is there; nil when there is none.
  public func waiting() -> String? {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
