package import NIOCore

/// What stands between the network and everything else of a server's connections: TLS.
///
/// The guards of a connection come behind it. They count what has been decrypted, so that a handshake which does not end is a connection
/// without a request, and goes when its time is up or another one needs the place. What goes out is counted as the network takes it.
package struct ConnectionEncryption: Sendable {
  /// Makes the handler of one connection, on its event loop.
  package let handler: @Sendable () -> any ChannelHandler

  /// - Parameter handler: Takes and gives the bytes of the network on one side, those of HTTP on the other.
  package init(_ handler: @escaping @Sendable () -> any ChannelHandler) { self.handler = handler }
}
