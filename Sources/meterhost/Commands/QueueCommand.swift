import ArgumentParser
import MeterCore
import MeterGateway

/// `meterhost queue`: what waits for delivery.
struct QueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "Show what waits for delivery.", subcommands: [List.self, Show.self, Confirm.self],
    defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List readings that are not delivered.",
      discussion: """
        EXAMPLES
          meterhost queue list
          meterhost queue list --json | jq -r 'select(.state == "held") | .log_id'
        """)

    @Option(help: ArgumentHelp("The most entries to list.", valueName: "count"))
    var limit = 1000
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000000.") }
    }

    func run() throws {
      let store = try locations.gateway().openStore()
      // One more than is shown tells whether there are more.
      let found = try store.queueSnapshot(limit: limit + 1).map(QueueItem.init)
      let items = found.prefix(limit)
      let terminal = Terminal()
      guard !output.json else { return items.forEach { terminal.json($0) } }
      guard !items.isEmpty else { return terminal.error("nothing waits for delivery") }
      terminal.table(
        ["LOG ID", "STATE", "TRIES", "READING"],
        items.map { item in
          let state = item.reason.map { "\(item.state): \($0)" } ?? item.state
          return [item.logID, state, "\(item.attempts)", item.reading?.summary ?? ""]
        })
      if found.count > limit { terminal.error("there are more; --limit shows them") }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show one reading and where its delivery stands.",
      discussion: "EXAMPLE\n  meterhost queue show 0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10 --json")

    @Argument(help: "The reading's log_id.")
    var logID: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() throws {
      let items = try locations.gateway().openStore().queueEntry(QueueCommand.logID(logID)).map(QueueItem.init)
      guard !items.isEmpty else {
        throw GatewayError(
          .usage, code: "unknown_log_id", "no reading \(logID) is known", hint: "`meterhost queue list` shows the ids")
      }
      let terminal = Terminal()
      guard !output.json else { return items.forEach { terminal.json($0) } }
      for item in items {
        terminal.out("\(item.logID) revision \(item.revision) to \(item.sink): \(item.state)")
        if let reason = item.reason { terminal.out("  reason      \(reason)") }
        terminal.out("  tries       \(item.attempts)")
        if let error = item.lastError { terminal.out("  last error  \(error)") }
        if let receiverID = item.receiverID { terminal.out("  receiver id \(receiverID)") }
        if let reading = item.reading { terminal.out("  reading     \(reading.summary)") }
      }
    }
  }

  struct Confirm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "confirm", abstract: "Deliver readings that wait for a person's word.",
      discussion: """
        Readings wait when they were read with --confirm-first, are implausible, or have a time that is in doubt. Look at one with
        `queue show` before you confirm it.

        EXAMPLE
          meterhost queue confirm 0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10
        """)

    @Argument(help: "The readings' log_ids.")
    var logIDs: [String]
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let store = try locations.gateway().openStore()
      let wanted = try Set(logIDs.map { text throws(GatewayError) in try QueueCommand.logID(text) })
      let confirmed = try store.confirm(wanted)
      let terminal = Terminal()
      for logID in confirmed.map(\.description).sorted() {
        output.json ? terminal.json(["log_id": logID, "state": "pending"]) : terminal.out("\(logID) is released")
      }
      if !confirmed.isEmpty { _ = await (try GatewayDelivery.configured(store: store))?.drain() }
      guard confirmed.count == wanted.count else {
        throw GatewayError(
          .failed, code: "not_confirmable",
          "\(wanted.count - confirmed.count) of the readings do not wait for a person's word",
          hint: "`meterhost queue show LOG_ID` says where each stands")
      }
    }
  }

  private static func logID(_ text: String) throws(GatewayError) -> LogID {
    guard let logID = LogID(text) else {
      throw GatewayError(.usage, code: "bad_log_id", "\(text) is no UUID", hint: "`meterhost queue list` shows the ids")
    }
    return logID
  }
}
