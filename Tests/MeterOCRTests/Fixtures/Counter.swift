import Synchronization

/// Counts.
final class Counter: Sendable {
  private let count = Mutex(0)

  /// One more.
  func next() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
}
