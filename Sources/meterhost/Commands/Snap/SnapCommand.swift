import MeterOCR
import ArgumentParser
import Foundation
import MeterDrivers
import GatewayAPI

/// `meterhost snap`: reads displays of meters with a camera.
struct SnapCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snap", abstract: "Read a meter's display with a camera or from photographs.",
    discussion: """
      EXAMPLES
        meterhost snap list
        meterhost snap cameras
        meterhost snap read --peripheral 10001 --unit mg/dL
      """,
    subcommands: [
      SnapList.self, SnapShow.self, SnapCameras.self, SnapRead.self, SnapBench.self, SnapView.self,
    ],
    defaultSubcommand: SnapList.self)
}

/// `meterhost snap list`.
struct SnapList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the meters whose displays can be read.",
    discussion: """
      EXAMPLES
        meterhost snap list
        meterhost snap list --type blood_pressure --json
      """)

  @Option(help: "Only this type: \(PeripheralType.allCases.map(\.rawValue).joined(separator: ", ")).")
  var type: PeripheralTypeArgument?
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  /// Units as people write them.
  static func readable(_ units: [String]) -> String {
    units.map { UnitSpelling.readable($0) }.joined(separator: ", ")
  }

  func run() throws {
    let found = try locations.catalogue().displays(type: type?.type)
    let terminal = Terminal()
    guard !output.json else { return found.forEach { terminal.json($0.meter) } }
    guard !found.isEmpty else {
      return terminal.error("no meter fits whose display could be read; `meterhost snap list` shows all")
    }
    terminal.table(
      ["ID", "TYPE", "NAME", "UNITS", "MATURITY"],
      found.map {
        [
          "\($0.meter.id)", $0.meter.type, $0.meter.name, $0.units.isEmpty ? "-" : Self.readable($0.units),
          $0.meter.maturity,
        ]
      })
  }
}

/// `meterhost snap show`.
struct SnapShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one meter whose display can be read.",
    discussion: """
      EXAMPLES
        meterhost snap show 10101
        meterhost snap show 10101 --overlay overlay.svg    the drawing that is laid over the preview
      """)

  @Argument(help: "The meter's id in `meterhost snap list`.")
  var id: UInt32
  @Option(
    help: ArgumentHelp("Write the overlay's drawing (SVG) to a new file.", valueName: "file"), completion: .file())
  var overlay: String?
  @OptionGroup var output: OutputOptions
  @OptionGroup var locations: LocationOptions

  func run() async throws {
    let desk = try await locations.displays().open(id, isJudged: false)
    let (drawing, display, terminal) = (desk.peripheral.overlay, desk.description, Terminal())
    await desk.close()
    if let overlay { try NewFile.write(Array(drawing.utf8), to: overlay) }
    guard !output.json else { return terminal.json(display) }
    let entry = display.peripheral
    let rows = display.rows.map { row in
      row.role + (row.optional ? ", may be dark" : "") + (row.blinks ? ", blinks" : "") + ": \(row.characters)"
    }
    terminal.list([
      ("id", "\(entry.id)"), ("name", entry.name), ("manufacturer", entry.manufacturer), ("model", entry.model),
      ("type", entry.type), ("maturity", entry.maturity), ("driver", entry.driver ?? "none"),
      ("units", SnapList.readable(display.units)), ("rows", rows.joined(separator: "\n")),
      ("instructions", entry.instructions), ("to measure", entry.readingInstructions),
    ])
  }
}

/// A file that a command makes.
enum NewFile {
  /// Writes a file that is not there yet.
  ///
  /// - Throws: ``GatewayError`` with code `output_file`.
  static func write(_ bytes: [UInt8], to path: String) throws(GatewayError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR {
        throw failure(path)
      }
    }
  }

  private static func failure(_ path: String) -> GatewayError {
    let reason = errno == EEXIST ? "it is there already" : String(cString: strerror(errno))
    return GatewayError(.usage, code: "output_file", "\(path) cannot be written: \(reason)")
  }
}
