public import HostErrors

/// A request to a receiver.
public struct HTTPRequest: Sendable {
  /// `GET`, `POST` ...
  public var method: String
  /// The absolute URL.
  public var url: String
  /// Header fields; values hold no line breaks.
  public var headers: [(name: String, value: String)]
  /// The body; nil sends none.
  public var body: [UInt8]?

  /// A request from its parts.
  public init(method: String, url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// A receiver's whole answer.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: Int
  /// Header fields in their order.
  public var headers: [(name: String, value: String)]
  /// The bytes that the receiver has sent behind its header fields; empty where there are none.
  public var body: [UInt8]

  /// A response from its parts.
  public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The first value of a header field, whatever its case.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// Why there is no answer.
public struct TransportError: HostError, Hashable {
  /// Stable names of the reasons.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The name was not found or the connection refused.
    case unreachable
    /// The certificate or the handshake was refused.
    case tls
    /// No answer in time.
    case timeout
    /// The connection broke.
    case interrupted
    /// The answer is larger than allowed.
    case responseTooLarge = "response_too_large"
    /// Something else than a receiver has answered, such as a login page of the network.
    case foreignAnswer = "foreign_answer"
    /// Another user of this machine than the receiver's has its port or socket; nothing was sent.
    case foreignUser = "foreign_user"
    /// The URL or a header cannot be sent.
    case invalidRequest = "invalid_request"
    /// The caller gave up.
    case cancelled
    /// This machine lacks what sending needs.
    case unavailable
  }

  /// The reason.
  public let code: Code
  /// What happened and what to do; no URL, token or body.
  public let message: String

  /// An error from its parts.
  public init(_ code: Code, _ message: String) {
    (self.code, self.message) = (code, message)
  }

  /// Code and message in one line.
  public var description: String { "\(code.rawValue): \(message)" }

  /// Decides the exit status.
  public var kind: HostErrorKind {
    switch code {
    case .cancelled: .cancelled
    case .invalidRequest: .usage
    case .unavailable: .unavailable
    default: .temporary
    }
  }
}

/// The edge of the machine towards receivers.
public protocol HTTPTransport: Sendable {
  /// Sends a request and waits for the whole answer. Redirects are answers like any other.
  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}
