import Foundation
package import MeterCore
import Synchronization

/// `METERHOST_LOG`, or what the configuration file says in its place: what one process logs, whatever was set for its state folder.
package enum LogEnvironment {
  private static let name = "METERHOST_LOG"
  /// What the configuration says, and what the command line says over everything else; empty: nothing.
  private static let said = Mutex((configured: "", chosen: ""))
  private static var text: String {
    let (configured, chosen) = said.withLock { $0 }
    guard chosen.isEmpty else { return chosen }
    let variable = ProcessInfo.processInfo.environment[name, default: ""]
    return variable.isEmpty ? configured : variable
  }

  /// Says what the process logs where the environment says nothing.
  ///
  /// - Throws: ``GatewayError`` with code `log_setting`; the switch stays as it was.
  package static func configure(_ text: String) throws(GatewayError) {
    said.withLock { $0.configured = text }
    try apply()
  }

  /// Says what the process logs, whatever the environment says.
  ///
  /// - Throws: ``GatewayError`` with code `log_setting`; the switch stays as it was.
  package static func override(_ text: String) throws(GatewayError) {
    said.withLock { $0.chosen = text }
    try apply()
  }

  /// Whether the environment or the configuration says what is logged.
  package static var isSet: Bool { !text.isEmpty && (try? settings(text)) != nil }

  /// Sets the process's switch as the environment says.
  ///
  /// - Throws: ``GatewayError`` with code `log_setting`; the switch stays as it was.
  package static func apply() throws(GatewayError) {
    guard !text.isEmpty else { return }
    LogSwitch.shared.settings = try settings(text)
  }

  /// Reads `debug`, `bluetooth=debug,core=info` or `warning,drivers=off`.
  ///
  /// - Throws: ``GatewayError`` with code `log_setting`.
  package static func settings(_ text: String) throws(GatewayError) -> LogSettings {
    var settings = LogSettings()
    for part in text.lowercased().split(separator: ",") {
      let words = part.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      guard let volume = words.last.flatMap(LogVolume.init(rawValue:)) else { throw unknown(text) }
      switch words.count {
      case 1: for area in LogArea.allCases { settings[area] = volume }
      case 2:
        guard let area = LogArea(rawValue: words[0]) else { throw unknown(text) }
        settings[area] = volume
      default: throw unknown(text)
      }
    }
    return settings
  }

  private static func unknown(_ text: String) -> GatewayError {
    GatewayError(
      .usage, code: "log_setting", "\(name) is no level and no list like bluetooth=debug,core=info: \(text)",
      hint: "levels are \(LogVolume.allCases.map(\.rawValue).joined(separator: ", "))")
  }
}
