import ArgumentParser
import Foundation
import GatewayAPI
import GatewayTools
import ProgramTerminal

/// `meterhost restore`: a gateway out of a backup.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a gateway from a backup into an empty folder.",
    discussion: """
      The state folder has to be missing or empty. It is a state folder when all of the backup was read and checked, and before that
      no host takes it for one; after an interruption run the command again.

      The gateway goes on as a new machine, under a new name; --same-machine keeps the name, for the machine that the backup was
      made on, with its Bluetooth adapter. What was being sent when the backup was made is sent again under the same names, so that
      nothing is twice at the receiver. Readings that came after the backup come again from meters that still have them.

      Without the key in the backup (`backup --with-key`), and without --key-file, tokens, keys of meters and bonds are gone.

      EXAMPLES
        meterhost restore gateway.mhbackup --state /var/lib/meterhost
        meterhost restore gateway.mhbackup --state /var/lib/meterhost --same-machine --json
      """)

  @Argument(help: "The backup.", completion: .file(extensions: ["mhbackup"]))
  var file: String
  @OptionGroup var passphraseOptions: PassphraseOptions
  @Option(
    help: ArgumentHelp(
      "The key to tokens, keys and bonds where it is not in the backup: a copy of vault/key.", valueName: "file"))
  var keyFile: String?
  @Flag(help: "Go on as the machine that the backup was made on.")
  var sameMachine = false
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func run() async throws {
    var wish = BackupDesk.Wish()
    wish.isSameMachine = sameMachine
    wish.key = try keyFile.map { try Self.key(of: $0) }
    let wanted = wish
    let passphrase = try await passphraseOptions.read(isNew: false)
    let desk = BackupDesk(locations: locations.locations)
    let (terminal, patience) = (Terminal(), Patience())
    let bar = BackupProgress("restoring", terminal, patience)
    let file = URL(fileURLWithPath: file).path
    defer { terminal.endProgress() }
    let restored = try await Interruption.whileRunning(onInterrupt: { patience.end() }) { _ in
      try desk.restore(file, passphrase, wanted) { done, all in try bar.show(done, of: all) }
    }
    terminal.endProgress()
    guard !output.json else { return terminal.json(restored) }
    terminal.list(BackupText.lines(of: restored))
    for line in BackupText.advice(on: restored) { terminal.error(line) }
  }

  private static func key(of path: String) throws(GatewayError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw GatewayError(
        .usage, code: "key_file", "the key file \(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    PrivateFile.warn(path, on: Terminal())
    return try DescriptorInput.readAll(descriptor, limit: 4096)
  }
}
