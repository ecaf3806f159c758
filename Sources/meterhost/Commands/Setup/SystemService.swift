import Foundation
import GatewayAPI
import GatewayTools

/// The host as a service of systemd.
enum SystemService {
  private static let name = "meterhost.service"
  private static let folders = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]
  private static let programs = ["/usr/bin/systemctl", "/bin/systemctl"]

  /// Whether a unit is installed, runs, and may be switched on by this user.
  static func state() -> SetupFacts.Service {
    guard folders.contains(where: { FileManager.default.fileExists(atPath: "\($0)/\(name)") }) else { return .absent }
    let runs = (try? ask(["is-active", "--quiet", name])) == 0 && (try? ask(["is-enabled", "--quiet", name])) == 0
    return .installed(isRunning: runs, mayEnable: geteuid() == 0)
  }

  /// Lets it run now, and begin with the machine.
  ///
  /// - Throws: ``GatewayError`` with code `service`.
  static func enable() throws(GatewayError) {
    guard try ask(["enable", "--now", name]) == 0 else {
      throw GatewayError(
        .failed, code: "service", "systemd does not start the service",
        hint: "`systemctl status \(name)` and `journalctl -u \(name)` say why")
    }
  }

  private static func ask(_ arguments: [String]) throws(GatewayError) -> Int32 {
    guard let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw GatewayError(
        .unavailable, code: "service", "there is no systemctl here", hint: "`meterhost run` runs the host")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    do { try process.run() } catch {
      throw GatewayError(.failed, code: "service", "\(program) cannot be run", cause: error)
    }
    process.waitUntilExit()
    return process.terminationStatus
  }
}
