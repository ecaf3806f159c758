import ArgumentParser
import GatewayAPI
import GatewayTools
import ProgramTerminal

/// `meterhost demo`: the main job from a meter's bytes to the receiver.
struct DemoCommand: AsyncParsableCommand, InterruptibleCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Read virtual meters with real meters' bytes and show what a receiver stores.",
    discussion: """
      Starts a receiver and virtual meters in a temporary folder, reads every meter twice, uploads, and compares what the
      receiver holds with what the meters' vectors say. Exits 1 if one reading is missing, doubled or different. With --json standard
      output has one object a stored reading, and standard error one object {"problem"} a reading that is wrong.

      EXAMPLES
        meterhost demo
        meterhost demo --json | jq -r '.metric'
        meterhost demo --keep /tmp/demo      leave the folder with both databases behind
      """)

  @Option(help: ArgumentHelp("The folder with the meters' scripts.", valueName: "folder"))
  var meters: String?
  @Option(help: ArgumentHelp("Use this new or empty folder and leave it behind.", valueName: "folder"))
  var keep: String?
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func run() async throws {
    let gateway = try locations.gateway()
    let demo = try Demo(gateway: gateway, meters: meters, folder: keep)
    let terminal = Terminal()
    let json = output.json
    let report = try await Interruption.whileRunning(onInterrupt: { demo.cancel() }) { _ in
      try await demo.run { step in
        guard !json else { return }
        switch step {
        case .reading(let meter, let round): terminal.progress("reading \(meter) (round \(round))")
        case .read(let meter, let round, let new, let duplicates):
          terminal.endProgress()
          terminal.notice(
            terminal.styled("  round \(round)  \(meter): \(new) new, \(duplicates) already known", .dim))
        case .uploading: terminal.progress("uploading")
        }
      }
    }
    terminal.endProgress()
    json ? report.readings.forEach { terminal.json($0) } : show(report, on: terminal)
    for problem in report.problems {
      guard !json else {
        terminal.rawError(GatewayJSON.line(["problem": problem]))
        continue
      }
      terminal.error("\(terminal.styled("\(problem.kind.rawValue):", .red)) \(problem.message)")
    }
    if !report.problems.isEmpty { throw ExitCode(1) }
  }

  private func show(_ report: DemoReport, on terminal: Terminal) {
    terminal.table(
      ["METER", "LOCAL TIME", "METRIC", "VALUE", "UNIT", "STORED AS"],
      report.readings.map {
        // A code has no unit.
        let unit = $0.unit == "1" ? "" : UnitSpelling.readable($0.unit, of: $0.metric)
        // Without fractions, as times are shown; a meter without a clock has the host's.
        let time = $0.civilTime.map { String($0.prefix(19)).replacing("T", with: " ") } ?? "none"
        return [$0.meter, time, $0.metric, $0.valueText, unit, String($0.logID.prefix(8))]
      })
    terminal.error(
      report.problems.isEmpty
        ? terminal.styled(
          "\(Set(report.readings.map(\.logID)).count) readings of \(report.meterCount) meters stored, each exactly once; a second read delivered nothing.",
          .green)
        : terminal.styled(
          "\(report.problems.count) \(report.problems.count == 1 ? "reading is" : "readings are") not as they must be",
          .red))
  }
}
