internal import Synchronization

/// Tells each listener every element that is sent while it listens.
final class Broadcast<Element: Sendable>: Sendable {
  private typealias Stream = AsyncStream<Element>

  private let policy: AsyncStream<Element>.Continuation.BufferingPolicy
  private let listeners = Mutex<(next: Int, continuations: [Int: Stream.Continuation])>((0, [:]))

  /// - Parameter policy: What a listener keeps that does not listen at the moment. Signals that something has changed are one
  ///   however many they are: what has changed is looked up.
  init(_ policy: AsyncStream<Element>.Continuation.BufferingPolicy) { self.policy = policy }

  func listen() -> AsyncStream<Element> {
    let (stream, continuation) = Stream.makeStream(bufferingPolicy: policy)
    let number = listeners.withLock { listeners in
      listeners.next += 1
      listeners.continuations[listeners.next] = continuation
      return listeners.next
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.listeners.withLock { $0.continuations.removeValue(forKey: number) }
    }
    return stream
  }

  func send(_ element: Element) {
    for continuation in listeners.withLock({ Array($0.continuations.values) }) { continuation.yield(element) }
  }
}
