import Synchronization

/// Tells each listener every element that is sent while it listens, in the order in which they are sent.
package final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var latest: Element?
    var isFinished = false
    var next = 0
    var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
  }

  private let policy: AsyncStream<Element>.Continuation.BufferingPolicy
  private let keepsLatest: Bool
  private let state: Mutex<State>

  /// - Parameter policy: What a listener keeps that does not listen at the moment. Signals that something has changed are one
  ///   however many they are: what has changed is looked up.
  package init(_ policy: AsyncStream<Element>.Continuation.BufferingPolicy) {
    (self.policy, keepsLatest) = (policy, false)
    state = Mutex(State())
  }

  /// A broadcast of which only the latest element counts: who listens late gets it at once, also behind the end, and one that
  /// does not listen at the moment misses those between.
  package init(latest: Element?) {
    (policy, keepsLatest) = (.bufferingNewest(1), true)
    state = Mutex(State(latest: latest))
  }

  deinit { finish() }

  package func listen() -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: policy)
    let number = state.withLock { state -> Int? in
      if let latest = state.latest { continuation.yield(latest) }
      guard !state.isFinished else { return nil }
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  package func send(_ element: Element) {
    state.withLock { state in
      guard !state.isFinished else { return }
      if keepsLatest { state.latest = element }
      for listener in state.listeners.values { listener.yield(element) }
    }
  }

  /// Ends all streams, those of later listeners, too.
  package func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
