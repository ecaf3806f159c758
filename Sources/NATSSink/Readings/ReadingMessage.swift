import Crypto
import HostPrimitives
package import InformSink
package import MeterCore
package import NATSClient

/// A reading as it is published: the record as over HTTP, and beside it whose it is and the proof of that.
///
/// The subject says only which gateway has sent it. Whose it is, the user's token proves, of which the receiver keeps the SHA-256: the
/// message is authenticated by that, so that neither stream nor server ever holds a secret.
package struct ReadingMessage: Sendable, Hashable {
  /// Names of its fields.
  package enum Header {
    /// Its name.
    package static let name = "Nats-Msg-Id"
    /// Whose it is: the first eight bytes of the token's SHA-256, in hexadecimal.
    package static let user = "Meterhost-User"
    /// The proof, in hexadecimal.
    package static let mac = "Meterhost-Mac"
    /// Where the receiver is to say what became of it.
    package static let confirm = "Meterhost-Confirm"
  }

  /// What it is published to.
  package let subject: String
  /// What it is called.
  package let name: ReadingName
  /// Its fields.
  package let headers: NATSHeaders
  /// The record.
  package let payload: [UInt8]

  /// The message of a reading.
  ///
  /// - Parameter isConfirmed: Whether the receiver is to say what became of it.
  /// - Throws: `EncodingRefusal` for a record that Inform v2 has no form for.
  package init(
    _ record: Record, to subjects: ReadingSubjects, token: AccessToken, isConfirmed: Bool
  ) throws(EncodingRefusal) {
    payload = try InformV2Encoder().encode(record, mark: .revisionAndHash)
    subject = subjects.readings(record.type)
    name = ReadingName(record, token: token)
    let digest = Array(SHA256.hash(data: Array(token.secret.utf8)))
    let mac = Self.mac(tokenDigest: digest, subject: subject, name: name.description, payload: payload)
    var headers = NATSHeaders([
      (Header.name, name.description), (Header.user, digest.prefix(8).hexadecimal), (Header.mac, mac.hexadecimal),
    ])
    if isConfirmed { headers.add(Header.confirm, subjects.confirmations) }
    self.headers = headers
  }

  /// HMAC-SHA-256 (RFC 2104) by the token's SHA-256 over subject, name and payload, each but the last with a line feed behind it.
  static func mac(tokenDigest: [UInt8], subject: String, name: String, payload: [UInt8]) -> [UInt8] {
    Array(
      HMAC<SHA256>.authenticationCode(
        for: Array("\(subject)\n\(name)\n".utf8) + payload, using: SymmetricKey(data: tokenDigest)))
  }
}
