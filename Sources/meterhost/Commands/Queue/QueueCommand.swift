import ArgumentParser
import MeterCore
import GatewayAPI
import GatewayTools

/// `meterhost queue`: what waits for delivery, and what a person decides about it.
struct QueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "Show what waits for delivery, and decide about it.",
    subcommands: [
      List.self, Held.self, Dead.self, Images.self, Show.self, Confirm.self, Edit.self, Resubmit.self, Discard.self,
      Pause.self, Resume.self, Flush.self, Limits.self,
    ], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List readings that are not delivered.",
      discussion: """
        EXAMPLES
          meterhost queue list
          meterhost queue list --only held --only dead
          meterhost queue list --json | jq -r 'select(.state == "held") | .log_id'
          meterhost queue list --json --after 4711 --limit 1000
          meterhost queue list --only delivered
          meterhost queue list --default-user
        """)

    @Option(
      help: ArgumentHelp(
        "Only this state: \(DeliveryState.allCases.map(\.word).joined(separator: ", ")). May be repeated.",
        valueName: "state"))
    var only: [DeliveryStateArgument] = []
    @Flag(help: "What was read while there was no session, instead of the session's own.")
    var defaultUser = false
    @OptionGroup var page: QueuePageOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      try await page.show(Set(only.map(\.state)), ofDefaultUser: defaultUser, output, locations)
    }
  }

  struct Held: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "held", abstract: "List readings that wait for a person's word.",
      discussion: "EXAMPLE\n  meterhost queue held --json")

    @OptionGroup var page: QueuePageOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws { try await page.show([.held], output, locations) }
  }

  struct Dead: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "dead", abstract: "List readings that the receiver has refused for good.",
      discussion: "EXAMPLE\n  meterhost queue dead --json")

    @OptionGroup var page: QueuePageOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws { try await page.show([.dead], output, locations) }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show one reading and where its delivery stands.",
      discussion: "EXAMPLE\n  meterhost queue show 0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10 --json")

    @Argument(help: ArgumentHelp("The reading's log_id, or its beginning.", valueName: "log-id"), completion: .readings)
    var logID: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let items = try await locations.perform(QueueShowRequest(try await locations.readingName(logID)))
      guard !items.isEmpty else {
        throw GatewayError(
          .usage, code: "unknown_log_id", "no reading \(logID) is known", hint: "`meterhost queue list` shows the ids")
      }
      let terminal = Terminal()
      guard !output.json else { return items.forEach { terminal.json($0) } }
      for item in items {
        terminal.out("\(item.name) revision \(item.revision) to \(item.sink): \(item.state)")
        if let reason = item.reason { terminal.out("  reason      \(reason.inOneLine)") }
        if let kind = item.acknowledgement.flatMap(Acknowledgement.init(rawValue:)) {
          terminal.out("  delivered   means that \(kind.text)")
        }
        if let until = item.keptUntil {
          terminal.out("  kept        until \(LocalTime.text(until)); until then `queue resubmit` sends it again")
        }
        terminal.out("  tries       \(item.attempts)")
        if let error = item.lastError { terminal.out("  last error  \(error.inOneLine)") }
        if let receiverID = item.receiverID { terminal.out("  receiver id \(receiverID.inOneLine)") }
        for (number, line) in (item.reading?.lines ?? []).enumerated() {
          terminal.out((number == 0 ? "  reading     " : "              ") + line)
        }
      }
    }
  }
}
