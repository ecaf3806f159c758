import CCrypto
import Crypto
import Foundation
package import GatewayAPI

/// The words that open a backup.
package struct BackupPassphrase: Sendable {
  private let bytes: [UInt8]

  /// With fewer characters somebody who has the file finds it by trying.
  package static let leastCharacters = 12
  /// Bytes, at most.
  package static let longest = 1024

  /// A passphrase as a person types it: the same letters are the same passphrase, however the keyboard composes them.
  ///
  /// - Throws: ``GatewayError`` with code `backup_passphrase`: it is empty or too long.
  package init(_ text: String) throws(GatewayError) {
    bytes = Array(text.precomposedStringWithCanonicalMapping.utf8)
    guard (1...Self.longest).contains(bytes.count) else {
      throw GatewayError(
        .usage, code: "backup_passphrase", "a passphrase has 1 to \(Self.longest) bytes",
        hint: "give it with --passphrase-file, or type it")
    }
    count = text.count
  }

  private let count: Int

  /// Refuses a passphrase that is too short to make a backup with.
  ///
  /// - Throws: ``GatewayError`` with code `backup_passphrase`.
  package func checkStrength() throws(GatewayError) {
    guard count < Self.leastCharacters else { return }
    throw GatewayError(
      .usage, code: "backup_passphrase",
      "a backup wants a passphrase of at least \(Self.leastCharacters) characters: who finds the file can try as often as they like",
      hint: "five words that do not belong together are easy to keep; write it down where the backup is not")
  }

  /// The key of a backup; takes a second or so, and 128 MiB.
  ///
  /// - Throws: ``GatewayError`` with code `backup_key`.
  func key(_ header: BackupHeader) throws(GatewayError) -> SymmetricKey {
    var key = [UInt8](repeating: 0, count: 32)
    let status = bytes.withUnsafeBufferPointer { words in
      header.salt.withUnsafeBufferPointer { salt in
        ccrypto_scrypt(
          ccrypto_bytes(p: words.baseAddress, n: words.count), ccrypto_bytes(p: salt.baseAddress, n: salt.count),
          UInt32(header.log2Cost), UInt32(header.blockSize), UInt32(header.parallelism), &key, key.count)
      }
    }
    defer { ccrypto_wipe(&key, key.count) }
    guard status == CCRYPTO_OK else {
      let memory = 128 * Int(header.blockSize) << Int(header.log2Cost)
      throw GatewayError(
        .temporary, code: "backup_key", "the key cannot be made out of the passphrase",
        hint: "it takes \(memory >> 20) MiB of memory: end other programs, and try again")
    }
    return SymmetricKey(data: key)
  }
}
