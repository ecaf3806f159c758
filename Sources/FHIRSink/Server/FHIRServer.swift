import CurlHTTP
import HostPrimitives
import MeterCore

/// Sends requests to one FHIR server, each with a token that is good.
struct FHIRServer: Sendable {
  /// The base URL without a slash at its end.
  let address: String
  let transport: any HTTPTransport
  let tokens: TokenSource
  let clock: any HostClock

  /// What came of a request.
  enum Outcome {
    /// The server, or something in front of it, answered.
    case answered(HTTPResponse)
    /// There was no answer.
    case failed(TransportError)
    /// There is no token to ask with.
    case withoutToken(TokenFailure)
  }

  /// A request and what came of it.
  struct Exchange {
    let outcome: Outcome
    /// What the request held that nobody may see.
    let secrets: [AccessToken]
    /// How far the server's clock is ahead of this machine's, in seconds.
    let clockSkewSeconds: Int?
  }

  private static let mediaType = "application/fhir+json"

  /// Sends a request. A server that does not take a fetched token is asked once more, with a new one.
  ///
  /// - Parameters:
  ///   - path: What stands behind the server's address; with a slash before it, or empty.
  ///   - secret: The sink's credential.
  func send(_ method: String, _ path: String, body: [UInt8]? = nil, secret: AccessToken?) async -> Exchange {
    var token: RequestToken?
    do { token = try await tokens.token(secret) } catch { return without(error, secret) }
    var response = await answer(method, path, body, token)
    if case .success(let first) = response, first.status == 401, let refused = token, refused.isRenewable {
      do { token = try await tokens.token(secret, after: refused) } catch { return without(error, secret) }
      response = await answer(method, path, body, token)
    }
    let secrets = [secret, token?.token].compactMap(\.self)
    switch response {
    case .success(let response):
      return Exchange(
        outcome: .answered(response), secrets: secrets, clockSkewSeconds: response.clockSkewSeconds(clock))
    case .failure(let error): return Exchange(outcome: .failed(error), secrets: secrets, clockSkewSeconds: nil)
    }
  }

  private func without(_ failure: TokenFailure, _ secret: AccessToken?) -> Exchange {
    Exchange(
      outcome: .withoutToken(failure), secrets: [secret].compactMap(\.self), clockSkewSeconds: failure.clockSkewSeconds)
  }

  private func answer(
    _ method: String, _ path: String, _ body: [UInt8]?, _ token: RequestToken?
  ) async -> Result<HTTPResponse, TransportError> {
    var headers = [("Accept", Self.mediaType)]
    if let token { headers.insert(("Authorization", token.field), at: 0) }
    if body != nil {
      headers.append(("Content-Type", Self.mediaType))
      // Nothing of what is stored is needed here, and all of it is somebody's.
      headers.append(("Prefer", "return=minimal"))
    }
    let request = HTTPRequest(method: method, url: address + path, headers: headers, body: body)
    do throws(TransportError) { return .success(try await transport.send(request)) } catch { return .failure(error) }
  }
}
