import Foundation
import Glibc

/// A port that takes one connection, keeps the first bytes that come over it, and hangs up.
package final class HelloListener: Sendable {
  private let descriptor: Int32
  private let bytes: AsyncStream<[UInt8]>
  package let port: UInt16

  package init() throws {
    let (descriptor, port) = try listenAtLoopback(backlog: 1)
    (self.descriptor, self.port) = (descriptor, port)
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
  package func hello() async -> [UInt8] {
    for await first in bytes { return first }
    return []
  }
}
