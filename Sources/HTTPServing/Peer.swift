import CLinux
import Glibc
import NIOCore

/// Who is at the other end of a connection, as far as limits go.
enum Peer: Sendable, Hashable {
  /// A user of this machine: of a Unix socket always, of a loopback address where the kernel tells.
  case user(UInt32)
  /// An address of IPv4, or the first half of one of IPv6, of which a client has as many as it likes.
  case network([UInt8])
  /// The kernel does not tell.
  case unknown

  /// The client of a channel; for the channel's event loop.
  static func of(_ channel: any Channel) -> EventLoopFuture<Peer> {
    if case .unixDomainSocket? = channel.localAddress, let options = channel as? any SocketOptionProvider {
      return user(options).flatMapErrorThrowing { _ in .unknown }
    }
    return channel.eventLoop.makeSucceededFuture(Peer(channel.remoteAddress, own: channel.localAddress))
  }

  /// As SO_PEERCRED has them (unix(7)).
  private struct Credentials: Sendable {
    var process: Int32
    var user: UInt32
    var group: UInt32
  }

  private static func user(_ options: any SocketOptionProvider) -> EventLoopFuture<Peer> {
    options.unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
      .map { (credentials: Credentials) in .user(credentials.user) }
  }

  init(_ address: SocketAddress?, own: SocketAddress?) {
    guard let address, let bytes = address.bytes else {
      self = .unknown
      return
    }
    let isLoopback = bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
    if isLoopback, let user = Self.user(bytes, address.port, own) {
      self = .user(user)
    } else {
      self = .network(bytes.count == 4 ? bytes : Array(bytes.prefix(8)))
    }
  }

  private static func user(_ bytes: [UInt8], _ port: Int?, _ own: SocketAddress?) -> UInt32? {
    guard let own, let ownBytes = own.bytes, ownBytes.count == bytes.count, let port, let ownPort = own.port else {
      return nil
    }
    var found = clinux_tcp_socket()
    let result = clinux_find_tcp_socket(
      bytes.count == 4 ? AF_INET : AF_INET6, bytes, UInt16(truncatingIfNeeded: port), ownBytes,
      UInt16(truncatingIfNeeded: ownPort), &found)
    return result == 0 && found.inode != 0 && found.is_listener == 0 ? found.user : nil
  }
}

extension SocketAddress {
  /// The address without its port: 4 bytes, also of an IPv4 address that IPv6 has mapped, or 16.
  fileprivate var bytes: [UInt8]? {
    switch self {
    // Family and port stand in front, and with IPv6 what ip(7) calls the flow.
    case .v4(let address): return withUnsafeBytes(of: address.address) { Array($0[4..<8]) }
    case .v6(let address):
      let bytes = withUnsafeBytes(of: address.address) { Array($0[8..<24]) }
      let isMapped = bytes.prefix(12) == (Array(repeating: 0, count: 10) + [0xFF, 0xFF])[...]
      return isMapped ? Array(bytes.suffix(4)) : bytes
    case .unixDomainSocket: return nil
    }
  }
}
