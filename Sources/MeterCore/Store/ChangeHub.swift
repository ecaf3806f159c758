internal import Synchronization

/// Tells listeners that something has changed; what has changed they look up.
final class ChangeHub: Sendable {
  private let listeners = Mutex<(next: Int, continuations: [Int: AsyncStream<Void>.Continuation])>((0, [:]))

  /// One element after each change; several changes that nobody has looked at yet give one element.
  func listen() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
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

  func announce() {
    for continuation in listeners.withLock({ Array($0.continuations.values) }) { continuation.yield() }
  }
}
