import ArgumentParser
import MeterDrivers
import GatewayAPI

/// `meterhost peripherals`: the catalogue.
struct PeripheralsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peripherals", abstract: "Show which meters can be read.",
    subcommands: [List.self, Show.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the catalogue.",
      discussion: """
        EXAMPLES
          meterhost peripherals list
          meterhost peripherals list --type glucose_meter --json
          meterhost peripherals list --type scale
          meterhost peripherals list --search contour
          meterhost peripherals list --kind ocr          meters whose displays are read, as `meterhost snap list`
        """)

    @Option(help: "The catalogue: \(PeripheralKind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var kind = PeripheralKindArgument.bluetooth
    @Option(help: "Only this type: \(PeripheralType.allCases.map(\.rawValue).joined(separator: ", ")).")
    var type: PeripheralTypeArgument?
    @Option(help: ArgumentHelp("Only entries whose name, manufacturer or model contains this.", valueName: "text"))
    var search: String?
    @Flag(help: "Show disabled entries too.")
    var all = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      let found = try locations.catalogue().peripherals(
        kind.kind, type: type?.type, text: search, includesDisabled: all)
      let terminal = Terminal()
      guard !output.json else { return found.forEach { terminal.json($0) } }
      guard !found.isEmpty else {
        return terminal.error("no entry of the catalogue fits; `meterhost peripherals list` shows all")
      }
      terminal.table(
        ["ID", "TYPE", "NAME", "PAIRING", "HISTORY", "MATURITY"],
        found.map {
          [
            "\($0.id)", $0.type, $0.name, $0.requiresPairing ? "required" : "-", $0.storedHistory ? "yes" : "-",
            $0.disabled ? "disabled" : $0.driver == nil ? "no driver" : $0.maturity,
          ]
        })
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show one entry of the catalogue.",
      discussion: "EXAMPLE\n  meterhost peripherals show 1000")

    @Argument(help: "The peripheral's id.")
    var id: UInt32
    @Option(help: "The catalogue; ids are unique within one.")
    var kind = PeripheralKindArgument.bluetooth
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      let catalogue = try locations.catalogue()
      let peripheral = try catalogue.peripheral(id, kind: kind.kind)
      let terminal = Terminal()
      guard !output.json else { return terminal.json(peripheral) }
      let credentials = peripheral.credentials.map {
        "\($0.name): \($0.format), one for each \($0.scope), \($0.required ? "required" : "not required")"
      }
      let lines: [(name: String, value: String)] = [
        ("id", "\(peripheral.id)"), ("name", peripheral.name), ("manufacturer", peripheral.manufacturer),
        ("model", peripheral.model), ("type", peripheral.type), ("maturity", peripheral.maturity),
        ("driver", peripheral.driver ?? "none installed: nothing reads this meter without a bundle for it"),
        ("approval", peripheral.approvalNeeded ? "needed from its maker" : "not needed"),
        ("connection", peripheral.connectionKind),
        ("pairing", peripheral.requiresPairing ? "required" : "not required"),
        ("stored history", peripheral.storedHistory ? "yes" : "no"), ("passive reading", peripheral.passive),
        ("credentials", credentials.isEmpty ? "none" : credentials.joined(separator: "\n")),
        ("picture", picture(of: peripheral, in: catalogue)),
        ("services", peripheral.services.map(\.uuid).joined(separator: ", ")),
        ("instructions", peripheral.instructions), ("to pair", peripheral.pairingInstructions),
        ("to measure", peripheral.readingInstructions),
      ]
      terminal.list(lines)
    }

    private func picture(of meter: PeripheralDescription, in catalogue: LocalCatalogue) -> String {
      guard let picture = meter.picture else { return meter.imageURL ?? "none" }
      guard let fault = catalogue.pictureFault(of: meter, kind: kind.kind) else { return picture.file }
      return "not shown: \(fault)"
    }
  }
}

/// A peripheral type on the command line: by its name, or by a part that no other name has, such as `scale` or `pressure`.
struct PeripheralTypeArgument: ExpressibleByArgument {
  let type: PeripheralType

  init?(argument: String) {
    let name = argument.lowercased().replacing("-", with: "_").replacing(" ", with: "_")
    if let type = PeripheralType(rawValue: name) {
      self.type = type
      return
    }
    let named = PeripheralType.allCases.filter { $0.rawValue.contains(name) }
    guard name.utf8.count >= 3, named.count == 1, let type = named.first else { return nil }
    self.type = type
  }

  static var allValueStrings: [String] { PeripheralType.allCases.map(\.rawValue) }
}

/// A catalogue on the command line.
struct PeripheralKindArgument: ExpressibleByArgument {
  static let bluetooth = PeripheralKindArgument(kind: .bluetooth)

  let kind: PeripheralKind

  private init(kind: PeripheralKind) { self.kind = kind }

  init?(argument: String) {
    guard let kind = PeripheralKind(rawValue: argument) else { return nil }
    self.kind = kind
  }

  var defaultValueDescription: String { kind.rawValue }
  static var allValueStrings: [String] { PeripheralKind.allCases.map(\.rawValue) }
}
