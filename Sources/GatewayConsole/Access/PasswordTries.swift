import HostPrimitives
import Synchronization

/// Bounds how often a password may be tried. All clients share the tries: behind a proxy they have one address.
///
/// Who uses them up keeps others from the password, and nobody from a link.
final class PasswordTries: Sendable {
  /// So many tries that fail within ``window`` are heard.
  static let most = 5
  static let window = Duration.seconds(300)

  private let clock: any HostClock
  private let failures = Mutex<[HostInstant]>([])

  init(clock: any HostClock) { self.clock = clock }

  /// Begins a try, which counts as failed until ``succeeded()``.
  ///
  /// - Returns: nil when it may be made, else how many seconds to wait.
  func begin() -> Int? {
    let now = clock.now
    return failures.withLock { failures in
      failures.removeAll { now - $0 >= Self.window }
      guard failures.count >= Self.most, let first = failures.first else {
        failures.append(now)
        return nil
      }
      return Int((Self.window - (now - first)).components.seconds) + 1
    }
  }

  /// The try was right: the failures before it are forgotten.
  func succeeded() { failures.withLock { $0 = [] } }
}
