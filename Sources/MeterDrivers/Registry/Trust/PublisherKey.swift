import Crypto
import HostPrimitives

/// The public half of a publisher's Ed25519 key (RFC 8032): 32 bytes, written as 64 hexadecimal digits.
package struct PublisherKey: Sendable, Hashable, CustomStringConvertible {
  /// The 32 bytes.
  package let bytes: [UInt8]

  /// A key from its 32 bytes; nil for anything that no key can be.
  init?(bytes: [UInt8]) {
    guard bytes.count == 32, (try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)) != nil else { return nil }
    self.bytes = bytes
  }

  /// A key from 64 hexadecimal digits of either case.
  package init?(hexadecimal text: String) {
    guard let bytes = [UInt8](hexadecimal: text.utf8) else { return nil }
    self.init(bytes: bytes)
  }

  /// 64 lower-case hexadecimal digits.
  package var description: String { bytes.hexadecimal }

  /// Whether a signature is this key's over these bytes.
  func accepts(_ signature: [UInt8], over content: [UInt8]) -> Bool {
    guard signature.count == 64, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else {
      return false
    }
    return key.isValidSignature(signature, for: content)
  }
}

/// A publisher's key pair, in a file that only its owner may read.
package struct PublisherKeyPair: Sendable {
  private let secret: Curve25519.Signing.PrivateKey

  /// What stands before the secret in the file.
  private static let head = "meterhost-publisher-key-1 "
  private static let fileLimit = 256

  /// A new key pair.
  package init() { secret = Curve25519.Signing.PrivateKey() }

  /// The pair that a file holds.
  ///
  /// - Throws: ``PackageError`` with code `publisherKey`: there is no such file, others may read it, or it is none.
  package init(file path: String) throws(PackageError) {
    try FileMode.refuse(path, open: 0o077, code: .publisherKey) {
      PackageError(
        .publisherKey, "the key file \(path) is open to other users",
        cure: "run `chmod 600 \(path)`, and make a new key if somebody may have read it")
    }
    let bytes = try PlainFile.read(path, limit: Self.fileLimit, what: "the key file", code: .publisherKey)
    let text = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    guard text.hasPrefix(Self.head), let seed = [UInt8](hexadecimal: text.dropFirst(Self.head.count).utf8),
      seed.count == 32,
      let secret = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    else {
      throw PackageError(
        .publisherKey, "\(path) is no publisher's key", cure: "make one with `meterhost driver key make FILE`")
    }
    self.secret = secret
  }

  /// Writes the pair into a new file of mode 0600.
  ///
  /// - Throws: ``PackageError`` with code `publisherKey`; a file that is there is left alone.
  package func write(to path: String) throws(PackageError) {
    let text = Self.head + secret.rawRepresentation.hexadecimal + "\n"
    try PlainFile.write(Array(text.utf8), to: path, mode: 0o600, isNew: true, code: .publisherKey)
  }

  /// The half that others may know.
  package var key: PublisherKey {
    // Made from a pair: it is one.
    PublisherKey(validated: Array(secret.publicKey.rawRepresentation))
  }

  /// Signs; the same bytes give the same signature.
  func signature(over content: [UInt8]) throws(PackageError) -> [UInt8] {
    do { return Array(try secret.signature(for: content)) } catch {
      throw PackageError(.publisherKey, "the key cannot sign", cause: "\(error)")
    }
  }
}

extension PublisherKey {
  fileprivate init(validated bytes: [UInt8]) { self.bytes = bytes }
}
