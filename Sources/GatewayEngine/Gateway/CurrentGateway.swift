import GatewayAPI
import Logging
import MeterCore
import MeterDrivers
import Synchronization

/// A gateway whose registry follows its files: what is installed, changed or removed holds from the next use on, and what is
/// under way goes on with what it has begun with.
final class CurrentGateway: Sendable {
  private struct State {
    var gateway: Gateway
    /// What the files looked like when they were last read to an end.
    var stamp: RegistryStamp
    /// What was told of last: a failure that lasts is told once.
    var told: RegistryStamp
  }

  private let state: Mutex<State>

  /// A gateway that was loaded.
  init(_ gateway: Gateway) {
    state = Mutex(State(gateway: gateway, stamp: gateway.stamp, told: gateway.stamp))
  }

  /// The gateway with the registry as its files are now; with the last good one when they cannot be used.
  ///
  /// A look at the names and dates of the files; they are read when something has changed.
  func gateway() -> Gateway {
    state.withLock { state in
      let stamp = RegistryStamp(state.gateway.locations.registrySources)
      guard stamp != state.stamp else { return state.gateway }
      let isNew = stamp != state.told
      state.told = stamp
      do throws(GatewayError) {
        state.gateway = try state.gateway.reloaded()
        let registry = state.gateway.registry
        // A file that could not be read is there perhaps the next time, and looks the same from outside.
        if registry.isReadToItsEnd { state.stamp = state.gateway.stamp }
        guard isNew else { return state.gateway }
        LogArea.drivers.logger.notice(
          "the registry has changed: \(registry.drivers.count) drivers, \(registry.problems.count) problems")
      } catch {
        // Once a change: a registry that says something wrong is not read again at every use.
        if error.code != RegistryError.Code.unreadableFile.rawValue { state.stamp = stamp }
        guard isNew else { return state.gateway }
        LogArea.drivers.logger.error("the registry has changed and cannot be used; the last good one stays: \(error)")
      }
      return state.gateway
    }
  }
}

extension Registry {
  /// Whether no file was left out because the system did not let it be read.
  fileprivate var isReadToItsEnd: Bool {
    trustProblem?.cause == nil && !problems.contains { $0.code == .unreadableFile }
  }
}
