import CCrypto
import Foundation
import GatewayAPI
import HostPrimitives

/// A source that may post, as its feed keeps it: the token's hash, never the token.
struct IngestSource: Sendable, Hashable, Codable {
  /// SHA-256 of the token, in hexadecimal digits.
  var hash: String
  /// Microseconds since 1970-01-01T00:00Z.
  var made: Int64
  /// Microseconds since 1970-01-01T00:00Z; nil: never.
  var lastUsed: Int64?
  var posts = 0
  var accepted = 0
  var duplicates = 0
  var refused = 0
  /// What was wrong with its last body.
  var error: GatewayError.Written?

  init(token: String, made: Int64) { (hash, self.made) = (Self.hash(of: token), made) }

  /// Reads what a feed has; nil for what another version has written.
  init?(text: String) {
    guard let read = try? JSONDecoder().decode(IngestSource.self, from: Data(text.utf8)) else { return nil }
    self = read
  }

  /// As the feed keeps it.
  var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// A new token: 256 random bits in base64url without padding (RFC 4648, section 5), 43 characters.
  static func makeToken() -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    let text = Data(bytes).base64EncodedString()
    return text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// SHA-256 of a token in hexadecimal digits.
  static func hash(of token: String) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    let bytes = Array(token.utf8)
    let status = bytes.withUnsafeBufferPointer { input in
      ccrypto_sha256(ccrypto_bytes(p: input.baseAddress, n: input.count), &digest)
    }
    // Without a digest nothing may match: an empty text is no token's hash.
    return status == CCRYPTO_OK ? digest.hexadecimal : ""
  }

  /// Whether a hash is the token's, in a time that does not tell where they differ.
  func matches(_ given: String) -> Bool {
    let (own, other) = (Array(hash.utf8), Array(given.utf8))
    guard own.count == 64, other.count == 64 else { return false }
    return zip(own, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// The longest token that is looked at.
  static let longestToken = 256
  /// How many sources there may be.
  static let most = 64

  /// Whether a source may be called so: the name is part of a file's.
  static func isName(_ name: String) -> Bool {
    name.utf8.count <= 64 && name.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]*/) != nil
  }
}
