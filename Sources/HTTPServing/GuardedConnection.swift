import HostPrimitives
import NIOCore
import Synchronization

/// A connection that is watched: its state, moved by its handlers on its event loop and looked at by whoever keeps the limits.
final class GuardedConnection: Sendable {
  /// Told to a connection whose request takes too long.
  struct TimeIsUp: Sendable {}

  let channel: any Channel
  let clock: any HostClock
  let state: Mutex<ConnectionState>

  init(_ channel: any Channel, limits: ConnectionLimits, clock: any HostClock) {
    self.channel = channel
    self.clock = clock
    state = Mutex(ConnectionState(limits, now: clock.now))
  }

  /// Closes it when its time is up, or tells it to.
  func look(at now: HostInstant) {
    switch state.withLock({ $0.overdue(at: now) }) {
    case nil: break
    case .refuse: channel.pipeline.fireUserInboundEventTriggered(TimeIsUp())
    case .close: cut()
    }
  }

  func cut() { channel.close(promise: nil) }
}
