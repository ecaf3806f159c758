import Foundation
import HostPrimitives
import StrictJSON

/// What a client says of itself to a token endpoint, signed (RFC 7523; SMART App Launch, "Asymmetric Authentication").
struct ClientAssertion {
  /// Who it is, as issuer and subject.
  let clientID: String
  /// What the server calls the key.
  let keyID: String
  /// The token endpoint, so that nobody else can use it.
  let audience: String
  /// When it ends, in seconds since 1970-01-01T00:00Z; five minutes ahead at most.
  let expires: Int64
  /// Its own name: an endpoint takes each once.
  let name: String

  /// How long one is good for.
  static let lifetime: Int64 = 240
  /// `client_assertion_type`.
  static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  /// The JSON Web Token; nil when the key does not sign.
  func signed(by key: SigningKey) -> String? {
    var header = JSONWriter()
    header.object { json in
      json.member("alg", key.algorithm.rawValue)
      json.member("kid", keyID)
      json.member("typ", "JWT")
    }
    var claims = JSONWriter()
    claims.object { json in
      json.member("iss", clientID)
      json.member("sub", clientID)
      json.member("aud", audience)
      json.member("exp", integer: expires)
      json.member("jti", name)
    }
    let text = Base64URL.text(header.bytes) + "." + Base64URL.text(claims.bytes)
    return key.sign(Array(text.utf8)).map { text + "." + Base64URL.text($0) }
  }
}

/// Base64 for URLs, without padding (RFC 4648 section 5).
enum Base64URL {
  static func text(_ bytes: [UInt8]) -> String {
    String(
      decoding: Data(bytes).base64EncodedString().utf8.compactMap { byte in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        case UInt8(ascii: "="): nil
        default: byte
        }
      }, as: UTF8.self)
  }
}
