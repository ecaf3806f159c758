import Glibc

/// The machine's own clocks.
package struct SystemClock: HostClock {
  package init() {}

  package var now: HostInstant { HostInstant(sinceBoot: Self.read(CLOCK_BOOTTIME)) }

  package var unixMicroseconds: Int64 {
    let (seconds, attoseconds) = Self.read(CLOCK_REALTIME).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  package func sleep(until deadline: HostInstant) async throws {
    try await Task.sleep(for: deadline - now, clock: .continuous)
  }

  private static func read(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
