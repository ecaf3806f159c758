import CLinux
import Glibc

/// Whose word counts on whether the host's clock is right (C16).
public enum HostClockTrust: String, Sendable, Hashable, CaseIterable {
  /// The kernel's: a clock that no time source disciplines is not trusted (a Raspberry Pi has none of its own).
  case kernel
  /// The caller vouches for the clock.
  case vouched

  /// Whether the clock is trusted now.
  public var isSynchronized: Bool { self == .vouched || HostClock.isDisciplined }
}

/// The host's clocks in the units of the contract.
enum HostClock {
  static var monotonicNanoseconds: UInt64 { nanoseconds(CLOCK_MONOTONIC) }
  static var unixMicroseconds: Int64 { Int64(nanoseconds(CLOCK_REALTIME) / 1000) }

  /// Whether a time source disciplines the kernel's clock (adjtimex(2)).
  static var isDisciplined: Bool {
    mh_clock_is_disciplined() == 1
  }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
