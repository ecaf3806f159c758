import ArgumentParser
import Foundation
import MeterCore
import GatewayAPI
import GatewayTools

/// `meterhost meters`: the meters that this gateway knows.
struct MetersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "meters", abstract: "List, set, assign and forget the meters that this gateway knows.",
    discussion: """
      A meter is known once it was connected to or paired. One that brought nothing and that nobody has paired, set or been
      assigned is forgotten after a month.
      """, subcommands: [List.self, Set.self, Assign.self, Forget.self], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the meters that this gateway knows.",
      discussion: "EXAMPLES\n  meterhost meters list\n  meterhost meters list --paired --json")

    @Flag(help: "Only meters that are paired.")
    var paired = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let meters = try await locations.perform(MetersListRequest(paired: paired))
      let terminal = Terminal()
      guard !output.json else { return meters.forEach(terminal.json) }
      guard !meters.isEmpty else { return terminal.error(paired ? "no meter is paired" : "no meter is known") }
      terminal.table(
        [
          "UUID", "NAME", "PERIPHERAL", "ADDRESS", "PAIRED", "ASSIGNED TO", "LAST READ", "BATTERY", "FIRMWARE",
          "SETTINGS",
        ],
        meters.map(\.row),
        names: ["NAME", "PERIPHERAL"])
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set what holds for one meter.",
      discussion: """
        A clock is set after a read, while this machine's clock is trusted; an option of the read wins. The hold-off is how long passive
        reading ignores the meter after it has stopped advertising; one that goes on advertising is read again after --read-again. A
        chosen peripheral decides where the rules of several fit. What a scale weighs is compared with what its owner is known to
        weigh, and held when it cannot be the owner, unless it weighs anybody: infants, pets, things. On a shared scale people stand
        whom it does not know: only a person's word says what its owner weighs, and what is far from that is held.

        EXAMPLES
          meterhost meters set 5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11 --sync-clock on
          meterhost meters set 5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11 --hold-off 10 --peripheral 1000
          meterhost meters set 5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11 --peripheral none --json
          meterhost meters set 5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11 --weighs-anybody on --read-again 3600
          meterhost meters set 5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11 --shared on
        """)

    enum Choice: String, ExpressibleByArgument, CaseIterable {
      case on, off
    }

    @Argument(help: "The meter: its UUID, the beginning of it, its name or its address.", completion: .meters)
    var meter: String
    @Option(help: ArgumentHelp("Whether reads set the meter's clock: on or off.", valueName: "on|off"))
    var syncClock: Choice?
    @Option(
      help: ArgumentHelp("The hold-off of passive reading: 1 to 15, without a setting 5.", valueName: "seconds"))
    var holdOff: Int?
    @Option(
      help: ArgumentHelp(
        "When passive reading reads it again while it goes on advertising: 60 to 86400, or 0 for never; without a setting 900.",
        valueName: "seconds"))
    var readAgain: Int?
    @Option(
      help: ArgumentHelp("Whether the scale weighs infants, pets or things as well: on or off.", valueName: "on|off"))
    var weighsAnybody: Choice?
    @Option(
      help: ArgumentHelp(
        "Whether several people stand on the scale, and it knows none of them: on or off.", valueName: "on|off"))
    var shared: Choice?
    @Option(help: ArgumentHelp("The catalogue entry to read it as, or none for what its rules say.", valueName: "id"))
    var peripheral: PeripheralChoice?
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      let isNothing =
        syncClock == nil && holdOff == nil && readAgain == nil && weighsAnybody == nil && shared == nil
        && peripheral == nil
      guard !isNothing else {
        throw ValidationError(
          "Name what to set: --sync-clock, --hold-off, --read-again, --weighs-anybody, --shared or --peripheral.")
      }
      let range = MeterSettings.holdOffRange
      guard holdOff.map(range.contains) ?? true else {
        throw ValidationError("--hold-off takes \(range.lowerBound) to \(range.upperBound) seconds.")
      }
      let again = MeterSettings.readAgainRange
      guard readAgain.map({ $0 == 0 || again.contains($0) }) ?? true else {
        throw ValidationError("--read-again takes \(again.lowerBound) to \(again.upperBound) seconds, or 0 for never.")
      }
    }

    func run() async throws {
      var request = MetersSetRequest(try await locations.meter(meter))
      request.syncsClock = syncClock.map { $0 == .on }
      request.holdOffSeconds = holdOff
      request.readAgainSeconds = readAgain
      request.weighsAnybody = weighsAnybody.map { $0 == .on }
      request.isShared = shared.map { $0 == .on }
      request.choice = peripheral?.choice
      MetersCommand.show(try await locations.perform(request), output)
    }
  }

  struct Assign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "assign", abstract: "Assign a meter to the session's user without reading it, or to nobody.",
      discussion: """
        What the meter measures from now on is the user's; with --history also what it has measured before, unless that was another
        user's of this gateway. A later read assigns the meter to its session's user all the same.

        EXAMPLES
          meterhost meters assign 5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11 --slot 2
          meterhost meters assign 5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11 --nobody
        """)

    @Argument(help: "The meter: its UUID, the beginning of it, its name or its address.", completion: .meters)
    var meter: String
    @Option(help: ArgumentHelp("The user slot of a meter that several people share.", valueName: "number"))
    var slot: UInt16?
    @Flag(help: "Take what the meter measured before, too; the next read reads its whole memory.")
    var history = false
    @Flag(help: "End whose the meter is; with --slot, whose that slot is.")
    var nobody = false
    @Flag(help: "Vouch for this machine's clock although no time source disciplines it.")
    var trustClock = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard !nobody || !history else { throw ValidationError("Nobody has a history: --nobody goes without --history.") }
    }

    func run() async throws {
      var request = MetersAssignRequest(try await locations.meter(meter))
      request.slot = slot
      request.takesHistory = history
      request.toNobody = nobody
      request.trustsClock = trustClock
      MetersCommand.show(try await locations.perform(request), output)
    }
  }

  struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget", abstract: "Forget a meter: its bond, its own keys, its pairing and its settings.",
      discussion: """
        Readings, how far they were read, and whose the meter is stay. Other hosts, and the meter itself, keep their side.

        EXAMPLES
          meterhost meters forget 5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11
          meterhost meters forget Contour7800
        """)

    @Argument(help: "The meter: its UUID, the beginning of it, its name or its address.", completion: .meters)
    var meter: String
    @OptionGroup var confirmation: ConfirmOptions
    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let uuid = try await locations.meter(meter)
      try await confirmation.confirm("Forget this meter?", output) {
        let known = try await locations.perform(MetersListRequest()).first { $0.uuid == uuid.lowercased() }
        return [
          "\(known?.name ?? uuid): its bond, its own keys, its pairing and its settings go; its readings stay",
          known?.paired == nil ? "it is not paired" : "it has to be paired again before it is read",
        ]
      }
      let forgotten = try await locations.perform(MetersForgetRequest(uuid, radio: radio.choice))
      let terminal = Terminal()
      output.json ? terminal.json(forgotten) : terminal.out("\(forgotten.name) is forgotten")
    }
  }

  private static func show(_ meter: KnownMeterDescription, _ output: OutputOptions) {
    let terminal = Terminal()
    guard !output.json else { return terminal.json(meter) }
    terminal.list([
      ("meter", "\(meter.name)  \(meter.uuid)"), ("assigned to", meter.owners), ("settings", meter.chosen),
    ])
  }
}

