import GatewayAPI
import ArgumentParser

extension DriverCommand {
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the drivers of the registry.",
      discussion: "EXAMPLE\n  meterhost driver list --json")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      let drivers = try locations.catalogue().drivers()
      let terminal = Terminal()
      guard !output.json else { return drivers.forEach { terminal.json($0) } }
      guard !drivers.isEmpty else { return terminal.error("the registry holds no driver") }
      terminal.table(
        ["ID", "VERSION", "VENDOR", "PUBLISHER", "STATE", "PERIPHERALS"],
        drivers.map {
          [
            $0.id, $0.version, $0.vendor, $0.publisher ?? "-", $0.isEnabled ? "enabled" : "disabled",
            $0.peripherals.map(String.init).joined(separator: " "),
          ]
        })
      for driver in drivers {
        if let note = driver.note { terminal.out("\(driver.id): \(note)") }
      }
    }
  }
}
