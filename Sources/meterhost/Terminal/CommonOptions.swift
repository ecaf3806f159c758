import ArgumentParser
import Foundation
import GatewayAPI

/// Where things are; the same on every command.
struct LocationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .file(extensions: ["toml"]))
  var config: String?

  @Option(help: ArgumentHelp("The registry file.", valueName: "file"))
  var registry: String?

  @Option(help: ArgumentHelp("The folder with registry fragments of third-party drivers.", valueName: "folder"))
  var fragments: String?

  @Option(help: ArgumentHelp("The list of trusted publishers of drivers.", valueName: "file"))
  var trust: String?

  @Option(help: ArgumentHelp("The folder that holds readings, session and cursors.", valueName: "folder"))
  var state: String?

  @Option(help: ArgumentHelp("The program that runs a driver.", valueName: "file"))
  var worker: String?

  @Flag(
    help:
      "Run drivers inside this process instead of a worker of their own: a driver that crashes or hangs takes it along."
  )
  var inProcess = false

  /// A command with these options reads the configuration, before it does anything.
  func validate() { ConfigurationInForce.want(config) }
}

/// How results are shown; the same on every command.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON: one object, or one object a line for lists and events.")
  var json = false
  @Flag(name: .shortAndLong, help: "Say nothing of how it goes on; errors, warnings and questions stay.")
  var quiet = false
  @Flag(name: .shortAndLong, help: "Log more on standard error; twice: everything but traces.")
  var verbose: Int

  func validate() throws {
    guard !quiet || verbose == 0 else { throw ValidationError("--quiet and --verbose exclude each other.") }
    if quiet { Loudness.choose(.quiet) }
    if verbose > 0 { Loudness.choose(verbose == 1 ? .verbose : .debugging) }
  }
}

/// Where virtual meters are.
struct AirOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The folder that stands for the air between virtual meters and the host.", valueName: "folder"))
  var air: String?

  /// The folder from the root: whoever owns the state folder works elsewhere.
  var path: String? { air.map { URL(fileURLWithPath: $0).standardizedFileURL.path } }
}

/// Which radio is used.
struct RadioOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use this Bluetooth adapter, by name or address; may be repeated. The default is all of them.",
      valueName: "adapter"))
  var adapter: [String] = []
  @OptionGroup var air: AirOptions

  func validate() throws {
    guard adapter.isEmpty || air.air == nil else {
      throw ValidationError("--adapter is a radio of this machine, --air a virtual one; name one of them.")
    }
  }

  /// The choice as it is sent to whoever owns the state folder.
  var choice: RadioChoice { RadioChoice(air: air.path, adapters: adapter) }
}