/// A catalogue entry as people choose it: its id, or `none`.
struct PeripheralChoice: ExpressibleByArgument {
  let choice: MetersSetRequest.Choice

  init?(argument: String) {
    guard argument != "none" else {
      choice = .none
      return
    }
    guard let id = UInt32(argument) else { return nil }
    choice = .peripheral(id)
  }
}

extension KnownMeterDescription {
  fileprivate var row: [String] {
    [
      uuid, name, [peripheral.map(String.init), peripheralName].compactMap(\.self).joined(separator: " "),
      address ?? "", paired.map { "yes (bond: \($0.bond.rawValue))" } ?? "no", owners,
      lastRead.map(LocalTime.text) ?? "never",
      battery.map { "\($0.percent) % (\(LocalTime.text($0.told)))" } ?? "", firmware ?? "", chosen,
    ]
  }

  fileprivate var owners: String {
    guard !assigned.isEmpty else { return "nobody" }
    return assigned.map { owner in
      owner.user + (owner.slot.map { " (slot \($0))" } ?? "")
        + (owner.since.map { " since \(LocalTime.text($0))" } ?? "")
        + (owner.sinceUnknown == true ? ", since when is not known yet" : "")
    }.joined(separator: ", ")
  }

  fileprivate var chosen: String {
    [
      settings.syncClock ? "sets its clock" : nil, "hold-off \(settings.holdOff) s",
      settings.weighsAnybody ? "weighs anybody" : nil, settings.isShared ? "shared by several people" : nil,
      settings.readAgain == Int(MeterSettings.defaultReadAgainSeconds)
        ? nil : "read again after \(settings.readAgain) s",
      settings.peripheral.map { "read as \($0)" },
    ].compactMap(\.self).joined(separator: ", ")
  }
}
