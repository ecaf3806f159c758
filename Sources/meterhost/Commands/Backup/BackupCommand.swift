import ArgumentParser

/// `meterhost backup`: everything of a gateway in one encrypted file.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Back a gateway up, and look whether a backup is whole.",
    discussion: """
      `meterhost backup FILE` makes a backup; `make` may be left out. `meterhost restore FILE` puts one back.

      EXAMPLES
        meterhost backup gateway.mhbackup
        meterhost backup verify gateway.mhbackup
        meterhost backup show --json
      """, subcommands: [Make.self, Verify.self, Show.self], defaultSubcommand: Make.self)
}
