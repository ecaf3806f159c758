/// The host's clocks, and the only way in which its code waits: a test injects a clock that does not wait.
package protocol HostClock: Sendable {
  /// The monotonic clock: what every limit, hold-off and delay is counted by.
  var now: HostInstant { get }

  /// The date as the host believes it, in microseconds since 1970-01-01T00:00Z. It may be wrong, and it may be set.
  var unixMicroseconds: Int64 { get }

  /// Returns when the monotonic clock has reached `deadline`.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  func sleep(until deadline: HostInstant) async throws
}

extension HostClock {
  /// Returns after `time`.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before.
  package func sleep(for time: Duration) async throws { try await sleep(until: now + time) }

  /// Whether `time` went by; false when the task was cancelled before.
  package func elapsed(_ time: Duration) async -> Bool { await elapsed(until: now + time) }

  /// Whether `deadline` was reached; false when the task was cancelled before.
  package func elapsed(until deadline: HostInstant) async -> Bool { (try? await sleep(until: deadline)) != nil }
}

extension HostClock {
  /// Whether the next tick has come, of those that are so many seconds apart since the machine booted; false when the task was cancelled
  /// before. What looks at something every so often waits by it: all that ticks wakes the processor together.
  ///
  /// - Parameter seconds: Above 0.
  package func ticks(every seconds: Int64) async -> Bool {
    let past = now.sinceBoot.components.seconds
    return await elapsed(until: HostInstant(sinceBoot: .seconds((past / seconds + 1) * seconds)))
  }
}

extension HostClock where Self == SystemClock {
  /// The machine's own clocks.
  package static var system: SystemClock { SystemClock() }
}
