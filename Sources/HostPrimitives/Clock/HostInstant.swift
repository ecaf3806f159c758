/// A moment of the host's monotonic clock, which no step of the date moves and which goes on while the machine sleeps.
package struct HostInstant: Sendable, Hashable, Comparable {
  /// Time since the machine booted, sleep included (CLOCK_BOOTTIME, clock_gettime(2)).
  package var sinceBoot: Duration

  package init(sinceBoot: Duration) { self.sinceBoot = sinceBoot }

  /// The same in nanoseconds, as the driver contract counts.
  package var nanoseconds: UInt64 {
    let (seconds, attoseconds) = sinceBoot.components
    return UInt64(clamping: seconds) * 1_000_000_000 + UInt64(clamping: attoseconds / 1_000_000_000)
  }

  /// When the machine booted: before any moment of the clock.
  package static let boot = HostInstant(sinceBoot: .zero)

  package static func < (left: HostInstant, right: HostInstant) -> Bool { left.sinceBoot < right.sinceBoot }

  package static func + (instant: HostInstant, time: Duration) -> HostInstant {
    HostInstant(sinceBoot: instant.sinceBoot + time)
  }

  package static func - (instant: HostInstant, time: Duration) -> HostInstant {
    HostInstant(sinceBoot: instant.sinceBoot - time)
  }

  /// How long after `earlier` this moment is.
  package static func - (later: HostInstant, earlier: HostInstant) -> Duration { later.sinceBoot - earlier.sinceBoot }
}
