import HostPrimitives
import Synchronization

/// Which meters of the virtual air are being listened to, and when those that could not be are tried again.
final class ListeningSet: Sendable {
  private struct Failure {
    var wait: Duration
    var next: HostInstant
  }

  private struct State {
    var names: Set<String> = []
    var failures: [String: Failure] = [:]
    var onLeave: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Whether somebody has to be listened to from now on.
  func insert(_ name: String, at now: HostInstant) -> Bool {
    state.withLock { state in
      if let failure = state.failures[name], now < failure.next { return false }
      return state.names.insert(name).inserted
    }
  }

  /// Nobody listens to a meter any more: it has gone, or it could not be reached.
  func leave(_ name: String, at now: HostInstant, hasHeard: Bool) {
    let tell = state.withLock { state in
      state.names.remove(name)
      let before = hasHeard ? nil : state.failures[name]?.wait
      let wait = before.map { min($0 * 2, VirtualRadio.longestRetry) } ?? VirtualRadio.firstRetry
      state.failures[name] = Failure(wait: wait, next: now + wait)
      return state.onLeave
    }
    tell?()
  }

  /// Another file may stand where one could not be reached.
  func retryAll() { state.withLock { $0.failures = [:] } }

  /// When the next one is to be tried again; nil: nobody has to be.
  var nextTry: HostInstant? {
    state.withLock { state in
      state.failures.filter { !state.names.contains($0.key) }.map(\.value.next).min()
    }
  }

  /// Forgets those that are not in the folder any more.
  func keep(_ present: [String]) {
    state.withLock { state in
      guard !state.failures.isEmpty else { return }
      let present = Set(present)
      state.failures = state.failures.filter { present.contains($0.key) }
    }
  }

  func whenSomebodyLeaves(_ body: (@Sendable () -> Void)?) { state.withLock { $0.onLeave = body } }
}
