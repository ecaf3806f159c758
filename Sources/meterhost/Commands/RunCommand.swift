import ArgumentParser
import Foundation
import GatewayAPI
import MeterService

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
        meterhost run --json &
        meterhost run --console               with pages for a browser; `meterhost console` opens them
        curl --no-buffer --unix-socket ~/.local/state/meterhost/control.sock http://localhost/v1/events
      """)

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

  func run() async throws {
    ProcessMemory.returnWhatIsFree()
    let pages = try console.settings()
    var host = try locations.host(radio: radio.choice)
    host.console = pages
    let service = host
    let (terminal, json) = (Terminal(), output.json)
    let running = Running(
      pid: ProcessInfo.processInfo.processIdentifier, state: locations.places.state, version: GatewayVersion.host)
    try await Interruption.run {
      try await service.run {
        json
          ? terminal.json(running)
          : terminal.error("meterhost \(running.version) runs on \(running.state) (pid \(running.pid)); Ctrl-C ends it")
      }
    }
  }
}
