import ArgumentParser
import MeterCore
import GatewayAPI
import GatewayTools

/// `meterhost log`: what is logged.
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show and switch what is logged of each part of the host.",
    discussion: """
      The settings belong to the state folder; a running host obeys at once. METERHOST_LOG overrides them for one process. Log lines go to
      standard error, or to the journal with the fields METERHOST_AREA and others when systemd connects standard error to it.
      """, subcommands: [Show.self, Tail.self, Set.self, Values.self], defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show what is logged.", discussion: "EXAMPLE\n  meterhost log")

    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws { LogCommand.show(try await locations.perform(LogShowRequest()), output) }
  }

  struct Tail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "tail", abstract: "Show the newest log lines of the running host.",
      discussion: """
        The host keeps the newest 500 in its memory, wherever they go beside; none while health values may stand in them.

        EXAMPLES
          meterhost log tail
          meterhost log tail --lines 500 --json
        """)

    @Option(help: ArgumentHelp("So many at most, 1 to 500.", valueName: "count"))
    var lines = 50
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func validate() throws {
      guard (1...LogTailRequest.most).contains(lines) else {
        throw ValidationError("--lines is a number from 1 to \(LogTailRequest.most).")
      }
    }

    func run() async throws {
      let terminal = Terminal()
      for line in try await locations.perform(LogTailRequest(limit: lines)) {
        if output.json {
          terminal.json(line)
        } else {
          terminal.out("\(LocalTime.text(line.time)) \(line.level) \(line.area): \(line.text)")
        }
      }
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Switch how much is logged.",
      discussion: """
        EXAMPLES
          meterhost log set debug --area bluetooth --area drivers
          meterhost log set off
        """)

    @Argument(help: "trace, debug, info, notice, warning, error, critical or off.")
    var volume: LogVolumeArgument
    @Option(help: ArgumentHelp("Only this area; may be repeated. All areas without it.", valueName: "area"))
    var area: [LogAreaArgument] = []
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let areas = area.isEmpty ? LogArea.allCases : area.map(\.area)
      let volumes = Dictionary(areas.map { ($0, volume.volume) }, uniquingKeysWith: { first, _ in first })
      LogCommand.show(try await locations.perform(LogSetRequest(volumes: volumes)), output)
    }
  }

  struct Values: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "values", abstract: "Let health values stand in log lines, or not; tokens and keys never do.",
      discussion: "EXAMPLE\n  meterhost log values off")

    enum Choice: String, ExpressibleByArgument, CaseIterable {
      case on, off
    }

    @Argument(help: "on or off.")
    var choice: Choice
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      LogCommand.show(try await locations.perform(LogSetRequest(showsValues: choice == .on)), output)
    }
  }

  private static func show(_ settings: LogDescription, _ output: OutputOptions) {
    let terminal = Terminal()
    guard !output.json else { return terminal.json(settings) }
    terminal.list(
      LogArea.allCases.map { ($0.rawValue, settings.areas[$0.rawValue]?.rawValue ?? "") }
        + [("health values", settings.values ? "shown" : "never shown")])
  }
}

/// How much is logged, as people type it.
struct LogVolumeArgument: ExpressibleByArgument {
  let volume: LogVolume

  init?(argument: String) {
    guard let volume = LogVolume(rawValue: argument) else { return nil }
    self.volume = volume
  }

  static var allValueStrings: [String] { LogVolume.allCases.map(\.rawValue) }
}

/// An area, as people type it.
struct LogAreaArgument: ExpressibleByArgument {
  let area: LogArea

  init?(argument: String) {
    guard let area = LogArea(rawValue: argument) else { return nil }
    self.area = area
  }

  static var allValueStrings: [String] { LogArea.allCases.map(\.rawValue) }
}
