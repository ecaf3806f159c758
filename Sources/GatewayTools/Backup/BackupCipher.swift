import Crypto
import Foundation

/// The content of a backup in pieces, each encrypted with AES-256-GCM for its place: the STREAM construction (Hoang, Reyhanitabar,
/// Rogaway, Vizar, 2015). A nonce is the header's seven bytes, the piece's number, and 1 for the last one, so that a piece
/// that is changed, missing, moved or added does not open, nor a file that was cut. The header is authenticated with each.
struct BackupCipher: Sendable {
  private let key: SymmetricKey
  private let header: BackupHeader
  private let associated: [UInt8]

  static let tagLength = 16

  init(_ header: BackupHeader, _ key: SymmetricKey) {
    (self.header, self.key) = (header, key)
    associated = header.bytes
  }

  /// Bytes of every piece but the last, which may have fewer.
  var pieceLength: Int { 1 << Int(header.log2Piece) }

  /// Encrypts a piece.
  func seal(_ plain: some DataProtocol, number: UInt32, isLast: Bool) throws -> [UInt8] {
    let box = try AES.GCM.seal(plain, using: key, nonce: nonce(number, isLast), authenticating: associated)
    return Array(box.ciphertext) + Array(box.tag)
  }

  /// Decrypts a piece.
  ///
  /// - Throws: When it is not the piece of this place in this backup, or the key is another one.
  func open(_ sealed: [UInt8], number: UInt32, isLast: Bool) throws -> [UInt8] {
    guard sealed.count >= Self.tagLength else { throw CryptoKitError.authenticationFailure }
    let end = sealed.count - Self.tagLength
    let box = try AES.GCM.SealedBox(
      nonce: nonce(number, isLast), ciphertext: sealed[..<end], tag: sealed[end...])
    return Array(try AES.GCM.open(box, using: key, authenticating: associated))
  }

  private func nonce(_ number: UInt32, _ isLast: Bool) throws -> AES.GCM.Nonce {
    let place = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    return try AES.GCM.Nonce(data: header.noncePrefix + place + [isLast ? 1 : 0])
  }
}
