import ArgumentParser
import GatewayAPI

extension DriverCommand {
  struct Quarantine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "quarantine", abstract: "Show and lift what keeps faulty drivers from being used.",
      discussion: """
        A driver that fails twice with a meter is not used with it for an hour, then two, and so on. A bundle that fails without any meter,
        or with three that have been read before, is not used at all. Another version of the bundle starts anew.
        """, subcommands: [List.self, Show.self, Lift.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what drivers have done wrong.",
        discussion: "EXAMPLE\n  meterhost driver quarantine --json")

      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        let offences = try await locations.perform(QuarantineListRequest())
        let terminal = Terminal()
        guard !output.json else { return offences.forEach { terminal.json($0) } }
        guard !offences.isEmpty else { return terminal.error("no driver has done anything wrong") }
        terminal.table(
          ["DRIVER", "METER", "STATE", "FAULTS", "LAST", "UNTIL", "RULE"],
          offences.map {
            [
              $0.driver, $0.meter ?? "(all)", $0.state.rawValue, "\($0.count)", $0.last, $0.until ?? "",
              $0.rule ?? $0.code,
            ]
          })
      }
    }

    struct Show: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show everything that is noted against one driver.",
        discussion: "EXAMPLE\n  meterhost driver quarantine show org.meterhost.glucose")

      @Argument(help: "The driver's id.")
      var id: String
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        let offences = try await locations.perform(QuarantineListRequest(driver: id))
        let terminal = Terminal()
        guard !output.json else { return offences.forEach { terminal.json($0) } }
        guard !offences.isEmpty else { return terminal.error("nothing is noted against \(id)") }
        for (number, offence) in offences.enumerated() {
          if number > 0 { terminal.out("") }
          terminal.list([
            ("driver", offence.driver), ("bundle", offence.bundle), ("meter", offence.meter ?? "(all)"),
            ("state", offence.state.rawValue), ("until", offence.until ?? ""), ("faults", "\(offence.count)"),
            ("first", offence.first), ("last", offence.last), ("code", offence.code), ("rule", offence.rule ?? ""),
            ("message", offence.message), ("recording", offence.recording ?? ""),
          ])
        }
      }
    }

    struct Lift: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "lift", abstract: "Let a driver be used again.",
        discussion: """
          EXAMPLES
            meterhost driver quarantine lift org.meterhost.glucose
            meterhost driver quarantine lift org.meterhost.glucose --meter 7C:01:0A:60:05:00
          """)

      @Argument(help: "The driver's id.")
      var id: String
      @Option(help: ArgumentHelp("Only with this meter, by its name in the list.", valueName: "meter"))
      var meter: String?
      @OptionGroup var output: OutputOptions
      @OptionGroup var locations: LocationOptions

      func run() async throws {
        let lifted = try await locations.perform(QuarantineLiftRequest(driver: id, meter: meter))
        let terminal = Terminal()
        guard !output.json else { return lifted.forEach { terminal.json($0) } }
        for offence in lifted {
          terminal.out("\(offence.driver) may be used again\(offence.meter.map { " with \($0)" } ?? "")")
        }
      }
    }
  }
}
