import Foundation
import GatewayEngine
import MeterCore

/// The configuration of a machine that a new one needs as well: packages of drivers, whom to trust for them, and the host's options.
struct MachineFiles {
  /// Each by its name in a backup and where it is.
  let files: [(name: String, path: String)]
  /// What cannot be read, or is no file.
  let left: [String]

  init(_ locations: GatewayLocations) {
    var files: [(name: String, path: String)] = []
    var left: [String] = []
    if let folder = locations.fragments {
      let found = StateParts.files(in: folder)
      files += found.files.map { ("registry.d/\($0)", "\(folder)/\($0)") }
      left += found.strange.map { "\(folder)/\($0)" }
    }
    let options = URL(fileURLWithPath: locations.trust).deletingLastPathComponent().appendingPathComponent(
      "meterhost.toml")
    files += [("trust.json", locations.trust), ("meterhost.toml", options.path)].filter { access($0.1, F_OK) == 0 }
    self.files = files.filter { access($0.path, R_OK) == 0 }
    self.left = left + files.filter { access($0.path, R_OK) != 0 }.map(\.path)
  }
}
