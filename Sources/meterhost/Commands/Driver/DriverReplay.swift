import ArgumentParser
import MeterDrivers
import GatewayAPI
import GatewayTools

extension DriverCommand {
  struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "replay", abstract: "Run a recording again and compare what comes out byte for byte.",
      discussion: """
        The driver runs in a worker, its services answer what was recorded, and nothing is stored or sent. With the recorded bundle this
        decides who is to blame for a fault: the driver if it comes again, the machine if it does not.

        Exits 0 if all is identical, or a capture was read; 1 if something differs; 3 if the fault came again; 4 if it did not; 5 if the
        recording was full before the fault. 64 and 69 as always.

        EXAMPLES
          meterhost driver replay 20261122T081530Z-org.meterhost.glucose-3fa2
          meterhost driver replay ./from-a-customer.mhrec --key support.key
          meterhost driver replay ./crash.mhrec --bundle .build/debug/libmh-glucose.so
        """)

    @Argument(
      help: ArgumentHelp("A recording's name, the beginning of it, or a file.", valueName: "name or file"),
      completion: .file())
    var target: String
    @Option(help: ArgumentHelp("Run this bundle, whatever its hash.", valueName: "file"), completion: .file())
    var bundle: String?
    @Option(help: ArgumentHelp("The private support key.", valueName: "file"), completion: .file())
    var key: String?
    @Flag(help: "Show the records that come out: they are health data.")
    var records = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var locations: LocationOptions

    func run() async throws {
      let desk = try RecordingDesk(locations: locations.locations, keyFile: key)
      let replay = try await desk.replay(
        try desk.named(target), bundle: bundle, isolation: locations.inProcess ? .inProcess : .worker,
        withRecords: records)
      let terminal = Terminal()
      if output.json { terminal.json(replay) } else { show(replay, on: terminal) }
      if let status = Self.status(replay) { throw ExitCode(status) }
    }

    private func show(_ replay: ReplayDescription, on terminal: Terminal) {
      terminal.out(replay.summary)
      for words in replay.words { terminal.out("  \(words)") }
      if !replay.sameBundle { terminal.error("the bundle is another one than the recorded") }
      for record in replay.records ?? [] { terminal.out(GatewayJSON.line(record)) }
    }

    private static func status(_ replay: ReplayDescription) -> Int32? {
      switch replay.outcome {
      case "identical", "ran": nil
      case "fault_again": 3
      case "fault_gone": 4
      case "identical_so_far": 5
      default: 1
      }
    }
  }
}
