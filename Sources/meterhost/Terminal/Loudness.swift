import GatewayAPI
import Synchronization

/// How much a command says beside its result.
enum Loudness: Sendable {
  case quiet
  case usual
  /// Logs at `info`.
  case verbose
  /// Logs at `debug`.
  case debugging

  private static let chosen = Mutex(Loudness.usual)

  /// What the command line has chosen.
  static func choose(_ loudness: Loudness) { chosen.withLock { $0 = loudness } }

  /// Whether progress is told.
  static var tellsProgress: Bool { chosen.withLock { if case .quiet = $0 { false } else { true } } }

  /// Lets the choice hold for what is logged, over what the environment and the configuration say.
  ///
  /// - Throws: ``GatewayError`` with code `log_setting`.
  static func apply() throws(GatewayError) {
    switch chosen.withLock({ $0 }) {
    case .quiet: try LogEnvironment.override("error")
    case .usual: break
    case .verbose: try LogEnvironment.override("info")
    case .debugging: try LogEnvironment.override("debug")
    }
  }
}
