import ArgumentParser
import Foundation
import GatewayAPI
import GatewayTools
import MeterService
import ProgramTerminal

/// `meterhost run`: the host in the foreground.
struct RunCommand: AsyncParsableCommand, InterruptibleCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the host: deliver all the time, and serve the other commands.",
    discussion: """
      Owns the state folder until it is interrupted. Other commands on the same folder, such as `read`, `queue` and `submit`, become its
      clients: they go over a socket in the folder, which only the folder's user may open. What they name by --registry, --fragments,
      --worker and --in-process is the running host's then.

      EXAMPLES
        meterhost run
        meterhost run --metrics 9464
        meterhost run --json &
        meterhost run --console               with pages for a browser; `meterhost console` opens them
        curl --no-buffer --unix-socket ~/.local/state/meterhost/control.sock http://localhost/v1/events
      """)

  @Option(
    help: ArgumentHelp(
      "Show metrics to a Prometheus there, without a password: a port of this machine alone, or an address and a port.",
      valueName: "address"))
  var metrics: String?

  @Flag(help: "Tell meters apart in metrics, by the ids of `meters list`.")
  var metricsPerMeter = false

  @OptionGroup var console: ConsoleOptions
  @OptionGroup var radio: RadioOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  private struct Running: Encodable {
    var event = "running"
    var pid: Int32
    var state: String
    var version: String
  }

  private func metricsSetting() throws(GatewayError) -> MetricsSetting {
    let isPerMeter = metricsPerMeter || ConfigurationInForce.flag(.runMetricsPerMeter)
    guard let metrics = metrics ?? ConfigurationInForce.text(.runMetrics) else {
      return MetricsSetting(tellsMetersApart: isPerMeter)
    }
    guard let address = MetricsAddress(metrics) else { throw GatewayError.metricsAddress(metrics) }
    return MetricsSetting(address: address, tellsMetersApart: isPerMeter)
  }

  func run() async throws {
    ProcessMemory.returnWhatIsFree()
    let setting = try metricsSetting()
    let pages = try console.settings()
    var host = try locations.host(radio: radio.choice)
    host.metrics = setting
    host.console = pages
    let service = host
    let (terminal, json) = (Terminal(), output.json || ConfigurationInForce.flag(.runJSON))
    let running = Running(
      pid: ProcessInfo.processInfo.processIdentifier, state: locations.places.state, version: GatewayVersion.host)
    try await Interruption.run {
      try await service.run {
        json
          ? terminal.json(running)
          : terminal.notice(
            "meterhost \(running.version) runs on \(running.state) (pid \(running.pid)); Ctrl-C ends it")
      }
    }
  }
}
