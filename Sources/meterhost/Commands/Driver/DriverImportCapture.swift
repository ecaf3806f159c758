import GatewayAPI
import ArgumentParser
import BluetoothWire
import GatewayTools

extension DriverCommand {
  struct ImportCapture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import-capture", abstract: "Make a recording of a Bluetooth capture, to try a driver on it.",
      discussion: """
        Reads btsnoop: Android's Bluetooth HCI snoop log, or what `btmon --write` has written. The capture must hold how the phone found
        the meter's services; `driver replay` then shows the records that the driver makes of it. A capture is health data.

        EXAMPLES
          meterhost driver import-capture btsnoop_hci.log --peripheral 1000
          meterhost driver import-capture btsnoop_hci.log --peripheral 1000 --address 54:6C:0E:78:00:01
        """)

    @Argument(help: ArgumentHelp("A btsnoop file.", valueName: "file"), completion: .file())
    var file: String
    @Option(help: ArgumentHelp("The peripheral's id in the catalogue.", valueName: "id"))
    var peripheral: UInt32
    @Option(help: ArgumentHelp("The meter's address, where the capture holds several.", valueName: "address"))
    var address: String?
    @Option(help: ArgumentHelp("Write this file, encrypted to the support key.", valueName: "file"))
    var output: String?
    @Option(help: ArgumentHelp("A public support key in place of the one that is set.", valueName: "file"))
    var supportKey: String?
    @OptionGroup var form: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      if let address, BluetoothAddress(address) == nil {
        throw ValidationError("--address takes an address like AA:BB:CC:DD:EE:FF, not \(address).")
      }
      guard supportKey == nil || output != nil else { throw ValidationError("--support-key goes with --output.") }
    }

    func run() async throws {
      let desk = CaptureDesk(gateway: try locations.gateway())
      let imported = try desk.importing(
        file, peripheral: peripheral, address: address.flatMap { BluetoothAddress($0) }, output: output,
        supportKey: supportKey)
      let terminal = Terminal()
      guard !form.json else { return terminal.json(imported) }
      terminal.out("\(imported.recording): \(imported.steps) things of \(imported.address ?? "a meter")")
      for note in imported.notes { terminal.error(note) }
    }
  }
}
