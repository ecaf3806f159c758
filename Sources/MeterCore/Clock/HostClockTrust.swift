import CLinux

/// Who decides whether the host's clock is right.
public enum HostClockTrust: String, Sendable, Hashable, CaseIterable {
  /// The kernel's: a clock that no time source disciplines is not trusted (a Raspberry Pi has none of its own).
  case kernel
  /// The caller vouches for the clock.
  case vouched
  /// Nobody: the caller knows that it is wrong, whatever the kernel says.
  case nobody

  /// Whether the clock is trusted now: the kernel's, when a time source disciplines it (adjtimex(2)).
  public var isSynchronized: Bool {
    switch self {
    case .kernel: mh_clock_is_disciplined() == 1
    case .vouched: true
    case .nobody: false
    }
  }
}
