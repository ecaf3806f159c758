import ArgumentParser
import MeterCore
import GatewayAPI

extension QueueCommand {
  struct Images: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "images", abstract: "List images that are not delivered.",
      discussion: """
        An image waits until the receiver has accepted its reading, and is then sent apart. `queue resubmit` and `queue discard` take
        the reading's log_id.

        EXAMPLES
          meterhost queue images
          meterhost queue images --json --after 4711
        """)

    @OptionGroup var page: QueuePageOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let (items, hasMore) = try await page.collect(\.position) { after, limit in
        try await locations.perform(ImageListRequest(after: after, limit: limit))
      }
      let terminal = Terminal()
      guard !output.json else { return items.forEach { terminal.json($0) } }
      guard !items.isEmpty else { return terminal.error("no image waits for delivery") }
      let hasSeveral = Set(items.map(\.sink)).count > 1
      terminal.table(
        ["LOG ID"] + (hasSeveral ? ["TO"] : []) + ["STATE", "TRIES", "IMAGE"],
        items.map { item in
          let state = item.reason.map { "\(item.state): \($0)" } ?? item.state
          return [item.logID] + (hasSeveral ? [item.sink] : [])
            + [state, "\(item.attempts)", "\(item.contentType), \(item.size) bytes"]
        })
      if hasMore { terminal.error("there are more; --limit shows them") }
    }
  }
}
