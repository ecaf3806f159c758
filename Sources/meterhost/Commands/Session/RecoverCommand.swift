import ArgumentParser
import Foundation
import MeterCore
import GatewayAPI

extension SessionCommand {
  /// `meterhost session recover`: what an ended session has left.
  struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "recover", abstract: "Deliver what an ended session had not delivered.",
      discussion: """
        Each reading of the file goes into the queue under its own name, so that nothing is there twice, not even when this is done
        again. The session must be that of the user whose readings they are. The file stays; remove it when you no longer need it.
        With --list its readings are only shown, whoever's session it is.

        EXAMPLES
          meterhost session recover ~/.local/state/meterhost/recovery/session-0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b10.jsonl
          meterhost session recover --list --json --limit 100 session.jsonl
          meterhost session recover --list --json --limit 100 --after 100 session.jsonl
        """)

    @Argument(help: "The recovery file.", completion: .file(extensions: ["jsonl", "json"]))
    var file: String
    @Flag(help: "Show the readings of the file, and take none.")
    var list = false
    @OptionGroup var page: QueuePageOptions
    @Flag(help: "Leave delivery to a later command.")
    var noUpload = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let path = URL(fileURLWithPath: file).standardizedFileURL.path
      if list { return try await show(URL(fileURLWithPath: path)) }
      let summary = try await locations.perform(SessionRecoverRequest(file: path, delivers: !noUpload))
      let terminal = Terminal()
      guard !output.json else { return terminal.json(summary) }
      terminal.out(
        "\(summary.pending) readings and \(summary.images) images are delivered from now on, \(summary.held) wait as "
          + "before, \(summary.known) were known")
      if summary.unplaced > 0 {
        let sinks = summary.missingSinks.joined(separator: ", ")
        terminal.error("\(summary.unplaced) readings are still to go to \(sinks), which this session does not have")
        terminal.error("add it with `meterhost session sink add` and recover the file again")
      }
      if summary.damaged > 0 {
        terminal.error("\(summary.damaged) readings were damaged on the disk; what is left of them stands in the file")
      }
      for problem in summary.imageProblems { terminal.error("image \(problem)") }
    }

    private func show(_ file: URL) async throws {
      let (items, hasMore) = try await page.collect(\.position) { after, limit in
        try QueueItem.page(of: file, after: after, limit: limit)
      }
      QueuePageOptions.show(items, hasMore: hasMore, output, orElse: "the file has no readings")
    }
  }
}
