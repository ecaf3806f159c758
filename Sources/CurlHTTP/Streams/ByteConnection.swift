/// A connection that carries bytes both ways.
///
/// ```swift
/// let dialer = CurlDialer(settings: CurlTransport.Settings())
/// let connection = try await dialer.connect(ByteConnectionAddress(host: "broker.example", port: 8883, isEncrypted: true))
/// try await connection.send(request)
/// while case let bytes = try await connection.receive(), !bytes.isEmpty { decoder.append(bytes) }
/// connection.close()
/// ```
package protocol ByteConnection: Sendable {
  /// Sends all bytes in order. Calls that overlap are served one after the other, in the order in which they came.
  ///
  /// Returns when the system has taken the last byte, which says nothing of the other end. A call that is cancelled after its first byte
  /// went out closes the connection: the rest of it would be missing in the stream. After a failure what the other end has sent before can
  /// still be received.
  func send(_ bytes: [UInt8]) async throws(ByteConnectionError)
  /// Waits for bytes and returns what has come, at most 64 KiB; empty when the other end has closed. Nothing is read from the network
  /// while nobody calls this. A call that is cancelled takes no bytes, and the connection stays as it is.
  func receive() async throws(ByteConnectionError) -> [UInt8]
  /// Ends the connection: calls that wait throw ``ByteConnectionError/Code/closed``. May be called from any task, and more than once.
  func close()
}

/// Where a connection goes.
package struct ByteConnectionAddress: Sendable, Hashable {
  /// A name, an IPv4 address or an IPv6 address without brackets.
  package var host: String
  package var port: Int
  /// Whether the connection is TLS from its first byte. Without it, another end on this machine must be of a user that
  /// ``CurlTransport/Settings/receiverUser`` allows.
  package var isEncrypted: Bool

  package init(host: String, port: Int, isEncrypted: Bool) {
    (self.host, self.port, self.isEncrypted) = (host, port, isEncrypted)
  }
}

/// Opens connections.
package protocol ByteDialer: Sendable {
  /// Opens a connection, TLS included.
  func connect(_ address: ByteConnectionAddress) async throws(ByteConnectionError) -> any ByteConnection
}

/// Why a connection cannot be opened or used.
package struct ByteConnectionError: Error, Sendable, Hashable {
  package enum Code: String, Sendable, Hashable, CaseIterable {
    /// The name was not found, or nobody listens.
    case unreachable
    /// No connection, or no progress on one, within the time limit.
    case timedOut = "timed_out"
    /// TLS was refused by either end.
    case tls
    /// The other end's certificate is not trusted, or the files of this one cannot be used.
    case certificate
    /// Another user of this machine has the port; nothing was sent.
    case foreignUser = "foreign_user"
    /// The connection has ended.
    case closed
    /// The caller gave up.
    case cancelled
    /// The address or an option cannot be used.
    case invalidAddress = "invalid_address"
    /// This machine lacks what is needed.
    case unavailable
  }

  package let code: Code
  /// What happened and what to do, in a line for people; no secret.
  package let text: String

  package init(_ code: Code, _ text: String) { (self.code, self.text) = (code, text) }
}
