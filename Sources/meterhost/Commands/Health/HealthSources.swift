public import ArgumentParser
public import GatewayAPI

extension HealthStore: ExpressibleByArgument {}

extension HealthCommand {
  /// `meterhost health sources`: which source counts where several have recorded the same time.
  struct Sources: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "sources", abstract: "Choose which sources of health exports count.",
      discussion: """
        A phone and a watch count the same steps: of each moment one source counts, and gaps are filled from the next one. Sources are
        remembered from the first import on, watches before phones before others, in the order in which they were first seen. A change holds
        from the next import on, which sends days again that come to something else.
        """, subcommands: [List.self, Order.self, Off.self, On.self], defaultSubcommand: List.self)
  }
}

extension HealthCommand.Sources {
  struct StoreOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The health store.", valueName: "store"))
    var store: HealthStore?
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show the sources of each health store, those that count most first.",
      discussion: "EXAMPLES\n  meterhost health sources list\n  meterhost health sources list --store apple --json")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      HealthSourcesView(json: output.json).show(
        try await locations.perform(HealthSourcesRequest(in: store.store)))
    }
  }

  struct Order: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "order", abstract: "Let these sources count before all others, the first one most.",
      discussion: """
        In place of an order that was chosen before; without a key none is chosen any more. An export of Health Connect has its owner's
        order: it holds behind the sources that are named here.

        EXAMPLES
          meterhost health sources order "Riley's Watch" "Riley's iPhone"
          meterhost health sources order --store apple --json
        """)

    @Argument(help: ArgumentHelp("Sources as the list names them.", valueName: "key"))
    var keys: [String] = []
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      HealthSourcesView(json: output.json).show(
        try await locations.perform(HealthOrderRequest(keys, in: store.store)))
    }
  }

  struct Off: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "off", abstract: "Let a source not count at all.",
      discussion: "EXAMPLE\n  meterhost health sources off com.example.steps --store health-connect")

    @Argument(help: "The source as the list names it.")
    var key: String
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      HealthSourcesView(json: output.json).show(
        try await locations.perform(HealthSourceRequest(key, off: true, in: store.store)))
    }
  }

  struct On: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "on", abstract: "Let a source count again.",
      discussion: "EXAMPLE\n  meterhost health sources on com.example.steps")

    @Argument(help: "The source as the list names it.")
    var key: String
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      HealthSourcesView(json: output.json).show(
        try await locations.perform(HealthSourceRequest(key, off: false, in: store.store)))
    }
  }
}

private struct HealthSourcesView {
  let json: Bool

  func show(_ sources: [HealthSourceDescription]) {
    let terminal = Terminal()
    guard !json else { return sources.forEach { terminal.json($0) } }
    guard !sources.isEmpty else { return terminal.error("no source is known; the first import brings them") }
    terminal.table(
      ["STORE", "RANK", "KEY", "KIND", "NAME"],
      sources.map { source in
        let rank = source.rank.map { "\($0)" + (source.isChosen ? " (chosen)" : "") }
        return [source.store.rawValue, source.isOff ? "off" : rank ?? "", source.key, source.kind, source.name]
      })
  }
}
