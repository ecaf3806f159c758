import ArgumentParser
import MeterCore
import GatewayAPI

// Whether and when deliveries go out.

extension QueueCommand {
  /// Whether deliveries are paused, as `--json` shows it.
  private struct Flow: Encodable {
    let paused: Bool
  }

  struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "pause", abstract: "Send nothing until `queue resume`; readings are taken and kept.",
      discussion: "EXAMPLE\n  meterhost queue pause")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      _ = try await locations.perform(QueuePauseRequest(paused: true))
      let terminal = Terminal()
      output.json ? terminal.json(Flow(paused: true)) : terminal.out("deliveries are paused; `queue resume` ends it")
    }
  }

  struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resume",
      abstract: "Send again after `queue pause`; what has to wait for a later attempt goes on waiting.",
      discussion: "EXAMPLE\n  meterhost queue resume")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      _ = try await locations.perform(QueuePauseRequest(paused: false))
      let terminal = Terminal()
      output.json ? terminal.json(Flow(paused: false)) : terminal.out("deliveries go on")
      // Whoever ends a pause says nothing of a receiver that has asked for a wait: `queue flush` does.
      _ = try await locations.perform(QueueFlushRequest(respectsWaits: true))
    }
  }

  struct Flush: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "flush", abstract: "Send now what waits for a later attempt.",
      discussion: "EXAMPLE\n  meterhost queue flush")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let left = try await locations.perform(QueueFlushRequest())
      let terminal = Terminal()
      output.json ? terminal.json(["pending": left]) : terminal.out("nothing waits for the receiver")
    }
  }
}
