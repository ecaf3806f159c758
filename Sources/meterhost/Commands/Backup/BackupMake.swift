import ArgumentParser
import Foundation
import GatewayAPI
import GatewayTools
import ProgramTerminal
import Synchronization

extension BackupCommand {
  /// `meterhost backup make`: makes a backup, beside a running host or without one.
  struct Make: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "make", abstract: "Make an encrypted backup of this gateway.",
      discussion: """
        Everything that a new machine needs goes into one file, encrypted with a passphrase: the state database as it is at one
        moment, recovery files, recordings, posted exports, packages of drivers, and whom this machine trusts. A running host goes on
        meanwhile. An earlier backup of that name is replaced when the new one is whole and on disk.

        Tokens, keys of meters and bonds are encrypted in the database with a key of their own, which goes along only with --with-key.
        Without it a new machine has the readings, and they have to be given again there. Who loses the passphrase has no backup.

        EXAMPLES
          meterhost backup make gateway.mhbackup
          meterhost backup /media/stick/gateway.mhbackup --with-key
          meterhost backup gateway.mhbackup --passphrase-file /etc/meterhost/backup.passphrase --json
        """)

    @Argument(help: "The backup.", completion: .file(extensions: ["mhbackup"]))
    var file: String
    @OptionGroup var passphraseOptions: PassphraseOptions
    @Flag(help: "Put the key into the backup that opens tokens, keys and bonds.")
    var withKey = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let state = locations.places.state
      guard FileManager.default.fileExists(atPath: state) else {
        throw GatewayError(
          .unavailable, code: "backup_state", "there is no state folder \(state): nothing to back up",
          hint: "name it with --state, and run the command as its user")
      }
      let passphrase = try await passphraseOptions.read(isNew: true)
      let packer = BackupPacker(
        desk: BackupDesk(locations: locations.locations), file: URL(fileURLWithPath: file).path, passphrase: passphrase)
      let description = try await packer.make(BackupRequest(hasKey: withKey), locations)
      show(description)
    }

    private func show(_ backup: BackupDescription) {
      let terminal = Terminal()
      guard !output.json else { return terminal.json(backup) }
      terminal.list(BackupText.lines(of: backup))
      for name in backup.left ?? [] { terminal.error("not in the backup: \(name)") }
      guard !backup.hasKey else { return }
      terminal.error(
        "the key to tokens, keys of meters and bonds is not in it: on a new machine they have to be given again, or the key from "
          + "where you keep it (--with-key puts it in)")
    }
  }
}

/// Writes the owner's snapshot into a file while the owner keeps it.
private final class BackupPacker: Sendable {
  private struct Work {
    var snapshot: BackupSnapshot?
    var description: BackupDescription?
    var failure: (any Error)?
  }

  private let desk: BackupDesk
  private let file: String
  private let passphrase: BackupPassphrase
  private let terminal = Terminal()
  private let work = Mutex(Work())

  init(desk: BackupDesk, file: String, passphrase: BackupPassphrase) {
    (self.desk, self.file, self.passphrase) = (desk, file, passphrase)
  }

  func make(_ request: BackupRequest, _ locations: LocationOptions) async throws -> BackupDescription {
    let patience = Patience()
    let bar = BackupProgress("backup", terminal, patience)
    let partner = ControlPartner<BackupTelling>(patience: patience) { telling in
      if case .snapshot(let snapshot) = telling { self.work.withLock { $0.snapshot = snapshot } }
    } ask: { _ in
      self.isWritten(bar) ? "1" : nil
    }
    defer { terminal.endProgress() }
    do {
      try await Interruption.whileRunning(onInterrupt: { patience.end() }) { _ in
        try await locations.converse(request, with: partner)
      }
    } catch {
      if let failure = work.withLock(\.failure) { throw failure }
      // The file is whole all the same; only the owner does not know of it.
      guard let description = work.withLock(\.description) else { throw error }
      terminal.error("the backup is whole, and could not be noted as the last one: \(error)")
      return description
    }
    guard let description = work.withLock(\.description) else {
      throw GatewayError(.cancelled, code: "cancelled", "no backup was written")
    }
    return description
  }

  private func isWritten(_ bar: BackupProgress) -> Bool {
    guard let snapshot = work.withLock(\.snapshot) else { return false }
    do {
      let description = try desk.write(snapshot, to: file, passphrase) { done, all in try bar.show(done, of: all) }
      work.withLock { $0.description = description }
      return true
    } catch {
      work.withLock { $0.failure = error }
      return false
    }
  }
}
