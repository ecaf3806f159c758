internal import CLinux
internal import Glibc
import HostPrimitives

/// Both ends of a TCP connection as addresses: 4 bytes of IPv4, 16 of IPv6.
package struct LocalConnection: Sendable, Hashable {
  package struct End: Sendable, Hashable {
    let address: [UInt8]
    let port: UInt16

    init(address: [UInt8], port: UInt16) { (self.address, self.port) = (address, port) }

    /// An end from an address as text; nil when it is none.
    init?(_ text: String, port: Int32) {
      guard let port = UInt16(exactly: port) else { return nil }
      // A link-local address may name its interface.
      let bare = String(text.prefix { $0 != "%" })
      var bytes = [UInt8](repeating: 0, count: 16)
      if inet_pton(AF_INET, bare, &bytes) == 1 {
        self.init(address: Array(bytes.prefix(4)), port: port)
      } else if inet_pton(AF_INET6, bare, &bytes) == 1 {
        self.init(address: Self.unmapped(bytes), port: port)
      } else {
        return nil
      }
    }

    /// IPv4 within IPv6 (`::ffff:127.0.0.1`) is IPv4.
    static func unmapped(_ bytes: [UInt8]) -> [UInt8] {
      let prefix: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
      return bytes.count == 16 && bytes.starts(with: prefix) ? Array(bytes.suffix(4)) : bytes
    }

    var isLoopback: Bool {
      address.count == 4 ? address[0] == 127 : address == [UInt8](repeating: 0, count: 15) + [1]
    }
    var isUnspecified: Bool { address.allSatisfy { $0 == 0 } }
  }

  package let here: End
  package let receiver: End

  /// Whether both ends are this machine's: whose the other one is can be known.
  package var isWithinThisMachine: Bool { receiver.isLoopback || receiver.address == here.address }

  /// Whose process has the receiver's end: who has accepted it, or, as long as nobody has, who listens.
  ///
  /// The kernel tells every user, by sock_diag(7) of one socket, or, where that is shut, in the tables of all sockets.
  package func owner() -> LocalPeerOwner {
    owner(asking: LocalConnection.ask)
      ?? LocalPeerOwner(
        SocketTable.read("/proc/net/tcp") + SocketTable.read("/proc/net/tcp6"), of: self)
  }

  /// Nil when the kernel does not answer such questions.
  private func owner(asking ask: (End, End) -> Result<clinux_tcp_socket, SilentKernel>) -> LocalPeerOwner? {
    // A socket without an inode is no process's: its user says nothing, and older kernels call it root's.
    if case .success(let socket) = ask(receiver, here), socket.inode != 0 {
      return .user(socket.user)
    }
    let nowhere = End(address: [UInt8](repeating: 0, count: receiver.address.count), port: 0)
    guard case .success(let listener) = ask(receiver, nowhere), listener.is_listener != 0, listener.inode != 0 else {
      return nil
    }
    return .user(listener.user)
  }

  private struct SilentKernel: Error {}

  private static func ask(_ own: End, _ other: End) -> Result<clinux_tcp_socket, SilentKernel> {
    guard own.address.count == other.address.count else { return .failure(SilentKernel()) }
    var found = clinux_tcp_socket()
    let family = own.address.count == 4 ? AF_INET : AF_INET6
    let result = clinux_find_tcp_socket(family, own.address, own.port, other.address, other.port, &found)
    return result == 0 ? .success(found) : .failure(SilentKernel())
  }
}

/// Whose the other end of a connection is.
package enum LocalPeerOwner: Sendable, Hashable {
  case user(UInt32)
  /// This machine does not say.
  case unknown

  /// What tables of sockets say: the connection's other end, if a process has it; else every listener that may be given it.
  package init(_ sockets: [SocketTable.Entry], of connection: LocalConnection) {
    let accepted = sockets.first {
      $0.inode != 0 && !$0.isListener && $0.own == connection.receiver && $0.other == connection.here
    }
    if let accepted {
      self = .user(accepted.user)
      return
    }
    let listeners = sockets.filter {
      $0.inode != 0 && $0.isListener && $0.own.port == connection.receiver.port
        && ($0.own.address == connection.receiver.address || $0.own.isUnspecified)
    }
    let users = Set(listeners.map(\.user))
    if let user = users.first, users.count == 1 { self = .user(user) } else { self = .unknown }
  }
}

/// The kernel's tables of TCP sockets, `/proc/net/tcp` and `/proc/net/tcp6` (proc(5)).
package enum SocketTable {
  /// A socket.
  package struct Entry: Sendable, Hashable {
    let own: LocalConnection.End
    let other: LocalConnection.End
    let isListener: Bool
    let user: UInt32
    let inode: UInt64
  }

  /// The entries of a file; none when it cannot be read.
  package static func read(_ path: String) -> [Entry] {
    guard let file = fopen(path, "re") else { return [] }
    defer { fclose(file) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { break }
      text += chunk.prefix(count)
    }
    return entries(String(decoding: text, as: UTF8.self))
  }

  /// The entries of a table; lines that are none are passed.
  package static func entries(_ table: String) -> [Entry] {
    table.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count >= 10, let own = end(fields[1]), let other = end(fields[2]),
        let state = UInt8(fields[3], radix: 16), let user = UInt32(fields[7]), let inode = UInt64(fields[9])
      else { return nil }
      return Entry(own: own, other: other, isListener: state == 0x0A, user: user, inode: inode)
    }
  }

  /// `0100007F:1F90`: words of four bytes in the machine's order, and a port.
  private static func end(_ field: Substring) -> LocalConnection.End? {
    let parts = field.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let port = UInt16(parts[1], radix: 16), [8, 32].contains(parts[0].utf8.count) else {
      return nil
    }
    var bytes: [UInt8] = []
    var rest = parts[0]
    while !rest.isEmpty {
      guard let word = UInt32(rest.prefix(8), radix: 16) else { return nil }
      withUnsafeBytes(of: word) { bytes += $0 }
      rest = rest.dropFirst(8)
    }
    return LocalConnection.End(address: LocalConnection.End.unmapped(bytes), port: port)
  }
}
