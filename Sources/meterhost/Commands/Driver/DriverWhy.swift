import ArgumentParser
import GatewayTools

extension DriverCommand {
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
      let keys = KeyInventory(locations: places)
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
}
