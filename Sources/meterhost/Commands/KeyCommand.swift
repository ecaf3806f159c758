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
        The value comes from --file, from a pipe, from a prompt that does not show what is typed, or from a QR code or barcode (Code 128):
        before the camera (--scan) or in a picture (--image). Of a code its length, its kind and a few characters are shown, and it is
        stored when a person says that it is the right one. Its format is checked before it is stored, encrypted.

        EXAMPLES
          meterhost key set 32 agamatrix-authkey.json --file agamatrix-authkey.json
          meterhost key set 51 encryption-key --meter 5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11
          meterhost key set 51 encryption-key --meter 5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11 --scan
          pass show meter-key | meterhost key set 10500 meter-key --meter 5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11
        """)

    @OptionGroup var target: Target
    @Option(help: ArgumentHelp("Read the value from this file.", valueName: "file"), completion: .file())
    var file: String?
    @Flag(help: "Read the value from a QR code or barcode that is held before the camera.")
    var scan = false
    @Option(help: ArgumentHelp("The camera's device, for --scan.", valueName: "device"), completion: .file())
    var camera: String?
    @Option(
      help: ArgumentHelp("Read the value from a picture of the code; may be repeated.", valueName: "file"),
      completion: .file())
    var image: [String] = []
    @Flag(help: "Store what was scanned without asking.")
    var yes = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard [file != nil, scan, !image.isEmpty].count(where: { $0 }) <= 1 else {
        throw ValidationError("name one of: --file, --scan, --image.")
      }
      guard camera == nil || scan else { throw ValidationError("--camera belongs to --scan.") }
      guard !yes || scan || !image.isEmpty else { throw ValidationError("--yes belongs to --scan and --image.") }
    }

    func run() async throws {
      let uuid = try await target.uuid(locations)
      // The value first: a person who is asked for it must not block the state folder.
      let content = scan || !image.isEmpty ? try await scanned() : try content()
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

    /// What a code holds, when a person has said that it is the right one.
    private func scanned() async throws -> [UInt8] {
      let terminal = Terminal()
      if scan { terminal.error("hold the code before the camera; Ctrl-C gives up") }
      let code = try await CodeScan(locations.gateway()).code(from: scan ? .camera(camera) : .pictures(image))
      terminal.error("\(code.kind.rawValue): \(code.masked)")
      guard !yes else { return code.content }
      guard !output.json, SecretInput.isThere else {
        throw GatewayError(
          .failed, code: "not_confirmed", "nobody has confirmed what was scanned; nothing was stored",
          hint: "--yes stores it without asking")
      }
      terminal.error("store it as \(target.name)? (y, n)")
      let answer = await SecretInput.line(isSecret: false)?.lowercased()
      guard answer == "y" || answer == "yes" else {
        throw GatewayError(.cancelled, code: "cancelled", "what was scanned is not stored")
      }
      return code.content
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
