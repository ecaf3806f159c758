import Foundation
import GatewayAPI
import GatewayTools

/// Where the passphrase of a backup comes from: the first line of a file or of a pipe, or a person whose typing is not shown.
enum PassphraseInput {
  /// - Parameter isNew: Whether it is to make a backup: then a person types it twice, and it may not be too short.
  /// - Throws: `GatewayError` with code `backup_passphrase`, `passphrase_file` or `cancelled`.
  static func read(file: String?, isNew: Bool) async throws -> BackupPassphrase {
    let text = if let file { try line(of: file) } else { try await typed(isNew: isNew) }
    let passphrase = try BackupPassphrase(text)
    if isNew { try passphrase.checkStrength() }
    return passphrase
  }

  private static func line(of path: String) throws(GatewayError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw GatewayError(
        .usage, code: "passphrase_file",
        "the passphrase file \(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    PrivateFile.warn(path, on: Terminal())
    return try firstLine(DescriptorInput.readAll(descriptor, limit: BackupPassphrase.longest + 2))
  }

  private static func firstLine(_ bytes: [UInt8]) throws(GatewayError) -> String {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard let text = String(bytes: line, encoding: .utf8) else {
      throw GatewayError(.usage, code: "backup_passphrase", "the passphrase is no text in UTF-8")
    }
    return text
  }

  private static func typed(isNew: Bool) async throws -> String {
    guard SecretInput.isThere else {
      return try firstLine(DescriptorInput.readAll(STDIN_FILENO, limit: BackupPassphrase.longest + 2))
    }
    let terminal = Terminal()
    terminal.error(
      isNew ? "passphrase for the backup (it is not shown):" : "passphrase of the backup (it is not shown):")
    guard let first = await SecretInput.line(isSecret: true) else { throw interrupted }
    guard isNew else { return first }
    terminal.error("once more:")
    guard let second = await SecretInput.line(isSecret: true) else { throw interrupted }
    guard first == second else {
      throw GatewayError(
        .usage, code: "backup_passphrase", "the two passphrases are not the same", hint: "run the command again")
    }
    return first
  }

  private static var interrupted: GatewayError { GatewayError(.cancelled, code: "cancelled", "interrupted") }
}
