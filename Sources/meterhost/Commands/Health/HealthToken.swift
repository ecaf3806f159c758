import ArgumentParser
import Foundation
import GatewayAPI

extension HealthCommand.Ingest {
  /// `meterhost health ingest token`: who may post exports.
  struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "token", abstract: "Make, list and take back tokens of sources that post exports.",
      discussion: "Only a hash of a token is kept: what was not noted down when it was made has to be made anew.",
      subcommands: [New.self, List.self, Revoke.self], defaultSubcommand: List.self)

    struct New: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make the token of a new source, and show it this once.",
        discussion: """
          It goes into the sender's settings as the header Authorization: Bearer TOKEN, or X-Api-Key: TOKEN.

          EXAMPLE
            meterhost health ingest token new phone
          """)

      @Argument(help: "What the source is to be called: letters, digits, -, _ and .")
      var name: String
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        let made = try await locations.perform(HealthTokenNewRequest(name))
        let terminal = Terminal()
        guard !output.json else { return terminal.json(made) }
        terminal.out(made.token)
        terminal.error("this is the token of \(made.name); it is not shown again")
      }
    }

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the sources, and what they have posted; never a token.",
        discussion: "EXAMPLE\n  meterhost health ingest token list --json")

      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        let sources = try await locations.perform(HealthTokenListRequest())
        let terminal = Terminal()
        guard !output.json else {
          for source in sources { terminal.json(source) }
          return
        }
        guard !sources.isEmpty else { return terminal.error("no source may post") }
        terminal.table(
          ["SOURCE", "MADE", "LAST USED", "POSTS", "NEW", "KNOWN", "REFUSED", "ERROR"],
          sources.map { source in
            [
              source.name, source.made, source.lastUsed ?? "never", "\(source.posts)", "\(source.accepted)",
              "\(source.duplicates)", "\(source.refused)", source.error?.code ?? "",
            ]
          })
      }
    }

    struct Revoke: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take a token back: what its source posts from now on is refused.",
        discussion: "EXAMPLE\n  meterhost health ingest token revoke phone")

      @Argument(help: "The source's name.")
      var name: String
      @OptionGroup var confirmation: ConfirmOptions
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        try await confirmation.confirm("Take the token of \(name) back?", output) {
          ["what posts with it is refused until it is given a new one"]
        }
        _ = try await locations.perform(HealthTokenRevokeRequest(name))
        let terminal = Terminal()
        output.json ? terminal.json(["revoked": name]) : terminal.out("\(name) may post no more")
      }
    }
  }
}
