import ArgumentParser
import Foundation
import GatewayAPI
import GatewayTools
import ProgramTerminal

extension BackupCommand {
  /// `meterhost backup verify`: whether a backup is whole.
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify", abstract: "Read a backup to its end, and say whether all of it is whole.",
      discussion: """
        Every part is decrypted and compared with its sum, every page of the database is checked, and every record with the sum of
        its content. The database is written into the folder for temporary files (TMPDIR) meanwhile, for this user only. Exits 1 when
        anything is not as it was written.

        EXAMPLES
          meterhost backup verify gateway.mhbackup
          meterhost backup verify gateway.mhbackup --passphrase-file /etc/meterhost/backup.passphrase --json
        """)

    @Argument(help: "The backup.", completion: .file(extensions: ["mhbackup"]))
    var file: String
    @OptionGroup var passphraseOptions: PassphraseOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let passphrase = try await passphraseOptions.read(isNew: false)
      let desk = BackupDesk(locations: locations.locations)
      let (terminal, patience) = (Terminal(), Patience())
      let bar = BackupProgress("verifying", terminal, patience)
      let file = URL(fileURLWithPath: file).path
      defer { terminal.endProgress() }
      let backup = try await Interruption.whileRunning(onInterrupt: { patience.end() }) { _ in
        try desk.verify(file, passphrase) { done, all in try bar.show(done, of: all) }
      }
      terminal.endProgress()
      if output.json { terminal.json(backup) } else { terminal.list(BackupText.lines(of: backup)) }
      let damaged = backup.damaged ?? []
      guard damaged.isEmpty else {
        for name in damaged {
          terminal.error("the record \(name) is not what was committed: it was damaged before the backup was made")
        }
        throw ExitCode(1)
      }
      if !output.json { terminal.out("all of it is as it was written") }
    }
  }

  /// `meterhost backup show`: when the last one was made.
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show when the last backup was made, and whether this gateway was restored from one.",
      discussion: "EXAMPLES\n  meterhost backup show\n  meterhost backup show --json")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let state = try await locations.perform(BackupShowRequest())
      let terminal = Terminal()
      guard !output.json else { return terminal.json(state) }
      let isSame = state.isSameMachine == true
      terminal.list([
        ("gateway", state.gateway), ("last backup", state.last ?? "none is known"),
        ("key", state.hasKey.map { $0 ? "in it" : "not in it" } ?? ""),
        ("restored", state.restored.map { "\($0), as \(isSame ? "the same machine" : "a new machine")" } ?? ""),
        ("from", state.restoredFrom.map { "a backup of \($0)" } ?? ""),
      ])
    }
  }
}
