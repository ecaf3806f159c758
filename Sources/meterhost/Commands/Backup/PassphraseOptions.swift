import ArgumentParser
import GatewayTools

/// Where the passphrase of a backup is.
struct PassphraseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file whose first line is the passphrase; else it is asked for, or read from standard input.", valueName: "file"
    ))
  var passphraseFile: String?

  /// - Parameter isNew: Whether it is to make a backup.
  /// - Throws: `GatewayError` with code `backup_passphrase`, `passphrase_file` or `cancelled`.
  func read(isNew: Bool) async throws -> BackupPassphrase {
    try await PassphraseInput.read(file: passphraseFile, isNew: isNew)
  }
}
