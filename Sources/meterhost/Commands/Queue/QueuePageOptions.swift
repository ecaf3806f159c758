import ArgumentParser
import MeterCore
import GatewayAPI

/// Which part of the queue is listed.
struct QueuePageOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The most entries to list; the last reading's are listed whole.", valueName: "count"))
  var limit = 1000
  @Option(
    help: ArgumentHelp("Only entries behind this position, which each line of --json has.", valueName: "position"))
  var after: Int64 = 0

  func validate() throws {
    guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000000.") }
    guard after >= 0 else { throw ValidationError("--after takes a position of an earlier list.") }
  }

  /// Asks for the pages that make up what is wanted.
  ///
  /// - Returns: The items, and whether there are more.
  func collect<Item>(
    _ position: KeyPath<Item, Int64>, _ page: (_ after: Int64, _ limit: Int) async throws -> [Item]
  ) async throws -> (items: [Item], hasMore: Bool) {
    var items: [Item] = []
    var mayHaveMore = true
    // One more than is shown tells whether there are more.
    while mayHaveMore, items.count <= limit {
      let wanted = min(limit - items.count + 1, QueueListRequest.longest)
      let found = try await page(items.last?[keyPath: position] ?? after, wanted)
      mayHaveMore = found.count >= wanted
      items += found
    }
    // The position of the last line is where the next list begins: all lines of its reading are shown.
    let last = items.prefix(limit).last?[keyPath: position]
    let shown = items.enumerated().prefix { $0.offset < limit || $0.element[keyPath: position] == last }
    return (shown.map(\.element), items.count > shown.count)
  }

  func show(
    _ states: Set<DeliveryState>, ofDefaultUser isOfDefaultUser: Bool = false, _ output: OutputOptions,
    _ locations: LocationOptions
  ) async throws {
    var isPaused = false
    var limits: QueueLimitsDescription?
    var waits: [SinkWaitDescription] = []
    let (items, hasMore) = try await collect(\.position) { after, limit in
      let page = try await locations.perform(
        QueueListRequest(states: Array(states), after: after, limit: limit, isOfDefaultUser: isOfDefaultUser))
      isPaused = page.paused
      limits = page.limits
      waits = page.waits ?? []
      return page.items
    }
    let terminal = Terminal()
    if isPaused { terminal.error("deliveries are paused; `meterhost queue resume` ends it") }
    for wait in waits { terminal.error(wait.text) }
    Self.show(
      items, hasMore: hasMore, output,
      orElse: states.isEmpty ? "nothing waits for delivery" : "nothing is in that state")
    if !output.json, let limits { terminal.error("the queue holds \(limits.text)") }
  }

  /// - Parameter nothing: What is said where there are no items.
  static func show(_ items: [QueueItem], hasMore: Bool, _ output: OutputOptions, orElse nothing: String) {
    let terminal = Terminal()
    guard !output.json else { return items.forEach { terminal.json($0) } }
    guard !items.isEmpty else { return terminal.error(nothing) }
    // With one receiver its name says nothing; with two each reading has two lines.
    let hasSeveral = Set(items.map(\.sink)).count > 1
    terminal.table(
      ["LOG ID"] + (hasSeveral ? ["TO"] : []) + ["STATE", "TRIES", "READING"],
      items.map { item in
        [item.name] + (hasSeveral ? [item.sink] : [])
          + [item.stateText, "\(item.attempts)", item.reading?.summary ?? ""]
      })
    for line in acknowledgements(items) { terminal.error(line) }
    for line in failures(items) { terminal.error(line) }
    if hasMore { terminal.error("there are more; --limit shows them") }
  }

  /// A line for each receiver: which it is, and what it means that a reading is delivered there.
  private static func acknowledgements(_ items: [QueueItem]) -> [String] {
    var kinds: [String: Acknowledgement] = [:]
    for item in items { kinds[item.sink] = item.acknowledgement.flatMap(Acknowledgement.init(rawValue:)) }
    return kinds.sorted { $0.key < $1.key }.map { "delivered to \($0.key) means that \($0.value.text)" }
  }

  /// A line for each receiver with which something waits after a failed attempt: why the last one of it did.
  private static func failures(_ items: [QueueItem]) -> [String] {
    let failed = items.filter { $0.state == DeliveryState.pending.word && $0.attempts > 0 && $0.lastError != nil }
    return Dictionary(grouping: failed, by: \.sink).sorted { $0.key < $1.key }.map { sink, items in
      let count = items.count == 1 ? "1 waits" : "\(items.count) wait"
      return "\(count) for another attempt at the receiver \(sink); the last has failed: "
        + (items.last?.lastError ?? "").inOneLine
    }
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
