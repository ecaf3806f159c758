import GatewayAPI
import ArgumentParser

extension DriverCommand {
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show one driver.",
      discussion: "EXAMPLE\n  meterhost driver show org.meterhost.glucose")

    @Argument(help: "The driver's id.")
    var id: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      let driver = try locations.catalogue().driver(id)
      let terminal = Terminal()
      guard !output.json else { return terminal.json(driver) }
      let lines: [(name: String, value: String)] = [
        ("id", driver.id), ("version", driver.version), ("vendor", driver.vendor), ("license", driver.license),
        ("family", driver.family), ("library", driver.library), ("sha256", driver.sha256 ?? "not sealed (development)"),
        ("contract", driver.abi), ("capabilities", driver.capabilities.joined(separator: ", ")),
        ("peripherals", driver.peripherals.map(String.init).joined(separator: ", ")),
        ("from", driver.file), ("package", driver.package ?? ""), ("earlier version", driver.previous ?? ""),
        ("publisher", driver.publisher ?? ""), ("signed by", driver.signedBy.joined(separator: "\n")),
        ("state", driver.isEnabled ? "enabled" : "disabled"), ("note", driver.note ?? ""),
      ]
      terminal.list(lines)
    }
  }
}
