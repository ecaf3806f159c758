package import HostErrors

/// Why something could not be done over a connection to NATS.
package struct NATSError: HostError, Hashable {
  /// Stable names of the reasons.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    /// An address is none of a server.
    case address = "nats_address"
    /// A seed or key is none, or cannot be read.
    case key = "nats_key"
    /// No server can be reached.
    case unreachable = "nats_unreachable"
    /// The server's TLS was refused, or it wants TLS, or has none.
    case tls = "nats_tls"
    /// The server refuses the key.
    case authorization = "nats_authorization"
    /// The server knows the key, and does not let it publish or subscribe there.
    case permission = "nats_permission"
    /// Nobody listens to a subject, no stream either.
    case noResponders = "nats_no_responders"
    /// A message has more bytes than the server takes.
    case payload = "nats_payload"
    /// A subject or header is none that can be sent.
    case subject = "nats_subject"
    /// The connection broke before there was an answer.
    case disconnected = "nats_disconnected"
    /// No answer came in time.
    case timeout = "nats_timeout"
    /// The server sends what no server of NATS does, or lacks what is needed.
    case server = "nats_server"
    /// JetStream refuses it.
    case jetStream = "nats_jetstream"
    /// The caller gave up.
    case cancelled = "nats_cancelled"
  }

  /// The reason.
  package let code: Code
  /// What happened, for people; it repeats no secret.
  package let message: String
  /// What to do about it.
  package let hint: String?
  /// The server's or the system's own words.
  package let cause: String?

  /// An error.
  package init(_ code: Code, _ message: String, hint: String? = nil, cause: String? = nil) {
    (self.code, self.message, self.hint, self.cause) = (code, message, hint, cause)
  }

  /// What kind of failure it is.
  package var kind: HostErrorKind {
    switch code {
    case .address, .key, .subject: .usage
    case .unreachable, .tls, .authorization, .permission, .server: .unavailable
    case .noResponders, .disconnected, .timeout: .temporary
    case .payload, .jetStream: .failed
    case .cancelled: .cancelled
    }
  }
}

extension NATSError {
  static let closed = NATSError(.cancelled, "the connection to NATS was closed")
  static let gaveUp = NATSError(.cancelled, "the caller gave up")

  static func protocolBroken(_ what: String) -> NATSError {
    NATSError(
      .server, "what answers at the server's address does not speak NATS: \(what)", hint: "check host and port")
  }

  static func refused(_ words: String) -> NATSError {
    NATSError(
      .authorization, "the server of NATS refuses this gateway's key",
      hint: "check that its public key is in the server's configuration, and that the server has read it", cause: words)
  }

  static func mayNotPublish(_ subject: String) -> NATSError {
    NATSError(
      .permission, "the server of NATS does not let this key publish to \(subject.oneLineOfServer)",
      hint: "check organisation and gateway, and the permissions of the key at the server")
  }

  package static func mayNotSubscribe(_ subject: String) -> NATSError {
    NATSError(
      .permission, "the server of NATS does not let this key subscribe to \(subject.oneLineOfServer)",
      hint: "check organisation and gateway, and the permissions of the key at the server")
  }

  static let silent = NATSError(.disconnected, "the server of NATS has not answered for too long")
  static let ended = NATSError(.disconnected, "the server of NATS has closed the connection")

  static let timeout = NATSError(
    .timeout, "no answer came from NATS in time", hint: "check that the server and its streams are well")

  static func tooLong(_ count: Int, limit: Int) -> NATSError {
    NATSError(
      .payload, "a message of \(count) bytes is more than the server of NATS takes (\(limit))",
      hint: "raise max_payload at the server")
  }
}
