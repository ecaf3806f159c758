import ArgumentParser
import GatewayAPI

/// `meterhost passive`: what is read without a person.
struct PassiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passive", abstract: "Choose the meters that the running host reads by itself.",
    discussion: """
      `meterhost run` listens all the time, connects when a chosen meter advertises, reads it and delivers. The choice outlasts restarts.
      """,
    subcommands: [Set.self, Show.self, Off.self], defaultSubcommand: Show.self)

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Choose the peripherals, in place of those that were chosen before.",
      discussion: "EXAMPLES\n  meterhost passive set 1000 3000\n  meterhost passive set 10100 --json")

    @Argument(help: "Ids of peripherals in the catalogue.")
    var peripherals: [UInt32]
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      PassiveView(json: output.json).show(try await locations.perform(PassiveSetRequest(peripherals)))
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show what is chosen.", discussion: "EXAMPLE\n  meterhost passive show")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      PassiveView(json: output.json).show(try await locations.perform(PassiveShowRequest()))
    }
  }

  struct Off: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "off", abstract: "Read nothing by itself any more.", discussion: "EXAMPLE\n  meterhost passive off")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      PassiveView(json: output.json).show(try await locations.perform(PassiveSetRequest([])))
    }
  }
}

private struct PassiveView {
  let json: Bool

  func show(_ passive: PassiveDescription) {
    let terminal = Terminal()
    guard !json else { return terminal.json(passive) }
    for entry in passive.peripherals {
      let doubt = entry.passive == "unreliable" ? "  (sometimes missed)" : ""
      terminal.out("\(entry.peripheral)  \(entry.name)\(doubt)")
    }
    if passive.peripherals.isEmpty {
      terminal.error("nothing is read passively")
    } else if let problem = passive.problem {
      terminal.error(problem)
    } else if !passive.isRunning {
      terminal.error("no host runs here; `meterhost run` reads them")
    }
  }
}
