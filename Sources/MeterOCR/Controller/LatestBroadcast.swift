import Synchronization

/// Tells every listener the latest element: one that does not listen at the moment misses those between. Who comes later gets
/// the latest at once; behind the end, too.
final class LatestBroadcast<Element: Sendable>: Sendable {
  private struct State {
    var latest: Element?
    var isFinished = false
    var next = 0
    var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
  }

  private let state = Mutex(State())

  func listen() -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.next += 1
      if let latest = state.latest { continuation.yield(latest) }
      if state.isFinished { continuation.finish() } else { state.listeners[state.next] = continuation }
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  func send(_ element: Element) {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.latest = element
      for listener in state.listeners.values { listener.yield(element) }
    }
  }

  func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
