import Crypto
import HostPrimitives

/// The public half of a user's key, as `U` and 55 more letters: what a server's configuration has.
package struct NATSPublicKey: Sendable, Hashable, CustomStringConvertible {
  /// The 32 bytes of the Ed25519 key (RFC 8032).
  package let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// A key from its text; nil for what is none, or another's than a user's.
  package init?(_ text: String) {
    guard let bytes = NATSKeyText.bytes(text), bytes.count == 33, bytes[0] == NATSKeyText.user,
      (try? Curve25519.Signing.PublicKey(rawRepresentation: bytes.dropFirst())) != nil
    else { return nil }
    self.bytes = Array(bytes.dropFirst())
  }

  /// The text.
  package var description: String { NATSKeyText.text([NATSKeyText.user] + bytes) }

  /// Whether a signature is this key's over some bytes.
  package func accepts(_ signature: [UInt8], over content: [UInt8]) -> Bool {
    guard signature.count == 64, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else {
      return false
    }
    return key.isValidSignature(signature, for: content)
  }
}

/// A user's key pair: what stands in a file as `SU` and 56 more letters (the seed), which only its owner may read.
///
/// It has no description on purpose: a seed must not end up in a log.
package struct NATSKeyPair: Sendable {
  private let secret: Curve25519.Signing.PrivateKey

  /// A new pair.
  package init() { secret = Curve25519.Signing.PrivateKey() }

  /// The pair of a seed; nil for what is none, or another's than a user's.
  package init?(seed text: String) {
    guard let bytes = NATSKeyText.bytes(text), bytes.count == 34, bytes.starts(with: NATSKeyText.userSeed),
      let secret = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes.dropFirst(2))
    else { return nil }
    self.secret = secret
  }

  /// The seed, for the file that it is kept in and nothing else.
  package var seed: String { NATSKeyText.text(NATSKeyText.userSeed + Array(secret.rawRepresentation)) }

  /// The public half.
  package var publicKey: NATSPublicKey { NATSPublicKey(bytes: Array(secret.publicKey.rawRepresentation)) }

  /// The signature of a server's nonce, as CONNECT carries it: base64url without padding (RFC 4648 section 5).
  ///
  /// - Throws: ``NATSError`` with code `nats_key`, where the library fails.
  package func signature(of nonce: String) throws(NATSError) -> String {
    do { return Base64URL.text(Array(try secret.signature(for: Array(nonce.utf8)))) } catch {
      throw NATSError(.key, "the nonce of the server could not be signed", cause: "\(error)")
    }
  }
}

/// How keys are written: base32 of a prefix, the key, and a checksum.
enum NATSKeyText {
  /// What a user's public key begins with: `U`.
  static let user: UInt8 = 0xA0
  /// What a user's seed begins with: `S` in the first five bits, `U` in the next eight.
  static let userSeed: [UInt8] = [0x95, 0x00]

  static func text(_ bytes: [UInt8]) -> String { Base32.text(bytes + CRC16.checksum(bytes).littleEndianBytes) }

  /// The bytes before the checksum; nil where it is wrong.
  static func bytes(_ text: String) -> [UInt8]? {
    guard (4...128).contains(text.utf8.count), let bytes = Base32.bytes(text.utf8), bytes.count > 2 else { return nil }
    let body = Array(bytes.dropLast(2))
    return CRC16.checksum(body).littleEndianBytes == Array(bytes.suffix(2)) ? body : nil
  }
}

/// Base64 for addresses and headers, without padding (RFC 4648 section 5).
package enum Base64URL {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The text of some bytes.
  package static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 4 / 3 + 3)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let word = UInt32(bigEndianBytes: part) << UInt32(8 * (3 - part.count))
      for index in 0...part.count { text.append(digits[Int(word >> UInt32(18 - 6 * index)) & 63]) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
