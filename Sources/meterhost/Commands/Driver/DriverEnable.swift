import ArgumentParser
import GatewayTools

extension DriverCommand {
  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "enable", abstract: "Put a disabled package back into the registry.",
      discussion: "EXAMPLE\n  meterhost driver enable org.example.scale")

    @Argument(help: "The package, or one of its drivers.")
    var id: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      DriverCommand.tell(
        try await GatewayPackages(locations: locations.locations).setEnabled(true, id), asJSON: output.json)
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "disable", abstract: "Take a package out of the registry and keep it.",
      discussion: "EXAMPLE\n  meterhost driver disable org.example.scale")

    @Argument(help: "The package, or one of its drivers.")
    var id: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      DriverCommand.tell(
        try await GatewayPackages(locations: locations.locations).setEnabled(false, id), asJSON: output.json)
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a package with every version of it.",
      discussion: """
        Which version was the newest stays known: an older one is no new installation.

        EXAMPLE
          meterhost driver remove org.example.scale
        """)

    @Argument(help: "The package, or one of its drivers.")
    var id: String
    @OptionGroup var confirmation: ConfirmOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      try confirmation.confirmNow(
        "Remove \(id)?", json: output.json, losing: ["every installed version of the package, and its settings"])
      DriverCommand.tell(try GatewayPackages(locations: locations.locations).remove(id), asJSON: output.json)
    }
  }
}
