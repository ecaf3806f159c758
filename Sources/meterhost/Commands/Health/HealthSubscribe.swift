public import ArgumentParser
import GatewayAPI
public import MeterHealth

extension HealthSet: ExpressibleByArgument {}

extension HealthCommand {
  /// `meterhost health subscribe`: what of exports is delivered.
  struct Subscribe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "subscribe", abstract: "Choose what of health exports is delivered.",
      discussion: """
        The choice belongs to the session and ends with it; without one nothing of an export is delivered. Exports that are imported from
        then on bring what is chosen; import one again for what was left out of it.
        """, subcommands: [List.self, Choose.self, Off.self], defaultSubcommand: List.self)
  }
}

extension HealthCommand.Subscribe {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show the sets, their sample types, and what is chosen.",
      discussion: """
        Types have HealthKit's names, whichever store an export is from; what HealthKit does not have is called by the host's own name. With
        --set the types of one set are shown, for which no session is needed.

        EXAMPLES
          meterhost health subscribe list
          meterhost health subscribe list --set sleep --json
        """)

    @Option(help: ArgumentHelp("Only the types of this set.", valueName: "set"))
    var set: HealthSet?
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      guard let set else {
        return HealthSubscriptionView(json: output.json).show(
          try await locations.perform(HealthSubscriptionRequest()))
      }
      let types = set.sampleTypes + set.furtherTypes
      let terminal = Terminal()
      if output.json { return terminal.json(["types": types]) }
      for type in types { terminal.out(type) }
    }
  }

  struct Choose: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Choose sets and sample types, in place of those before.",
      discussion: """
        A type is named as `meterhost health subscribe list` shows it, without HKQuantityTypeIdentifier and the like, or by the host's own
        name, such as resting_heart_rate; bloodPressure is both pressures. Steps in parts of five minutes go with the set routine, and only
        receivers of the format inform-v2 take them.

        EXAMPLES
          meterhost health subscribe set routine sleep bloodPressure
          meterhost health subscribe set routine --intraday --json
        """)

    @Argument(
      help: "Sets and sample types.", completion: .list(HealthSet.allCases.map(\.rawValue) + ["bloodPressure"]))
    var names: [String]
    @Flag(help: "Take steps in parts of five minutes, too.")
    var intraday = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      HealthSubscriptionView(json: output.json).show(
        try await locations.perform(HealthSubscribeRequest(names, processesIntraday: intraday)))
    }
  }

  struct Off: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "off", abstract: "Deliver nothing of health exports any more.",
      discussion: """
        What is in the queue is delivered all the same.

        EXAMPLE
          meterhost health subscribe off
        """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      HealthSubscriptionView(json: output.json).show(try await locations.perform(HealthSubscribeRequest([])))
    }
  }
}

private struct HealthSubscriptionView {
  let json: Bool

  func show(_ subscription: HealthSubscriptionDescription) {
    let terminal = Terminal()
    guard !json else { return terminal.json(subscription) }
    var rows: [[String]] = []
    for set in subscription.sets {
      for (index, type) in set.types.enumerated() {
        rows.append(index == 0 ? [set.name, set.isChosen ? "yes" : "", type] : ["", "", type])
      }
    }
    rows += subscription.types.map { ["", "yes", $0] }
    terminal.table(["SET", "CHOSEN", "TYPE"], rows)
    if subscription.isOff { terminal.error("nothing of health exports is delivered") }
    if subscription.processesIntraday { terminal.error("steps are delivered in parts of five minutes, too") }
  }
}
