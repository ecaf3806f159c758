import Synchronization

/// Tells each listener every element that is sent while it listens, in the order in which they are sent.
///
/// No lock is held while a listener is told. The runtime locks a task while it cancels it, and calls `onTermination` under that
/// lock; to tell the same task something takes the two locks the other way round.
package final class Broadcast<Element: Sendable>: Sendable {
  fileprivate struct State {
    var latest: Element?
    var isFinished = false
    var next = 0
    var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
    /// What is still to be told, by the sender that is telling.
    var untold: [Element] = []
    var isTelling = false
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
    let tells = state.withLock { state in
      guard !state.isFinished else { return false }
      if keepsLatest { state.latest = element }
      state.untold.append(element)
      defer { state.isTelling = true }
      return !state.isTelling
    }
    if tells { tell() }
  }

  /// One sender at a time tells what all have sent, so that the order is the same for every listener.
  private func tell() {
    while let (element, listeners) = state.withLock({ $0.nextTelling() }) {
      for listener in listeners { listener.yield(element) }
    }
    endIfFinished()
  }

  /// Ends all streams behind what was sent, those of later listeners, too.
  package func finish() {
    state.withLock { $0.isFinished = true }
    endIfFinished()
  }

  private func endIfFinished() {
    let listeners = state.withLock { state -> [AsyncStream<Element>.Continuation] in
      guard state.isFinished, !state.isTelling else { return [] }
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}

extension Broadcast.State {
  /// What is to be told next, and to whom; nil: nothing is, and nobody tells any more.
  fileprivate mutating func nextTelling() -> (Element, [AsyncStream<Element>.Continuation])? {
    guard !untold.isEmpty else {
      isTelling = false
      return nil
    }
    return (untold.removeFirst(), Array(listeners.values))
  }
}
