import ArgumentParser
import Foundation
import GatewayAPI

extension HealthCommand {
  /// `meterhost health watch`: folders in which exports come by themselves.
  struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "watch", abstract: "Choose folders whose exports are imported as they come.",
      discussion: """
        The running host takes a file when it has not changed for ten seconds and looks like an export; half downloads, links and other folders
        than those of Samsung Health are passed by. Nothing is ever moved or deleted there. A file that cannot be imported is told of once, and tried again when it changes.
        The folders belong to the session's user and go with the session.
        """, subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the folders, and what came of their files.",
        discussion: "EXAMPLE\n  meterhost health watch list --json")

      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        WatchView(json: output.json).show(try await locations.perform(HealthWatchListRequest()))
      }
    }

    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Watch a folder, too.",
        discussion: "EXAMPLE\n  meterhost health watch add ~/Nextcloud/Health")

      @Argument(help: "The folder, which the host's user may read.", completion: .directory)
      var folder: String
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        let request = HealthWatchAddRequest(WatchView.path(folder))
        WatchView(json: output.json).show(try await locations.perform(request))
      }
    }

    struct Remove: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Leave a folder alone; what it has brought stays.",
        discussion: "EXAMPLE\n  meterhost health watch remove ~/Nextcloud/Health")

      @Argument(help: "The folder.", completion: .directory)
      var folder: String
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        let request = HealthWatchRemoveRequest(WatchView.path(folder))
        WatchView(json: output.json).show(try await locations.perform(request))
      }
    }
  }
}

private struct WatchView {
  let json: Bool

  /// From the root: whoever owns the state folder works elsewhere.
  static func path(_ folder: String) -> String { URL(fileURLWithPath: folder).standardizedFileURL.path }

  func show(_ folders: [HealthWatchDescription]) {
    let terminal = Terminal()
    guard !json else {
      for folder in folders { terminal.json(folder) }
      return
    }
    guard !folders.isEmpty else { return terminal.error("no folder is watched") }
    for folder in folders {
      terminal.out("\(folder.folder)  \(folder.taken) imported")
      for failure in folder.failed { terminal.out("  \(failure.file): \(failure.error.message)") }
      if let problem = folder.problem { terminal.error(problem) }
    }
    if folders.contains(where: { !$0.isRunning }) { terminal.error("no host runs here; `meterhost run` watches them") }
  }
}
