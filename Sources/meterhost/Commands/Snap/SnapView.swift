import ArgumentParser
import Foundation
import MeterConsole
import GatewayAPI
import ProgramTerminal

/// `meterhost snap view`: the page that reads displays.
struct SnapView: AsyncParsableCommand, InterruptibleCommand {
  static let configuration = CommandConfiguration(
    commandName: "view", abstract: "Serve the page that reads displays, for a browser of this machine.",
    discussion: """
      Prints a link that opens once. The page shows the meters, the camera's picture with the overlay, and what is read; a person looks
      at the result, corrects it, and submits it with its picture. It listens on this machine only, until it is interrupted.

      EXAMPLES
        meterhost snap view
        meterhost snap view --port 8091 --camera /dev/video2
        meterhost snap view --demo '120\\n80\\n64' --json
      """)

  @Option(help: ArgumentHelp("The port; any that is free without it.", valueName: "number"))
  var port = 0
  @Option(
    help: ArgumentHelp("The camera's device; the first one without it.", valueName: "device"), completion: .file())
  var camera: String?
  @Option(help: ArgumentHelp("A film in place of a camera.", valueName: "file"), completion: .file())
  var film: String?
  @Option(
    help: ArgumentHelp("A drawn meter that shows these texts, with a literal \\n between rows.", valueName: "texts"))
  var demo: String?
  @Flag(help: "Vouch for this machine's clock although no time source disciplines it.")
  var trustClock = false
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func validate() throws {
    guard [camera, film, demo].count(where: { $0 != nil }) <= 1 else {
      throw ValidationError("name one of: --camera, --film, --demo.")
    }
    guard (0...65_535).contains(port) else { throw ValidationError("--port takes a number from 0 to 65535.") }
  }

  private var source: DisplaySource {
    if let film { return .film(film) }
    if let demo { return .demo(demo.components(separatedBy: "\\n")) }
    return .camera(camera)
  }

  func run() async throws {
    let json = output.json
    let desk = CameraDesk(
      SnapEquipment(
        displays: try locations.displays(), source: source, clockIsVouched: trustClock, locations: locations))
    let console = ReadingConsole(desk: desk, configuration: ReadingConsoleConfiguration(port: port))
    try await Interruption.run {
      try await console.run { link in
        let terminal = Terminal()
        json ? terminal.json(["event": "ready", "link": link]) : terminal.out("open \(link)")
      }
    }
  }
}
