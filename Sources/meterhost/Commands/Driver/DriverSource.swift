import ArgumentParser
import GatewayAPI

extension DriverCommand {
  /// `meterhost driver source`: where updates are looked for.
  struct Source: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "source", abstract: "Choose where updates of drivers are looked for.",
      discussion: """
        A source is a folder that a publisher serves over https, or a folder of this machine, with packages and a signed index of them.
        Only what is installed already is updated from there, and only by the publisher who has signed it.
        """, subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the sources, and what was wrong with them.",
        discussion: "EXAMPLE\n  meterhost driver source list --json")

      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        Source.show(try await locations.perform(DriverSourceListRequest()), asJSON: output.json)
      }
    }

    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Look for updates there, too.",
        discussion: """
          Nothing is fetched yet. Trust its publisher first: `driver trust add`.

          EXAMPLES
            meterhost driver source add https://drivers.example/meters
            meterhost driver source add /srv/drivers --beta
          """)

      @Argument(help: ArgumentHelp("An address with https, or the absolute path of a folder.", valueName: "source"))
      var source: String
      @Flag(help: "Take versions that are still being tried, too.")
      var beta = false
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        let request = DriverSourceAddRequest(source, takesBeta: beta)
        Source.show(try await locations.perform(request), asJSON: output.json)
      }
    }

    struct Remove: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Look for no more updates there.",
        discussion: """
          What is installed stays. Which index was seen there last stays known: an older one is refused when the source comes back.

          EXAMPLE
            meterhost driver source remove https://drivers.example/meters
          """)

      @Argument(help: ArgumentHelp("The source, as it was added.", valueName: "source"))
      var source: String
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        Source.show(try await locations.perform(DriverSourceRemoveRequest(source)), asJSON: output.json)
      }
    }

    private static func show(_ sources: [DriverSourceDescription], asJSON: Bool) {
      let terminal = Terminal()
      guard !asJSON else { return sources.forEach { terminal.json($0) } }
      guard !sources.isEmpty else { return terminal.error("updates are looked for nowhere") }
      for source in sources {
        let index = source.number.map { "index \($0) of \(source.publisher ?? "?")" } ?? "not looked at yet"
        terminal.out("\(source.source)  \(index)\(source.takesBeta ? ", beta" : "")")
        if let problem = source.problem { terminal.error(problem.message) }
      }
    }
  }
}
