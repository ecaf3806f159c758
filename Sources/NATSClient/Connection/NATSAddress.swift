package import CurlHTTP
import HostPrimitives

/// Where a server of NATS listens, as people write it: `tls://HOST[:PORT]`, or on this machine also `nats://HOST[:PORT]`.
package struct NATSAddress: Sendable, Hashable, CustomStringConvertible {
  /// The host; an IPv6 address in brackets.
  package let host: String
  /// The port; 4222 where none is written.
  package let port: Int
  /// Whether TLS begins with the first byte.
  package let isEncrypted: Bool

  /// The port that servers listen at by themselves.
  package static let usualPort = 4222

  init(host: String, port: Int, isEncrypted: Bool) {
    (self.host, self.port, self.isEncrypted) = (host, port, isEncrypted)
  }

  /// An address from its text.
  ///
  /// Without TLS it is taken for this machine only (`localhost`, `127.0.0.1`, `[::1]`): anywhere else it would show health data to the
  /// network.
  ///
  /// - Throws: ``NATSError`` with code `nats_address`.
  package init(_ text: String) throws(NATSError) {
    let parts: WebAddress
    do { parts = try WebAddress(text) } catch {
      throw NATSError(.address, "the address of a server of NATS \(error.problem)", hint: Self.form)
    }
    guard ["nats", "tls"].contains(parts.scheme), parts.path.isEmpty || parts.path == "/" else {
      throw NATSError(.address, "the address of a server of NATS is none", hint: Self.form)
    }
    let isEncrypted = parts.scheme == "tls"
    guard isEncrypted || Self.isHere(parts.host) else {
      throw NATSError(
        .address, "a server of NATS on another machine must be reached by tls://",
        hint: "the server needs `tls { handshake_first: true }`; nats:// is for servers on this machine")
    }
    self.init(host: parts.host, port: parts.port ?? Self.usualPort, isEncrypted: isEncrypted)
  }

  /// Whether a host is this machine.
  private static func isHere(_ host: String) -> Bool {
    ["localhost", "127.0.0.1", "[::1]"].contains(host.lowercased())
  }

  private static let form = "write it like tls://nats.example:4222"

  /// The address of another server of the cluster, as HOST:PORT; nil for what is none, and for one that may not be reached without TLS.
  ///
  /// - Parameter isEncrypted: As of the server that names it: none leads to one without TLS.
  package init?(learnt text: String, isEncrypted: Bool) {
    guard let parts = try? WebAddress("nats://\(text)"), parts.path.isEmpty, let port = parts.port,
      isEncrypted || Self.isHere(parts.host)
    else { return nil }
    self.init(host: parts.host, port: port, isEncrypted: isEncrypted)
  }

  /// As people write it.
  package var description: String { "\(isEncrypted ? "tls" : "nats")://\(host):\(port)" }

  /// Where a dialer connects to.
  package var target: ByteConnectionAddress {
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    return ByteConnectionAddress(host: name, port: port, isEncrypted: isEncrypted)
  }
}
