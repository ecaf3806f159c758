import ArgumentParser
import MeterDrivers
import GatewayAPI
import GatewayTools

extension DriverCommand {
  /// What an installation may do beyond the usual.
  struct InstallOptions: ParsableArguments {
    @Flag(help: "Take a package that nobody has signed, where the registry or the trust list allows that.")
    var unsigned = false
    @Flag(help: "Take a version that is older than one that was installed. Floors of the trust list hold anyway.")
    var allowDowngrade = false

    var options: PackageInstaller.Options {
      var options = PackageInstaller.Options()
      options.takesUnsigned = unsigned
      options.allowsDowngrade = allowDowngrade
      return options
    }
  }

  static func tell(_ change: PackageChangeDescription, asJSON: Bool) {
    let terminal = Terminal()
    for warning in change.warnings where change.action != "skipped" {
      terminal.error("\(terminal.styled("warning:", .yellow)) \(warning)")
    }
    guard !asJSON else { return terminal.json(change) }
    let words =
      switch change.action {
      case "installed": "installed \(change.version)"
      case "updated": "\(change.before ?? "") -> \(change.version)"
      case "rolled_back": "back from \(change.before ?? "") to \(change.version)"
      case "skipped": "stays at \(change.version): \(change.warnings.joined(separator: "; "))"
      default: "\(change.action), version \(change.version)"
      }
    let publisher = change.publisher.map { ", published by \($0)" } ?? ""
    terminal.out("\(change.id): \(words)\(publisher)")
  }

  struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "install", abstract: "Install a package, over the version that is installed.",
      discussion: """
        The package must be signed by a publisher of the trust list who may sign for its drivers. It comes into use when its libraries, the
        registry that it makes and a start in a worker were found good; until then, and after a failure, everything is as it was. A
        running `meterhost run` takes it for its next session. The version before is kept for `driver rollback`.

        EXAMPLES
          meterhost driver install org.example.scale-1.0.0.mhdriver
          meterhost driver install my-meter.mhdriver --unsigned
        """)

    @Argument(help: ArgumentHelp("The package.", valueName: "package"), completion: .file())
    var package: String
    @OptionGroup var options: InstallOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let packages = GatewayPackages(locations: locations.locations)
      DriverCommand.tell(try await packages.install(package, options: options.options), asJSON: output.json)
    }
  }

  struct Rollback: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rollback", abstract: "Go back to the version of a package that was in use before.",
      discussion: """
        Signature, floors and libraries are checked again. A second rollback goes forward again, and where the host updates by itself,
        another version may be in use by the time: with --from it goes back from that version, and from no other.

        EXAMPLES
          meterhost driver rollback org.example.scale
          meterhost driver rollback org.example.scale --from 1.1.0
        """)

    @Argument(help: "The package, or one of its drivers.")
    var id: String
    @Option(help: ArgumentHelp("Only while this version is in use.", valueName: "version"))
    var from: SemanticVersion?
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      DriverCommand.tell(
        try await GatewayPackages(locations: locations.locations).rollBack(id, from: from), asJSON: output.json)
    }
  }
}
