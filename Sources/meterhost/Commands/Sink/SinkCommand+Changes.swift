import ArgumentParser
import GatewayAPI

extension SinkCommand {
  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "test", abstract: "Ask a receiver whether it can be reached, and what it says of its token.",
      discussion: """
        Nothing is sent to be stored. The exit status is 0 when the receiver accepts, 1 when it refuses, 69 when it cannot be reached or does
        not say.

        EXAMPLE
          meterhost sink test archive
        """)

    @OptionGroup var sink: SinkNameOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let answer = try await locations.perform(SinkTestRequest(try await locations.sink(sink.name)))
      let terminal = Terminal()
      if output.json { terminal.json(answer) }
      switch answer.verdict {
      case "accepted":
        if !output.json { terminal.out("\(sink.name) accepts readings") }
      case "unknown":
        throw GatewayError(
          .unavailable, code: "sink_unreachable", "\(sink.name) does not say: \(answer.reason ?? "no reason is known")",
          hint: "readings wait until it can be reached; `meterhost sink show \(sink.name)` tells more")
      default:
        throw GatewayError(
          .failed, code: "token_refused",
          answer.verdict == "other_user"
            ? "\(sink.name): \(answer.reason ?? "it says that the token is another user's")"
            : "\(sink.name) refuses its token",
          hint: "add it again with what is right: `meterhost sink add \(sink.name) --help`")
      }
    }
  }

  struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "pause", abstract: "Send nothing to a receiver until it is resumed; readings wait.",
      discussion: "EXAMPLE\n  meterhost sink pause archive")

    @OptionGroup var sink: SinkNameOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let paused = try await locations.perform(SinkPauseRequest(try await locations.sink(sink.name), paused: true))
      let terminal = Terminal()
      output.json ? terminal.json(paused) : terminal.out("\(sink.name) is paused; what it is to get waits")
    }
  }

  struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resume", abstract: "Let deliveries to a receiver go on.",
      discussion: "EXAMPLE\n  meterhost sink resume archive")

    @OptionGroup var sink: SinkNameOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let resumed = try await locations.perform(SinkPauseRequest(try await locations.sink(sink.name), paused: false))
      let terminal = Terminal()
      output.json ? terminal.json(resumed) : terminal.out("deliveries to \(sink.name) go on")
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a receiver; what it has not got is not sent to it any more.",
      discussion: "EXAMPLE\n  meterhost sink remove archive")

    @OptionGroup var sink: SinkNameOptions
    @OptionGroup var confirmation: ConfirmOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let name = try await locations.sink(sink.name)
      try await confirmation.confirm("Remove the receiver \(name)?", output) {
        ["what \(name) has not got is not sent to it any more, and its token is forgotten"]
      }
      _ = try await locations.perform(SinkRemoveRequest(name))
      let terminal = Terminal()
      output.json ? terminal.json(["name": name, "state": "removed"]) : terminal.out("\(name) is removed")
    }
  }
}
