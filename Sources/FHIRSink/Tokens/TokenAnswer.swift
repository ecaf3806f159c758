import CurlHTTP
import HostPrimitives
import MeterCore
import StrictJSON

/// What a token endpoint answers (RFC 6749 sections 5.1 and 5.2).
struct TokenAnswer {
  /// The token.
  let token: AccessToken
  /// How long it is good for.
  let lifetime: Duration

  /// Of an answer that does not say it.
  static let defaultLifetime: Duration = .seconds(300)
  private static let longest = 16_384
  /// An assertion that is of another time is refused as its client is.
  private static let toleratedSkew = 60

  /// - Parameter skew: How far the endpoint's clock is ahead of this machine's, in seconds.
  init(_ response: HTTPResponse, clockSkewSeconds skew: Int?) throws(TokenFailure) {
    let root = (try? JSONDocument(response.body, rules: JSONRules(size: 1 << 20, depth: 16)).root)
    guard response.status == 200 else { throw Self.failure(response, root, skew) }
    guard let root, root.kind == .object, let token = root.member("access_token")?.asString,
      root.member("token_type")?.asString?.lowercased() == "bearer", (1...Self.longest).contains(token.utf8.count),
      token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw TokenFailure(
        .retry(after: nil), "the token endpoint answers with something else than a bearer token", clockSkewSeconds: skew
      )
    }
    self.token = AccessToken(token)
    let seconds = root.member("expires_in").flatMap { $0.numeral ?? $0.asString }.flatMap { Int($0) }
    lifetime = seconds.map { .seconds(min(max($0, 1), 86_400)) } ?? Self.defaultLifetime
  }

  /// Who asks is what these refuse.
  private static let ofClient: Set<String> = [
    "invalid_client", "unauthorized_client", "invalid_grant", "access_denied",
  ]
  private static let known = ofClient.union(["invalid_request", "unsupported_grant_type", "invalid_scope"])

  private static func failure(_ response: HTTPResponse, _ root: JSONElement?, _ skew: Int?) -> TokenFailure {
    let asked = RetryAfter.seconds(response).map { Duration.seconds($0) }
    guard [400, 401, 403].contains(response.status), let word = root?.member("error")?.asString, known.contains(word)
    else {
      return TokenFailure(
        .retry(after: asked), "the token endpoint answers with HTTP \(response.status) and no token",
        clockSkewSeconds: skew)
    }
    // Its own words stay there: they may repeat what it was sent.
    let text = "the token endpoint refuses: \(word) (HTTP \(response.status))"
    if let skew, abs(skew) > toleratedSkew {
      return TokenFailure(
        .retry(after: nil), "\(text); its clock is \(abs(skew)) s \(skew > 0 ? "ahead of" : "behind") this machine's",
        clockSkewSeconds: skew)
    }
    return TokenFailure(ofClient.contains(word) ? .refused : .retry(after: asked), text, clockSkewSeconds: skew)
  }
}
