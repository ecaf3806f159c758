import Crypto
import Foundation
import MeterCore

/// The secret that signs messages, as Standard Webhooks writes it: `whsec_` and 24 to 64 bytes in base64.
struct WebhookSecret: Sendable {
  private static let prefix = "whsec_"
  private static let range = 24...64

  private let key: SymmetricKey

  /// - Throws: `SinkSettingError` with code `sink_credential`; it repeats nothing of the secret.
  init(_ token: AccessToken) throws(SinkSettingError) {
    guard token.secret.hasPrefix(Self.prefix),
      let bytes = Data(base64Encoded: String(token.secret.dropFirst(Self.prefix.count))),
      Self.range.contains(bytes.count)
    else {
      throw SinkSettingError(
        .credential, "the secret is not whsec_ followed by 24 to 64 bytes in base64",
        hint: "make one with: printf 'whsec_%s\\n' \"$(openssl rand -base64 32)\", and give it to the receiver, too")
    }
    key = SymmetricKey(data: bytes)
  }

  /// HMAC-SHA256 (RFC 2104) of bytes.
  func code(of bytes: [UInt8]) -> [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key)) }
}
