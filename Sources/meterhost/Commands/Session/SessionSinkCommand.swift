import ArgumentParser
import Foundation
import MeterCore
import GatewayAPI

extension SessionCommand {
  /// `meterhost session sink`: receivers beside the session's own.
  struct Sink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "sink", abstract: "Deliver every reading to further receivers, too.",
      discussion: """
        Each receiver gets each reading once, from the time when it was added. One that is out of reach holds no other one up. They
        go with the session.
        """,
      subcommands: [Add.self, List.self, Remove.self], defaultSubcommand: List.self)

    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a receiver, or give one another address or token.",
        discussion: """
          EXAMPLE
            meterhost session sink add research --receiver https://research.example --token-file token
          """)

      @Argument(help: "A name: a to z, 0 to 9 and -.")
      var name: String
      @OptionGroup var receiver: ReceiverOptions
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        let added = try await locations.perform(
          SinkAddRequest(name, kind: nil, token: try receiver.token(), setting: try receiver.values()))
        let terminal = Terminal()
        guard !output.json else {
          if let sink = added.sink { terminal.json(sink) }
          return
        }
        let reason = added.unvalidated.map { "; it will validate the token later: \($0)" }
        terminal.out("\(name) gets every reading from now on" + (reason ?? ""))
      }
    }

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the receivers beside the session's own.",
        discussion: "EXAMPLE\n  meterhost session sink list --json")

      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        let sinks = try await locations.perform(SinkListRequest()).filter { $0.role == "further" }
        let terminal = Terminal()
        guard !output.json else { return sinks.forEach { terminal.json($0) } }
        guard !sinks.isEmpty else { return terminal.error("there is no receiver but the session's own") }
        terminal.table(
          ["NAME", "RECEIVER", "FORMAT", "TOKEN"], sinks.map { [$0.name, $0.receiver, $0.format ?? "", $0.token] })
      }
    }

    struct Remove: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a receiver; what it has not got is not sent to it any more.",
        discussion: "EXAMPLE\n  meterhost session sink remove research")

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
}
