import CurlHTTP
import Foundation
import HostPrimitives
import InformSink
import MeterCore
import StrictJSON

/// What goes into the Authorization field.
struct RequestToken: Hashable {
  /// `Bearer` or `Basic`.
  let scheme: String
  /// What follows.
  let token: AccessToken
  /// Whether another one can be had.
  let isRenewable: Bool

  var field: String { "\(scheme) \(token.secret)" }
}

/// Gets tokens and keeps them as long as they are good: one is asked for at a time, whoever waits for it.
actor TokenSource {
  private struct Issued {
    let secret: AccessToken?
    let token: AccessToken
    let renewal: HostInstant
  }

  private let setting: FHIRSinkSetting
  private let endpoint: TokenEndpoint
  private let clock: any HostClock
  private var issued: Issued?
  private var asking: (number: Int, secret: AccessToken?, task: Task<Result<TokenAnswer, TokenFailure>, Never>)?
  private var count = 0

  init(_ setting: FHIRSinkSetting, transport: any HTTPTransport, clock: any HostClock) {
    self.setting = setting
    endpoint = TokenEndpoint(setting: setting, transport: transport, clock: clock)
    self.clock = clock
  }

  /// What goes into the next request; nil where nothing does.
  ///
  /// - Parameter secret: The sink's credential.
  func token(_ secret: AccessToken?) async throws(TokenFailure) -> RequestToken? {
    switch setting.authorization {
    case .none: return nil
    case .bearer: return RequestToken(scheme: "Bearer", token: try Self.known(secret), isRenewable: false)
    case .basic:
      let text = Data(try Self.known(secret).secret.utf8).base64EncodedString()
      return RequestToken(scheme: "Basic", token: AccessToken(text), isRenewable: false)
    case .clientCredentials, .smartBackend:
      if let issued, issued.secret == secret, clock.now < issued.renewal { return Self.request(issued.token) }
      return Self.request(try await ask(secret))
    }
  }

  /// Another token than one that the server has refused.
  func token(_ secret: AccessToken?, after refused: RequestToken) async throws(TokenFailure) -> RequestToken? {
    if issued?.token == refused.token { issued = nil }
    return try await token(secret)
  }

  private static func request(_ token: AccessToken) -> RequestToken {
    RequestToken(scheme: "Bearer", token: token, isRenewable: true)
  }

  private static func known(_ secret: AccessToken?) throws(TokenFailure) -> AccessToken {
    guard let secret else {
      throw TokenFailure(.retry(after: nil), "the server wants a token, and none is kept for it")
    }
    return secret
  }

  private func ask(_ secret: AccessToken?) async throws(TokenFailure) -> AccessToken {
    if let asking, asking.secret == secret { return try await asking.task.value.get().token }
    count += 1
    let number = count
    let task = Task { [endpoint] in await endpoint.ask(secret) }
    asking = (number, secret, task)
    let result = await task.value
    if asking?.number == number { asking = nil }
    let answer = try result.get()
    // Renewed before it ends: a request that is on its way then must not meet its end.
    let early = min(.seconds(30), answer.lifetime / 4)
    issued = Issued(secret: secret, token: answer.token, renewal: clock.now + (answer.lifetime - early))
    return answer.token
  }
}
