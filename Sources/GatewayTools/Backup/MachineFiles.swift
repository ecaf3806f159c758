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
    let trust = URL(fileURLWithPath: locations.trust)
    let options = trust.deletingLastPathComponent().appendingPathComponent("meterhost.toml")
    // A person may have put links there: what they lead to is meant.
    files += [("trust.json", trust), ("meterhost.toml", options)].map { ($0.0, $0.1.resolvingSymlinksInPath().path) }
      .filter { access($0.1, F_OK) == 0 }
    self.files = files.filter { Self.isTaken($0.name, $0.path) }
    self.left = left + files.filter { !Self.isTaken($0.name, $0.path) }.map(\.path)
  }

  /// Whether it can be read, and put back: one name that no reader takes would make the whole backup worthless.
  private static func isTaken(_ name: String, _ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.type] as? FileAttributeType == .typeRegular && access(path, R_OK) == 0
      && BackupPart(name: BackupPart.machine(name).name) != nil
  }
}
