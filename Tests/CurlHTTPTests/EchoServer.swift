import DeliverySupport
import Foundation
import Glibc
import Synchronization

/// A TCP server that sends back what it gets, or nothing at all.
final class EchoServer: Sendable {
  enum Manner: Sendable {
    case echo
    /// Reads nothing.
    case deaf
    /// Sends bytes and closes.
    case farewell([UInt8])
  }

  let port: Int
  private let listener: Int32
  /// Told of each connection that has ended.
  let ends: AsyncStream<Void>
  private let opened = Mutex<Set<Int32>>([])

  init(_ manner: Manner = .echo) throws {
    let (descriptor, port) = try listenAtLoopback(backlog: 64)
    (listener, self.port) = (descriptor, Int(port))
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    self.ends = ends
    Thread { [weak self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { break }
        guard let self else {
          Glibc.close(connection)
          break
        }
        self.opened.withLock { _ = $0.insert(connection) }
        Thread { [weak self] in
          Self.serve(connection, manner)
          if let self { self.close(connection) } else { Glibc.close(connection) }
          end.yield()
        }.start()
      }
      Glibc.close(descriptor)
    }.start()
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    opened.withLock { for connection in $0 { shutdown(connection, Int32(SHUT_RDWR)) } }
  }

  private func close(_ connection: Int32) {
    opened.withLock { opened in
      opened.remove(connection)
      Glibc.close(connection)
    }
  }

  private static func serve(_ connection: Int32, _ manner: Manner) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    switch manner {
    case .deaf:
      // Only the end of the connection is an event.
      var wish = pollfd(fd: connection, events: 0, revents: 0)
      while poll(&wish, 1, -1) <= 0 {}
    case .farewell(let bytes): _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    case .echo:
      while true {
        let count = recv(connection, &buffer, buffer.count, 0)
        guard count > 0 else { return }
        var sent = 0
        while sent < count {
          let next = buffer.withUnsafeBytes {
            send(connection, $0.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
          }
          guard next > 0 else { return }
          sent += next
        }
      }
    }
  }
}
