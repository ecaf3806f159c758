import ArgumentParser
import MeterCore
import MeterGateway

// Whether and when deliveries go out.

extension QueueCommand {
  /// Whether deliveries are paused, as `--json` shows it.
  private struct Flow: Encodable {
    let paused: Bool
  }

  struct Pause: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "pause", abstract: "Send nothing until `queue resume`; readings are taken and kept.",
      discussion: "EXAMPLE\n  meterhost queue pause")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      try locations.gateway().openStore().setPaused(true)
      let terminal = Terminal()
      output.json ? terminal.json(Flow(paused: true)) : terminal.out("deliveries are paused; `queue resume` ends it")
    }
  }

  struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resume", abstract: "Send again after `queue pause`.",
      discussion: "EXAMPLE\n  meterhost queue resume")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let store = try locations.gateway().openStore()
      try store.setPaused(false)
      let terminal = Terminal()
      output.json ? terminal.json(Flow(paused: false)) : terminal.out("deliveries go on")
      try await QueueCommand.finish(store)
    }
  }

  struct Flush: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "flush", abstract: "Send now what waits for a later attempt.",
      discussion: "EXAMPLE\n  meterhost queue flush")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let store = try locations.gateway().openStore()
      guard try !store.isPaused() else {
        throw GatewayError(
          .failed, code: "paused", "deliveries are paused", hint: "`meterhost queue resume` ends it and sends")
      }
      try await QueueCommand.finish(store)
      let terminal = Terminal()
      let left = try store.tally()[.pending] ?? 0
      output.json ? terminal.json(["pending": left]) : terminal.out("nothing waits for the receiver")
    }
  }

  /// Sends what can be sent; fails when something is left.
  private static func finish(_ store: MeterStore) async throws {
    guard let delivery = try GatewayDelivery.configured(store: store) else {
      guard try store.tally()[.pending] == nil else {
        throw GatewayError(
          .failed, code: "no_receiver", "there is no session with a receiver",
          hint: "start one: `meterhost session start --help`")
      }
      return
    }
    try await delivery.finish()
  }
}
