import ArgumentParser
import Foundation
import MeterGateway

/// `meterhost driver`: the installed drivers.
struct DriverCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "driver", abstract: "Show, check and try drivers.",
    subcommands: [List.self, Show.self, Why.self, Verify.self, Decode.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the drivers of the registry.",
      discussion: "EXAMPLE\n  meterhost driver list --json")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      let drivers = try locations.gateway().driverList()
      let terminal = Terminal()
      guard !output.json else { return drivers.forEach { terminal.json($0) } }
      guard !drivers.isEmpty else { return terminal.error("the registry holds no driver") }
      terminal.table(
        ["ID", "VERSION", "VENDOR", "PERIPHERALS"],
        drivers.map { [$0.id, $0.version, $0.vendor, $0.peripherals.map(String.init).joined(separator: " ")] })
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show one driver.",
      discussion: "EXAMPLE\n  meterhost driver show org.meterhost.glucose")

    @Argument(help: "The driver's id.")
    var id: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      let gateway = try locations.gateway()
      let driver = InstalledDriver(try gateway.driver(id), in: gateway.registry)
      let terminal = Terminal()
      guard !output.json else { return terminal.json(driver) }
      let lines: [(name: String, value: String)] = [
        ("id", driver.id), ("version", driver.version), ("vendor", driver.vendor), ("license", driver.license),
        ("family", driver.family), ("library", driver.library), ("sha256", driver.sha256 ?? "not sealed (development)"),
        ("contract", driver.abi), ("capabilities", driver.capabilities.joined(separator: ", ")),
        ("peripherals", driver.peripherals.map(String.init).joined(separator: ", ")),
      ]
      terminal.list(lines)
    }
  }

  struct Why: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "why",
      abstract: "Say why a driver is used for a meter, or why not: everything that is tried, in order.",
      discussion: """
        Exits 0 if it would be used, 1 if something refuses it, 64 if no file of the registry names it, 69 if the registry
        itself cannot be used.

        EXAMPLES
          meterhost driver why org.meterhost.glucose
          meterhost driver why 1000
        """)

    @Argument(help: "A driver's id, or a peripheral's number.")
    var id: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let (places, id) = (locations.locations, id)
      let keys = KeyInventory(state: places.state)
      let why = await WhyInquiry(locations: places, presence: keys.presence).explain(id)
      let terminal = Terminal()
      if output.json {
        terminal.json(why)
      } else {
        terminal.out(why.summary)
        for candidate in why.candidates { show(candidate, on: terminal) }
      }
      switch why.answer {
      case .usable: return
      case .refused: throw ExitCode(1)
      case .unknown: throw ExitCode(64)
      case .unavailable: throw ExitCode(69)
      }
    }

    private func show(_ candidate: Candidate, on terminal: Terminal) {
      let mark =
        switch candidate.verdict {
        case .passed: terminal.styled("passed ", .green, on: .output)
        case .warning: terminal.styled("warning", .yellow, on: .output)
        case .failed: terminal.styled("FAILED ", .red, on: .output)
        }
      let rule = candidate.rule.map { " [rule \($0)]" } ?? ""
      terminal.out("\(mark)  \(candidate.stage.rawValue)  \(candidate.place)")
      terminal.out("         \(candidate.reason)\(rule)")
      if let cure = candidate.cure { terminal.out("         \(cure)") }
    }
  }

  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify", abstract: "Check a bundle as loading it would, without loading it.",
      discussion: """
        EXAMPLES
          meterhost driver verify org.meterhost.glucose
          meterhost driver verify ./libmy-meter.so
        """)

    @Argument(help: ArgumentHelp("A driver's id, or a file.", valueName: "id or file"))
    var target: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      let report = try locations.gateway().verify(target)
      let terminal = Terminal()
      if output.json {
        terminal.json(report)
      } else if report.passed {
        terminal.out("\(report.file): \(terminal.styled("passed", .green, on: .output)), sha256 \(report.sha256 ?? "")")
      } else {
        terminal.error("\(terminal.styled("refused:", .red)) \(report.message ?? "")")
      }
      if !report.passed { throw ExitCode(1) }
    }
  }

  struct Decode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "decode", abstract: "Decode captured characteristic values.",
      discussion: """
        Reads lines of JSON from standard input: {"id","peripheral","characteristic","hex","device":{"name","manufacturer"}?}
        and answers each with one line: {"id","records":[...],"error":null|{"code","message"}}. Empty lines are skipped. A line that
        cannot be decoded is answered with its error; the command still exits 0.

        EXAMPLE
          echo '{"id":"1","peripheral":4000,"characteristic":"2A1C","hex":"06680100ffe207030a15340002"}' | meterhost driver decode
        """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let decoder = try locations.gateway().decoder
      var input = LineReader(descriptor: STDIN_FILENO, maximumLength: DriverDecoder.maximumLineLength)
      let terminal = Terminal()
      while let lines = try input.next() {
        for answer in await decoder.decode(lines: lines) { terminal.json(answer) }
      }
    }
  }
}
