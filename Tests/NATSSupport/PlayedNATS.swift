import DeliverySupport
import Foundation
import Glibc
package import NATSClient
import Synchronization

/// A server of NATS on a real socket that plays its part by a script, faults and all, and remembers what it was told.
///
/// It knows what our client needs of the protocol, and takes nothing that nats-server would not: a byte out of place ends the connection,
/// and stands in ``faults``.
package final class PlayedNATS: Sendable {
  /// A message of a client.
  package struct Published: Sendable {
    package let subject: String
    package let reply: String?
    package let headers: NATSHeaders
    package let payload: [UInt8]
    /// Which connection it came by, from 1.
    package let connection: Int
    /// How many messages came before it, on all connections.
    package let earlier: Int
  }

  /// What the server does.
  package enum Reaction: Sendable {
    /// A message to a subject, to whoever of this connection listens.
    case publish(String, String)
    /// A message with a status to a subject.
    case status(String, Int, String)
    /// `-ERR 'text'`.
    case error(String)
    /// Bytes as they are.
    case raw(String)
    /// The connection ends.
    case close
  }

  /// How it is and what it does.
  package struct Script: Sendable {
    /// Members of INFO beside the usual ones, such as `"tls_required":true`.
    package var info: [String] = []
    package var maxPayload = 1 << 20
    /// The key that it takes; nil for no question.
    package var key: NATSPublicKey?
    /// Subjects that may not be subscribed to, and what may not be published to.
    package var mayNotSubscribe: @Sendable (String) -> Bool = { _ in false }
    package var mayNotPublish: @Sendable (String) -> Bool = { _ in false }
    /// Whether bytes go out one at a time.
    package var isDripping = false
    /// Whether it says nothing at all.
    package var isSilent = false
    /// How many PINGs of a connection it answers.
    package var answeredPings = Int.max
    /// How many connections end before INFO.
    package var refusedConnections = 0
    /// What a message leads to.
    package var published: @Sendable (Published) -> [Reaction] = { _ in [] }

    package init() {}
  }

  static let nonce = "PXoWU7zWAMt75FY"

  struct State {
    var open: [Int: Int32] = [:]
    var isStopped = false
    var connections = 0
    var published: [Published] = []
    var subscriptions: [String] = []
    var connects: [String] = []
    var faults: [String] = []
  }

  let state = Mutex(State())
  let script: Script
  package let port: UInt16

  /// A server that listens from now on.
  package init(_ script: Script = Script()) throws {
    self.script = script
    let (descriptor, port) = try listenAtLoopback(backlog: 16)
    self.port = port
    let thread = Thread { [weak self] in
      while true {
        let socket = accept(descriptor, nil, nil)
        guard socket >= 0 else { break }
        guard let self, let number = self.begin(socket) else {
          _ = Glibc.close(socket)
          break
        }
        Thread { PlayedConnection(self, socket, number).serve() }.start()
      }
      _ = Glibc.close(descriptor)
    }
    thread.start()
  }

  /// Where it is.
  package var address: String { "nats://127.0.0.1:\(port)" }
  /// What clients have published so far.
  package var published: [Published] { state.withLock(\.published) }
  /// What they have subscribed to, on any connection.
  package var subscriptions: [String] { state.withLock(\.subscriptions) }
  /// What they have said of themselves, as JSON.
  package var connects: [String] { state.withLock(\.connects) }
  /// How many connections there were.
  package var connections: Int { state.withLock(\.connections) }
  /// What clients did that no client of NATS does.
  package var faults: [String] { state.withLock(\.faults) }

  /// Ends every connection; others may come.
  package func dropConnections() {
    state.withLock { state in for socket in state.open.values { shutdown(socket, Int32(SHUT_RDWR)) } }
  }

  /// Ends every connection, and takes no other.
  package func stop() {
    state.withLock { $0.isStopped = true }
    dropConnections()
    // What waits for a connection is woken by one.
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    _ = Glibc.close(socket)
  }

  private func begin(_ socket: Int32) -> Int? {
    state.withLock { state in
      guard !state.isStopped else { return nil }
      state.connections += 1
      state.open[state.connections] = socket
      return state.connections
    }
  }
}
