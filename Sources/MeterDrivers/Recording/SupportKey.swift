import Crypto
import Foundation
import HostPrimitives

/// The key pair of whoever looks into recordings for others: a gateway encrypts to the public key, the private one stays with
/// support (HPKE, RFC 9180: X25519, HKDF-SHA-256, AES-256-GCM).
public struct SupportKey: Sendable {
  private let key: Curve25519.KeyAgreement.PrivateKey

  private static let (publicMark, privateMark) = ("meterhost-support-public-1", "meterhost-support-private-1")
  private static let suite = HPKE.Ciphersuite(kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)

  /// A new pair.
  package init() { key = Curve25519.KeyAgreement.PrivateKey() }

  /// The private key of a file.
  ///
  /// - Throws: ``RecordingError/Code/badKey``.
  package init(file: [UInt8]) throws(RecordingError) {
    let bytes = try Self.content(file, Self.privateMark, "private")
    do { key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes) } catch {
      throw RecordingError(.badKey, "the support key in the file is none that X25519 has")
    }
  }

  /// One line: a mark that says what it is, and the private key's 32 bytes in base64.
  public var file: [UInt8] { Array("\(Self.privateMark) \(key.rawRepresentation.base64EncodedString())\n".utf8) }

  /// What a gateway encrypts to.
  package var publicKey: Public { Public(key: key.publicKey) }

  /// The public half.
  public struct Public: Sendable {
    fileprivate let key: Curve25519.KeyAgreement.PublicKey

    fileprivate init(key: Curve25519.KeyAgreement.PublicKey) { self.key = key }

    /// The public key of a file.
    ///
    /// - Throws: ``RecordingError/Code/badKey``.
    package init(file: [UInt8]) throws(RecordingError) {
      let bytes = try SupportKey.content(file, SupportKey.publicMark, "public")
      do { key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes) } catch {
        throw RecordingError(.badKey, "the support key in the file is none that X25519 has")
      }
    }

    /// One line: a mark that says what it is, and the public key's 32 bytes in base64.
    public var file: [UInt8] { Array("\(SupportKey.publicMark) \(key.rawRepresentation.base64EncodedString())\n".utf8) }

    /// Eight bytes of its SHA-256, for people and to find the right key.
    package var fingerprint: [UInt8] { Array(SHA256.hash(data: key.rawRepresentation).prefix(8)) }

    /// The fingerprint as hexadecimal digits.
    package var fingerprintText: String { fingerprint.hexadecimal }

    /// Encrypts a content key; `info` binds it to one recording.
    func wrap(_ contentKey: [UInt8], info: [UInt8]) throws(RecordingError) -> [UInt8] {
      do {
        var sender = try HPKE.Sender(recipientKey: key, ciphersuite: SupportKey.suite, info: Data(info))
        return Array(sender.encapsulatedKey) + Array(try sender.seal(Data(contentKey)))
      } catch {
        throw RecordingError(.badKey, "nothing can be encrypted to the support key")
      }
    }
  }

  /// Decrypts a content key.
  func unwrap(_ wrapped: [UInt8], info: [UInt8]) throws(RecordingError) -> [UInt8] {
    do {
      var recipient = try HPKE.Recipient(
        privateKey: key, ciphersuite: Self.suite, info: Data(info), encapsulatedKey: Data(wrapped.prefix(32)))
      return Array(try recipient.open(Data(wrapped.dropFirst(32))))
    } catch {
      throw RecordingError(.damaged, "the recording's key was changed, or belongs to another recording")
    }
  }

  private static func content(_ file: [UInt8], _ mark: String, _ kind: String) throws(RecordingError) -> Data {
    let words = String(decoding: file.prefix(512), as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count == 2, words[0] == mark, let bytes = Data(base64Encoded: String(words[1])), bytes.count == 32
    else {
      throw RecordingError(
        .badKey, "the file holds no \(kind) support key; `meterhost driver recordings key make` makes a pair")
    }
    return bytes
  }
}
