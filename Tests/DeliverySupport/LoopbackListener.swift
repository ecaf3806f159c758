import Foundation
import Glibc

/// A socket that listens at a free port of this machine.
///
/// - Parameter backlog: How many connections may wait; nil for a port at which nobody listens, and which nobody else gets meanwhile.
package func listenAtLoopback(backlog: Int32?) throws -> (descriptor: Int32, port: UInt16) {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
    }
  }
  guard isBound, backlog.map({ listen(descriptor, $0) == 0 }) ?? true else { throw POSIXError(.EADDRNOTAVAIL) }
  return (descriptor, UInt16(bigEndian: address.sin_port))
}
