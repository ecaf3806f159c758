import ArgumentParser
import Foundation
import GatewayAPI

extension HealthCommand {
  /// `meterhost health fetch-latest`: what the feeds have, now.
  struct FetchLatest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "fetch-latest", abstract: "Import now what watched folders and posting sources have brought.",
      discussion: """
        The newest export of each watched folder, without waiting until it has settled, and everything that was posted and still waits. Exits 1
        when something of it cannot be imported, and 75 when something can be later.

        EXAMPLE
          meterhost health fetch-latest --json
        """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let feeds = try await locations.perform(HealthFetchLatestRequest())
      let terminal = Terminal()
      for feed in feeds {
        guard !output.json else {
          terminal.json(feed)
          continue
        }
        terminal.out("\(feed.name)\(feed.file.map { "/\($0)" } ?? "")  \(Self.words(feed))")
        if let error = feed.error { terminal.out("  \(error.message)") }
      }
      if feeds.isEmpty, !output.json { terminal.error("no folder is watched, and nothing was posted") }
      if feeds.contains(where: { $0.state.known == .failed }) { throw ExitCode(1) }
      if feeds.contains(where: { $0.state.known == .waits }) { throw ExitCode(75) }
    }

    private static func words(_ feed: HealthFetchDescription) -> String {
      switch feed.state.known {
      case .imported?:
        "\(feed.accepted) new, \(feed.duplicates) known" + (feed.refused > 0 ? ", \(feed.refused) refused" : "")
      case .known?: "was imported before"
      case .running?: "is being imported"
      case .nothing?: "has no export"
      case .failed?: "cannot be imported"
      case .waits?: "is tried again"
      case nil: feed.state.rawValue
      }
    }
  }
}
