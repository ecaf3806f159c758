import ArgumentParser
import GatewayAPI

/// `meterhost metrics`: what the running host counts and measures.
struct MetricsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Show what the running host counts and measures.",
    discussion: """
      In the form of OpenMetrics, as a Prometheus reads it from the socket or from the address of `run --metrics`. Counts begin at 0 when the
      host starts. There is no health value in them, no user and no name of a reading.

      EXAMPLES
        meterhost metrics
        meterhost metrics --json
      """)

  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func run() async throws {
    let families = try await locations.performByService(MetricsShowRequest()).families
    let terminal = Terminal()
    if output.json {
      for family in families { terminal.json(family) }
    } else {
      terminal.raw(String(MetricsForm.openMetrics.text(families).dropLast()))
    }
  }
}
