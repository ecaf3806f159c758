import ArgumentParser
import MeterCore
import GatewayAPI

extension QueueCommand {
  /// `meterhost queue limits`: how much the queue may hold.
  struct Limits: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "limits", abstract: "Show how much the queue holds and may hold, or set it.",
      discussion: """
        What is full refuses new readings, and keeps all that it has taken; a meter is told nothing and keeps them, too. Limits stay with
        the state folder. What is there stays, also beyond a limit that is lowered.

        EXAMPLES
          meterhost queue limits
          meterhost queue limits --records 100000 --bytes 500M
          meterhost queue limits --age 14d
          meterhost queue limits --age none --json
        """)

    @Option(help: ArgumentHelp("The most records.", valueName: "count"))
    var records: Int?
    @Option(help: ArgumentHelp("The most bytes of them and their images; K, M and G are taken.", valueName: "size"))
    var bytes: ByteCountArgument?
    @Option(
      help: ArgumentHelp(
        "How long the oldest reading may wait for its receiver before nothing new is taken: 90s, 30m, 12h, 14d, or none.",
        valueName: "time"))
    var age: AgeArgument?
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let limits = try await locations.perform(
        QueueLimitsRequest(records: records, bytes: bytes?.bytes, age: age?.seconds))
      let terminal = Terminal()
      guard !output.json else { return terminal.json(limits) }
      terminal.out("the queue holds \(limits.text)")
      terminal.out(
        limits.age.map { "nothing new is taken while a reading waits for more than \($0) s" }
          ?? "readings may wait for any time")
    }
  }
}

/// A number of bytes as people type it: `1000000`, `500M`, `2G`.
struct ByteCountArgument: ExpressibleByArgument {
  let bytes: Int64

  init?(argument: String) {
    let shifts: [Character: Int64] = ["K": 10, "M": 20, "G": 30]
    let shift = argument.last.flatMap { shifts[$0] }
    guard let number = Int64(shift == nil ? argument : String(argument.dropLast())), number > 0 else { return nil }
    let (bytes, isTooLong) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
    guard !isTooLong else { return nil }
    self.bytes = bytes
  }
}

/// A time as people type it: `90s`, `30m`, `12h`, `14d`, `none`.
struct AgeArgument: ExpressibleByArgument {
  /// 0 for any time.
  let seconds: Int64

  init?(argument: String) {
    guard argument != "none" else {
      seconds = 0
      return
    }
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let unit = argument.last.flatMap({ units[$0] }), let number = Int64(argument.dropLast()), number > 0 else {
      return nil
    }
    let (seconds, isTooLong) = number.multipliedReportingOverflow(by: unit)
    guard !isTooLong else { return nil }
    self.seconds = seconds
  }
}
