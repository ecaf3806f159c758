import GatewayAPI
import ArgumentParser
import GatewayTools

extension DriverCommand {
  struct Sign: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "sign", abstract: "Sign a package with a publisher's key.",
      discussion: """
        Signatures of other keys stay: while a publisher changes to a new key, a package carries both.

        EXAMPLE
          meterhost driver sign org.example.scale-1.0.0.mhdriver --key publisher.key
        """)

    @Argument(help: ArgumentHelp("The package.", valueName: "package"), completion: .file())
    var package: String
    @Option(help: ArgumentHelp("The file with the key pair.", valueName: "file"), completion: .file())
    var key: String
    @Option(help: ArgumentHelp("The signed package; takes the unsigned one's place by default.", valueName: "file"))
    var output: String?
    @OptionGroup var form: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      let signed = try GatewayPackages(locations: locations.locations).sign(package, key: key, output: output)
      let terminal = Terminal()
      guard !form.json else { return terminal.json(signed) }
      terminal.out(
        "\(signed.file): \(signed.id) \(signed.version), signed by \(signed.signers.joined(separator: ", "))")
    }
  }
}
