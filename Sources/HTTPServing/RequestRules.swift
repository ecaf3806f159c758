import NIOCore
import NIOHTTP1

/// Why a request is refused, whatever it asks for: it cannot be understood, or does not arrive.
package struct RequestFault: Error, Sendable, Equatable {
  package let status: Int
  package let reason: String

  static let malformed = RequestFault(status: 400, reason: "The request is not valid HTTP/1.1")
  static let tooLongHead = RequestFault(status: 431, reason: "The header fields of the request are too long")
  static let tooSlow = RequestFault(status: 408, reason: "The request took too long to arrive")
  static let tooMany = RequestFault(
    status: 503, reason: "There are too many connections; close some, or try again later")

  /// Not 400: the request as it was meant may be right.
  static let brokenOff = RequestFault(status: 408, reason: "The request broke off")

  init(status: Int, reason: String) { (self.status, self.reason) = (status, reason) }

  init(_ error: HTTPParserError) {
    self =
      switch error {
      case .headerOverflow: .tooLongHead
      case .invalidEOFState, .closedConnection: .brokenOff
      default: .malformed
      }
  }

  /// What the reader of a body has met; nil when it is no fault of the request.
  package init?(_ error: any Error) {
    switch error {
    case let fault as RequestFault: self = fault
    case let error as HTTPParserError: self.init(error)
    case is IOError, is ChannelError: self = .brokenOff
    default: return nil
    }
  }
}

/// What a head must be like, beyond what the parser looks at, so that both sides agree where the request ends and whom it is
/// for (RFC 9112).
enum RequestRules {
  /// - Throws: ``RequestFault``.
  static func check(_ head: HTTPRequestHead) throws(RequestFault) -> ConnectionState.Exchange {
    guard head.version.major == 1 else {
      throw RequestFault(status: 505, reason: "Only HTTP/1.1 and HTTP/1.0 are spoken here")
    }
    let isOld = head.version.minor == 0
    let hosts = head.headers["Host"]
    guard hosts.count <= 1 else { throw RequestFault(status: 400, reason: "The request has more than one Host") }
    // Section 3.2.
    guard isOld || hosts.count == 1 else { throw RequestFault(status: 400, reason: "The request has no Host") }
    try checkLength(head, isOld: isOld)
    let expectations = head.headers["Expect"].map { $0.lowercased() }
    guard expectations.allSatisfy({ $0 == "100-continue" }) else {
      throw RequestFault(status: 417, reason: "No other expectation than 100-continue can be met")
    }
    let options = head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
    return ConnectionState.Exchange(
      isHead: head.method == .HEAD, closes: isOld || options.contains("close"),
      wantsContinue: !isOld && !expectations.isEmpty)
  }

  /// Sections 6.1 and 6.3: a length that is said twice, or in a way that is not understood, can end a request at two places.
  private static func checkLength(_ head: HTTPRequestHead, isOld: Bool) throws(RequestFault) {
    guard head.headers["Content-Length"].count <= 1 else {
      throw RequestFault(status: 400, reason: "The request has more than one Content-Length")
    }
    guard head.headers.contains(name: "Transfer-Encoding") else { return }
    guard !isOld, !head.headers.contains(name: "Content-Length") else {
      throw RequestFault(status: 400, reason: "Transfer-Encoding stands beside Content-Length, or in HTTP/1.0")
    }
    let codings = head.headers[canonicalForm: "Transfer-Encoding"].map { $0.lowercased() }
    guard codings == ["chunked"] else {
      throw RequestFault(status: 501, reason: "No other transfer coding than chunked is understood")
    }
  }
}

/// How the server itself answers what never reaches the application.
package struct RefusalForm: Sendable {
  let mediaType: String
  /// Fields that every answer has.
  let fields: [(name: String, value: String)]
  let body: @Sendable (_ status: Int, _ reason: String) -> [UInt8]

  /// - Parameter body: The body of an answer with this status and reason.
  package init(
    mediaType: String, fields: [(name: String, value: String)] = [],
    body: @escaping @Sendable (_ status: Int, _ reason: String) -> [UInt8]
  ) {
    (self.mediaType, self.fields, self.body) = (mediaType, fields, body)
  }

  /// The reason as a line of text.
  package static let text = RefusalForm(mediaType: "text/plain; charset=utf-8") { Array("\($1)\n".utf8) }
}
