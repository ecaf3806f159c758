internal import Foundation

/// Where a receiver listens.
public struct ReceiverEndpoint: Sendable, Hashable {
  /// The base URL without a slash at its end.
  public let base: String

  /// A base URL that cannot be used.
  public struct InvalidURL: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and what to do.
    public let message: String
    /// The message.
    public var description: String { message }
  }

  /// An endpoint from a base URL such as `https://receiver.example`.
  ///
  /// Plain `http` is taken for this machine only (`localhost`, `127.0.0.1`, `[::1]`): anywhere else it would show token
  /// and health data to the network.
  ///
  /// - Parameter allowsPlainHTTP: Takes plain `http` everywhere, for a network that protects itself.
  public init(_ url: String, allowsPlainHTTP: Bool = false) throws(InvalidURL) {
    guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(), let host = parts.host,
      !host.isEmpty, parts.query == nil, parts.fragment == nil, parts.user == nil, parts.password == nil
    else {
      throw InvalidURL(
        message: "the receiver's address is no URL of the form https://HOST[:PORT][/PATH] without user or query.")
    }
    let isLocal = ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host.lowercased())
    guard scheme == "https" || (scheme == "http" && (isLocal || allowsPlainHTTP)) else {
      throw InvalidURL(
        message: "the receiver's address must start with https://; plain http is for receivers on this machine.")
    }
    var base = url
    while base.hasSuffix("/") { base.removeLast() }
    self.base = base
  }

  /// Where records of a type are posted (Inform v2).
  public func data(_ type: RecordType) -> String { base + "/connect/provider/data/" + type.informCollection }
  /// Where a token is validated: our own call, documented beside Inform's.
  public var user: String { base + "/connect/provider/user" }

  func request(_ method: String, _ url: String, token: AccessToken, body: [UInt8]? = nil) -> HTTPRequest {
    var headers = [("Authorization", "Bearer \(token.secret)"), ("Accept", "application/json")]
    if body != nil { headers.append(("Content-Type", "application/json")) }
    return HTTPRequest(method: method, url: url, headers: headers, body: body)
  }
}
