import CCrypto
package import Foundation
package import GatewayAPI
import Glibc
import HostPrimitives

/// The password of the console, of which a file of the state folder keeps a hash that is slow to compute (scrypt, RFC 7914).
package struct ConsolePassword: Sendable {
  /// The file's name in the state folder.
  package static let fileName = "console-password"

  /// 2^15 rounds of 1 KiB: 32 MiB and about a tenth of a second for each guess.
  private static let cost: UInt32 = 15
  private static let least = 12
  private static let most = 256

  private let file: URL

  /// The password of a state folder.
  package init(stateFolder: URL) { file = stateFolder.appending(path: Self.fileName) }

  /// Whether there is one.
  package var isSet: Bool { stored != nil }

  /// Keeps a password in place of the one before; nil keeps none.
  ///
  /// - Throws: ``GatewayError`` with code `console_password`.
  package func set(_ password: String?) throws(GatewayError) {
    guard let password else {
      try? FileManager.default.removeItem(at: file)
      return
    }
    guard (Self.least...Self.most).contains(password.utf8.count) else {
      throw GatewayError(
        .usage, code: "console_password",
        "a password of the console has \(Self.least) to \(Self.most) bytes",
        hint: "several words are easier to keep in mind than a few signs")
    }
    var generator = SystemRandomNumberGenerator()
    let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    guard let hash = Self.hash(password, salt: salt, cost: Self.cost) else {
      throw GatewayError(.failed, code: "console_password", "the password cannot be hashed: libcrypto has no scrypt")
    }
    let text = "scrypt \(Self.cost) \(salt.hexadecimal) \(hash.hexadecimal)\n"
    guard write(text) else {
      throw GatewayError(
        .failed, code: "console_password", "the file of the password cannot be written in the state folder",
        hint: "look whether the disk is full, and whose the folder is")
    }
  }

  /// Whether a text is the password; false where there is none. Takes a while, and memory, whatever the text is.
  package func matches(_ text: String) -> Bool {
    guard let stored, text.utf8.count <= Self.most,
      let hash = Self.hash(text, salt: stored.salt, cost: stored.cost)
    else { return false }
    return RandomSecret.equal(stored.hash.hexadecimal, hash.hexadecimal)
  }

  private var stored: (cost: UInt32, salt: [UInt8], hash: [UInt8])? {
    guard let text = try? String(contentsOf: file, encoding: .utf8), text.utf8.count < 1024 else { return nil }
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count == 4, words[0] == "scrypt", let cost = UInt32(words[1]), (10...20).contains(cost),
      let salt = [UInt8](hexadecimal: words[2].utf8), let hash = [UInt8](hexadecimal: words[3].utf8),
      salt.count == 16, hash.count == 32
    else { return nil }
    return (cost, salt, hash)
  }

  private static func hash(_ password: String, salt: [UInt8], cost: UInt32) -> [UInt8]? {
    var out = [UInt8](repeating: 0, count: 32)
    let bytes = Array(password.utf8)
    let status = bytes.withUnsafeBufferPointer { password in
      salt.withUnsafeBufferPointer { salt in
        ccrypto_scrypt(
          ccrypto_bytes(p: password.baseAddress, n: password.count), ccrypto_bytes(p: salt.baseAddress, n: salt.count),
          cost, 8, 1, &out, out.count)
      }
    }
    return status == CCRYPTO_OK ? out : nil
  }

  /// Beside the file and then in its place, so that a crash leaves one password or the other.
  private func write(_ text: String) -> Bool {
    let draft = file.path + ".new"
    unlink(draft)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    let bytes = Array(text.utf8)
    let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
    close(descriptor)
    guard isWritten, rename(draft, file.path) == 0 else {
      unlink(draft)
      return false
    }
    return true
  }
}
