import Foundation
import GatewayAPI
import GatewayTools
import Synchronization

/// What the configuration file says for this process. It is read once, before a command does anything; options of the command line
/// and the environment win over it.
enum ConfigurationInForce {
  private struct State {
    /// The file that the command line names, for a command that reads a configuration at all.
    var wanted: String??
    var configuration = HostConfiguration()
  }

  private static let state = Mutex(State())

  /// Notes that the command reads the configuration.
  ///
  /// - Parameter file: What the command line names; nil: nothing.
  static func want(_ file: String?) { state.withLock { $0.wanted = .some(file) } }

  /// Reads the file, where the command wants it.
  ///
  /// - Throws: ``GatewayError`` with code `configuration`.
  static func load() throws(GatewayError) {
    guard case .some(let named) = state.withLock({ $0.wanted }) else { return }
    let file = ConfigurationFile(named: named, environment: ProcessInfo.processInfo.environment)
    let configuration = try file.load()
    state.withLock { $0.configuration = configuration }
    if let levels = configuration.text(.log) { try LogEnvironment.configure(levels) }
  }

  /// What the file says.
  static var configuration: HostConfiguration { state.withLock { $0.configuration } }

  /// A text of the file, unless the environment says it.
  static func text(_ key: ConfigurationKey) -> String? { isInEnvironment(key) ? nil : configuration.text(key) }

  /// A switch of the file.
  static func flag(_ key: ConfigurationKey) -> Bool { configuration.flag(key) ?? false }

  /// The radio that is used where neither a request nor the environment names one.
  static var radio: RadioChoice {
    guard !isInEnvironment(.radioAir) else { return RadioChoice() }
    return RadioChoice(air: configuration.text(.radioAir), adapters: configuration.texts(.radioAdapters) ?? [])
  }

  /// Whether an environment variable says it.
  static func isInEnvironment(_ key: ConfigurationKey) -> Bool {
    guard let variable = key.variable else { return false }
    return !ProcessInfo.processInfo.environment[variable, default: ""].isEmpty
  }
}
