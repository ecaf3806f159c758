import CurlHTTP
import Foundation
import HostPrimitives
import InformSink
import MeterCore
import StrictJSON

/// Asks a token endpoint for a token, by a secret or by what is signed.
struct TokenEndpoint: Sendable {
  let setting: FHIRSinkSetting
  let transport: any HTTPTransport
  let clock: any HostClock

  /// A new token.
  func ask(_ secret: AccessToken?) async -> Result<TokenAnswer, TokenFailure> {
    do throws(TokenFailure) { return .success(try await answer(secret)) } catch { return .failure(error) }
  }

  private func answer(_ secret: AccessToken?) async throws(TokenFailure) -> TokenAnswer {
    let address = try await self.address()
    let request = try self.request(address, secret)
    let response: HTTPResponse
    do { response = try await transport.send(request) } catch {
      throw TokenFailure(.retry(after: nil), "the token endpoint: \(error)")
    }
    return try TokenAnswer(response, clockSkewSeconds: response.clockSkewSeconds(clock))
  }

  // MARK: Where it is

  private func address() async throws(TokenFailure) -> String {
    if let named = setting.tokenEndpoint { return named }
    let url = setting.address + "/.well-known/smart-configuration"
    let response: HTTPResponse
    do {
      response = try await transport.send(
        HTTPRequest(method: "GET", url: url, headers: [("Accept", "application/json")]))
    } catch {
      throw TokenFailure(.retry(after: nil), "the server's .well-known/smart-configuration: \(error)")
    }
    guard response.status == 200,
      let root = try? JSONDocument(response.body, rules: JSONRules(size: 1 << 20, depth: 32)).root,
      let found = root.member("token_endpoint")?.asString
    else {
      throw TokenFailure(
        .retry(after: nil),
        "the server does not say where tokens are had (.well-known/smart-configuration, HTTP \(response.status)); "
          + "name the place with token_endpoint")
    }
    return try allowed(found)
  }

  /// What a server names is not trusted with a secret beyond the server itself; what is signed is good at that place only.
  private func allowed(_ found: String) throws(TokenFailure) -> String {
    guard (try? ReceiverEndpoint(found)) != nil else {
      throw TokenFailure(.retry(after: nil), "the server names a token endpoint that is no https address")
    }
    guard setting.authorization != .smartBackend else { return found }
    // Addresses that cannot be compared, such as those of sockets, are not the same.
    guard let here = try? WebAddress(setting.address), let there = try? WebAddress(found),
      here.host.lowercased() == there.host.lowercased()
    else {
      throw TokenFailure(
        .retry(after: nil),
        "the server names a token endpoint of another host, which is not sent the secret unasked; if it is right, name it "
          + "with token_endpoint")
    }
    return found
  }

  // MARK: What is asked

  private func request(_ address: String, _ secret: AccessToken?) throws(TokenFailure) -> HTTPRequest {
    var fields = [("grant_type", "client_credentials")]
    if let scopes = setting.scopes { fields.append(("scope", scopes)) }
    var headers = [("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded")]
    let clientID = setting.clientID ?? ""
    if setting.authorization == .smartBackend {
      fields.append(("client_assertion_type", ClientAssertion.type))
      fields.append(("client_assertion", try assertion(clientID, address)))
    } else {
      guard let secret else {
        throw TokenFailure(.retry(after: nil), "the token endpoint wants a client secret, and none is kept for it")
      }
      let pair = "\(FormText.encoded(clientID)):\(FormText.encoded(secret.secret))"
      headers.insert(("Authorization", "Basic \(Data(pair.utf8).base64EncodedString())"), at: 0)
    }
    let body = fields.map { "\($0.0)=\(FormText.encoded($0.1))" }.joined(separator: "&")
    return HTTPRequest(method: "POST", url: address, headers: headers, body: Array(body.utf8))
  }

  private func assertion(_ clientID: String, _ address: String) throws(TokenFailure) -> String {
    let key: SigningKey
    do { key = try SigningKey.read(setting.keyFile ?? "") } catch {
      throw TokenFailure(.retry(after: nil), error.message)
    }
    let assertion = ClientAssertion(
      clientID: clientID, keyID: setting.keyID ?? "", audience: address,
      expires: clock.unixMicroseconds / 1_000_000 + ClientAssertion.lifetime, name: RandomSecret.make())
    guard let signed = assertion.signed(by: key) else {
      throw TokenFailure(.retry(after: nil), "the key of the client does not sign")
    }
    return signed
  }
}

/// A text in `application/x-www-form-urlencoded`.
enum FormText {
  static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default: result += "%" + byte.hexadecimal(digits: 2, uppercase: true)
      }
    }
    return result
  }
}

extension HTTPResponse {
  /// How far the server's clock is ahead of this machine's, in seconds; nil when its answer has no date.
  func clockSkewSeconds(_ clock: any HostClock) -> Int? {
    header("Date").flatMap(HTTPDate.seconds).map { $0 - Int(clock.unixMicroseconds / 1_000_000) }
  }
}
