import Foundation
import Glibc

/// A port that takes one connection, keeps the first bytes that come over it, and hangs up.
final class HelloListener: Sendable {
  private let descriptor: Int32
  private let bytes: AsyncStream<[UInt8]>
  let port: UInt16

  init() throws {
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
    guard isBound, listen(descriptor, 1) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    self.descriptor = descriptor
    port = UInt16(bigEndian: address.sin_port)
    let (stream, bytes) = AsyncStream.makeStream(of: [UInt8].self)
    self.bytes = stream
    Thread {
      var buffer = [UInt8](repeating: 0, count: 16_384)
      let connection = accept(descriptor, nil, nil)
      let count = connection < 0 ? 0 : recv(connection, &buffer, buffer.count, 0)
      if connection >= 0 { close(connection) }
      bytes.yield(Array(buffer.prefix(max(0, count))))
      bytes.finish()
    }.start()
  }

  deinit { close(descriptor) }

  /// What came first.
  func hello() async -> [UInt8] {
    for await first in bytes { return first }
    return []
  }
}
