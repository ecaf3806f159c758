import ArgumentParser
import BluetoothWire
import Foundation
import HostPrimitives
import ProgramTerminal
import VirtualMeter

/// `meterhost meter`: virtual meters for authors of drivers.
struct MeterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "meter", abstract: "Run virtual meters.", subcommands: [Run.self])

  struct Run: AsyncParsableCommand, InterruptibleCommand {
    static let configuration = CommandConfiguration(
      commandName: "run", abstract: "Run a scripted meter on the virtual air until it is interrupted.",
      discussion: """
        The script is JSON; SDK/meters/README.md describes it. `meterhost read` with the same --air hears the meter as soon
        as the line "advertising" is there. Exits 0 when it is interrupted.

        EXAMPLES
          meterhost meter run SDK/meters/contour-next-one.json
          meterhost meter run my-meter.json --trace     show every PDU
        """)

    @Argument(help: ArgumentHelp("The meter's script.", valueName: "file"), completion: .file(extensions: ["json"]))
    var file: String
    @Flag(help: "Show every ATT PDU.")
    var trace = false
    @OptionGroup var air: AirOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let meter = VirtualMeter(script: try MeterScript.load(file: file))
      let place = try air.virtualAir()
      let events = meter.events()
      let terminal = Terminal()
      if !output.json {
        terminal.notice("\(meter.script.name) (\(meter.script.address)) in \(place.folder); Ctrl-C ends it")
      }
      let (trace, json) = (trace, output.json)
      try await Interruption.run {
        try await withThrowingTaskGroup { group in
          group.addTask { try await meter.run(in: place) }
          group.addTask {
            for await event in events {
              guard let line = MeterLine(event, showsPDUs: trace) else { continue }
              json ? terminal.json(line) : terminal.out(line.text)
            }
          }
          try await group.next()
          group.cancelAll()
        }
      }
    }
  }
}

/// One line about what happened to a virtual meter.
private struct MeterLine: Encodable {
  var event: String
  var number: Int?
  var direction: String?
  var hex: String?
  var detail: String?

  init?(_ event: MeterEvent, showsPDUs: Bool) {
    switch event {
    case .advertising: self.event = "advertising"
    case .connected(let number): (self.event, self.number) = ("connected", number)
    case .refusedClient: self.event = "refused_client"
    case .pdu(let number, let direction, let bytes):
      guard showsPDUs else { return nil }
      (self.event, self.number, self.direction) = ("pdu", number, direction.rawValue)
      hex = bytes.hexadecimal
    case .procedureDone(let name): (self.event, detail) = ("procedure_done", name)
    case .recordsLeft(let count): (self.event, number) = ("records_left", count)
    case .disconnected(let reason): (self.event, detail) = ("disconnected", reason.rawValue)
    }
  }

  var text: String {
    [event, number.map(String.init), direction, hex, detail].compactMap { $0 }.joined(separator: " ")
  }
}
