import ArgumentParser
import Foundation
import MeterBluetooth
import GatewayAPI
import GatewayTools

/// `meterhost key`: keys and licences of meters.
struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Enter, list and forget keys and licences of meters.",
    discussion: "A value is never shown, logged or taken from the command line, where other users would see it.",
    subcommands: [Set.self, List.self, Forget.self], defaultSubcommand: List.self)

  /// Which key is meant.
  struct Target: ParsableArguments {
    @Argument(help: "The peripheral's id in the catalogue.")
    var peripheral: UInt32
    @Argument(help: "The key's name; `meterhost peripherals show` lists those that a peripheral has.")
    var name: String
    @Option(
      help: ArgumentHelp(
        "The meter, for keys that belong to one: its UUID, or the beginning of it, the name or the address of one that is known.",
        valueName: "meter"), completion: .meters)
    var meter: String?

    /// The meter's UUID; nil where none is named.
    ///
    /// - Throws: ``GatewayError`` with code `unknown_meter` or `ambiguous_meter`.
    func uuid(_ locations: LocationOptions) async throws -> UUID? {
      guard let meter else { return nil }
      return UUID(uuidString: try await locations.meter(meter))
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Enter a key or licence.",
      discussion: """
        The value comes from --file, from a pipe, or from a prompt that does not show what is typed. Its format is checked before it is
        stored, encrypted.

        EXAMPLES
          meterhost key set 32 agamatrix-authkey.json --file agamatrix-authkey.json
          meterhost key set 51 encryption-key --meter 5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11
          pass show meter-key | meterhost key set 10500 meter-key --meter 5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11
        """)

    @OptionGroup var target: Target
    @Option(help: ArgumentHelp("Read the value from this file.", valueName: "file"), completion: .file())
    var file: String?
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let uuid = try await target.uuid(locations)
      // The value first: a person who is asked for it must not block the state folder.
      let content = try content()
      let stored = try await locations.perform(
        KeySetRequest(target.name, peripheral: target.peripheral, meter: uuid, content: content))
      let terminal = Terminal()
      let warning = terminal.styled("warning:", .yellow)
      if !stored.hasSession {
        terminal.error("\(warning) there is no session: the key is stored for this gateway, and nothing is delivered")
      }
      if stored.isPaired == false {
        terminal.error("\(warning) no meter with this UUID is paired; `meterhost meters list` shows those that are")
      }
      output.json ? terminal.json(stored.key) : terminal.out("\(stored.key.name) is stored, encrypted")
    }

    private func content() throws -> [UInt8] {
      // One more than the longest licence file, so that a longer one is refused and not cut.
      let limit = (64 << 10) + 1
      if let file {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(file, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        PrivateFile.warn(file, on: Terminal())
        do { return try DescriptorInput.readAll(descriptor, limit: limit) } catch {
          throw Self.unreadable(file, error.message)
        }
      }
      guard SecretInput.isThere else { return try DescriptorInput.readAll(STDIN_FILENO, limit: limit) }
      Terminal().error("\(target.name) (it is not shown; ends with Enter):")
      guard let line = SecretInput.read(isSecret: true), !line.isEmpty else {
        throw GatewayError(.cancelled, code: "cancelled", "nothing was entered")
      }
      return Array(line.utf8)
    }

    private static func unreadable(_ file: String, _ reason: String) -> GatewayError {
      GatewayError(.usage, code: "key_file", "the file \(file) cannot be read: \(reason)")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List what is stored; never a value.",
      discussion: "EXAMPLE\n  meterhost key list --json")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let keys = try await locations.perform(KeyListRequest())
      let terminal = Terminal()
      for key in keys {
        guard !output.json else {
          terminal.json(key)
          continue
        }
        let place = key.meter ?? key.peripheral.map { "peripheral \($0)" } ?? "this gateway"
        terminal.out("\(key.name)  \(place)  entered \(LocalTime.text(key.changed))")
      }
      if keys.isEmpty, !output.json { terminal.error("no keys are stored") }
    }
  }

  struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget", abstract: "Forget a key or licence; it is overwritten on disk.",
      discussion: "EXAMPLE\n  meterhost key forget 32 agamatrix-authkey.json")

    @OptionGroup var target: Target
    @OptionGroup var confirmation: ConfirmOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      try await confirmation.confirm("Forget the key \(target.name)?", output) {
        ["without it the meters that need it are not read"]
      }
      _ = try await locations.perform(
        KeyForgetRequest(target.name, peripheral: target.peripheral, meter: try await target.uuid(locations)))
      let terminal = Terminal()
      output.json
        ? terminal.json(["name": target.name, "state": "forgotten"]) : terminal.out("\(target.name) is forgotten")
    }
  }
}
