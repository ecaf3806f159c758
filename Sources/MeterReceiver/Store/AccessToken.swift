import Crypto
import HostPrimitives

/// The secret of a user or an organisation, as it travels in `Authorization: Bearer` (RFC 6750 section 2.1).
///
/// It has no description on purpose: a token must not end up in a log by interpolation.
struct AccessToken: Sendable {
  static let minimumLength = 16
  static let maximumLength = 512

  /// The b64token text.
  let secret: String

  /// A fresh token of 256 random bits.
  init() {
    var generator = SystemRandomNumberGenerator()
    secret = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hexadecimal
  }

  /// A token that somebody chose.
  ///
  /// - Throws: `invalidToken` when it is too short to be a secret or is no b64token.
  init(chosen text: String) throws(ReceiverError) {
    guard text.utf8.count >= Self.minimumLength, let token = AccessToken(presented: text) else {
      throw ReceiverError(
        .invalidToken,
        "A token must have \(Self.minimumLength) to \(Self.maximumLength) characters out of letters, digits and "
          + "-._~+/ (RFC 6750); leave it away to have one made")
    }
    self = token
  }

  /// A token from outside, or nil if no token can look like that.
  init?(presented text: String) {
    let body = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
    guard !body.isEmpty, text.utf8.count <= Self.maximumLength, body.allSatisfy(Self.isTokenByte) else { return nil }
    secret = text
  }

  /// The token of an `Authorization` header, or nil if there is none of the scheme Bearer.
  init?(authorization header: String) {
    let parts = header.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    self.init(presented: String(parts[1]))
  }

  var digest: TokenDigest { TokenDigest(bytes: Array(SHA256.hash(data: Array(secret.utf8)))) }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default: false
    }
  }
}

/// SHA-256 of a token: all that the database holds of it.
struct TokenDigest: Sendable {
  let bytes: [UInt8]

  /// What rows are looked up by. The index answers in a time that depends on these 64 bits only; the rest is compared
  /// in constant time.
  var lookup: Int64 { Int64(bigEndianBytes: bytes.prefix(8)) }

  /// Compares all bytes, whatever the first difference.
  func matches(_ other: [UInt8]) -> Bool {
    guard bytes.count == other.count else { return false }
    return zip(bytes, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
