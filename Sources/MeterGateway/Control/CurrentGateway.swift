import Logging
import MeterCore
import MeterDrivers
import Synchronization

/// A gateway whose registry follows its files: what is installed, changed or removed holds from the next use on, and what is
/// under way goes on with what it has begun with.
final class CurrentGateway: Sendable {
  private struct State {
    var gateway: Gateway
    var stamp: RegistryStamp
  }

  private let state: Mutex<State>

  /// A gateway that was just loaded.
  init(_ gateway: Gateway) {
    state = Mutex(State(gateway: gateway, stamp: RegistryStamp(gateway.locations.registrySources)))
  }

  /// The gateway with the registry as its files are now; with the last good one when they cannot be used.
  ///
  /// A look at the names and dates of the files; they are read when something has changed.
  func gateway() -> Gateway {
    state.withLock { state in
      let stamp = RegistryStamp(state.gateway.locations.registrySources)
      guard stamp != state.stamp else { return state.gateway }
      // Once a change: a registry that cannot be used is not read again at every use.
      state.stamp = stamp
      do throws(GatewayError) {
        state.gateway = try state.gateway.reloaded()
        let registry = state.gateway.registry
        LogArea.drivers.logger.notice(
          "the registry has changed: \(registry.drivers.count) drivers, \(registry.problems.count) problems")
      } catch {
        LogArea.drivers.logger.error("the registry has changed and cannot be used; the last good one stays: \(error)")
      }
      return state.gateway
    }
  }
}
