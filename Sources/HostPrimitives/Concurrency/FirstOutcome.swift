import Synchronization

/// The first of several outcomes that race; later ones are turned away.
package final class FirstOutcome<Value: Sendable>: Sendable {
  private enum State {
    case open([CheckedContinuation<Value, Never>])
    case settled(Value)
  }

  private let state = Mutex(State.open([]))

  package init() {}

  /// Offers an outcome; false when another was faster.
  @discardableResult
  package func settle(_ value: Value) -> Bool {
    let waiters = state.withLock { state -> [CheckedContinuation<Value, Never>]? in
      guard case .open(let waiters) = state else { return nil }
      state = .settled(value)
      return waiters
    }
    for waiter in waiters ?? [] { waiter.resume(returning: value) }
    return waiters != nil
  }

  /// The outcome as far as there is one.
  package var settled: Value? {
    state.withLock { state in if case .settled(let value) = state { value } else { nil } }
  }

  /// The outcome, once there is one.
  package var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let known = state.withLock { state -> Value? in
          switch state {
          case .settled(let value): return value
          case .open(let waiters):
            state = .open(waiters + [continuation])
            return nil
          }
        }
        if let known { continuation.resume(returning: known) }
      }
    }
  }
}
