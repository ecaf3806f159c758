/// What a receiver says of an access token before anything depends on it.
public enum TokenVerdict: Sendable, Hashable {
  /// The receiver knows the token.
  case accepted
  /// The receiver refuses the token (401).
  case refused
  /// The receiver is out of reach or does not say; the reason is for people.
  case unknown(reason: String)
}

extension ReceiverEndpoint {
  /// Asks the receiver about a token. Nothing is stored, so that a mistyped token costs nobody their session.
  public func verdict(on token: AccessToken, transport: any HTTPTransport) async -> TokenVerdict {
    do {
      let answer = try await transport.send(request("GET", user, token: token))
      switch answer.status {
      case 200..<300: return .accepted
      case 401: return .refused
      default: return .unknown(reason: "the receiver answers with status \(answer.status)")
      }
    } catch {
      return .unknown(reason: error.message)
    }
  }
}
