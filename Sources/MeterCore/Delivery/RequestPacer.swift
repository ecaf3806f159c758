import HostPrimitives

/// Spreads the requests to one receiver over time: no more than so many a second, evenly.
actor RequestPacer {
  private let interval: Duration?
  private let clock: any HostClock
  private var nextTurn: HostInstant = .boot

  /// - Parameter requestsPerSecond: Nil for as fast as the receiver answers.
  init(requestsPerSecond: Double?, clock: any HostClock) {
    interval = requestsPerSecond.map { .seconds(1 / $0) }
    self.clock = clock
  }

  /// Returns when the next request may go out.
  ///
  /// - Throws: `CancellationError`.
  func waitForTurn() async throws {
    guard let interval else { return }
    let now = clock.now
    let turn = max(now, nextTurn)
    nextTurn = turn + interval
    if turn > now { try await clock.sleep(until: turn) }
  }
}
