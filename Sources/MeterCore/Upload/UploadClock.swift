/// A clock that no wall-clock step moves, for waiting between attempts.
public protocol UploadClock: Sendable {
  /// Time since some fixed moment.
  func now() -> Duration
  /// Waits until `now()` has reached a time.
  ///
  /// - Throws: `CancellationError`.
  func sleep(until time: Duration) async throws
}

/// The system's clock, which goes on while the machine sleeps.
public struct SystemUploadClock: UploadClock {
  private let start = ContinuousClock.now

  /// The system's clock, starting at zero.
  public init() {}

  /// Time since this value was made.
  public func now() -> Duration { ContinuousClock.now - start }

  /// Waits until `now()` has reached a time.
  public func sleep(until time: Duration) async throws {
    try await ContinuousClock().sleep(until: start + time)
  }
}
