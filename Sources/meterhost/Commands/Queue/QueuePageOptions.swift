import ArgumentParser
import MeterCore
import MeterGateway

/// Which part of the queue is listed.
struct QueuePageOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The most entries to list.", valueName: "count"))
  var limit = 1000
  @Option(
    help: ArgumentHelp("Only entries behind this position, which each line of --json has.", valueName: "position"))
  var after: Int64 = 0

  func validate() throws {
    guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000000.") }
    guard after >= 0 else { throw ValidationError("--after takes a position of an earlier list.") }
  }

  func show(_ states: Set<DeliveryState>, _ output: OutputOptions, _ locations: LocationOptions) throws {
    let store = try locations.gateway().openStore()
    // One more than is shown tells whether there are more.
    let found = try store.queueSnapshot(states: states, after: after, limit: limit + 1).map(QueueItem.init)
    let items = found.prefix(limit)
    let terminal = Terminal()
    if try store.isPaused() { terminal.error("deliveries are paused; `meterhost queue resume` ends it") }
    guard !output.json else { return items.forEach { terminal.json($0) } }
    guard !items.isEmpty else {
      return terminal.error(states.isEmpty ? "nothing waits for delivery" : "nothing is in that state")
    }
    terminal.table(
      ["LOG ID", "STATE", "TRIES", "READING"],
      items.map { item in
        let state = item.reason.map { "\(item.state): \($0)" } ?? item.state
        return [item.logID, state, "\(item.attempts)", item.reading?.summary ?? ""]
      })
    if found.count > limit { terminal.error("there are more; --limit shows them") }
  }
}

/// A delivery's state as people type it.
struct DeliveryStateArgument: ExpressibleByArgument {
  let state: DeliveryState

  init?(argument: String) {
    guard let state = DeliveryState.allCases.first(where: { $0.word == argument }) else { return nil }
    self.state = state
  }

  static var allValueStrings: [String] { DeliveryState.allCases.map(\.word) }
}
