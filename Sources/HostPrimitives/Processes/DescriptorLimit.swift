internal import CLinux
internal import Dispatch

/// How many descriptors this process may open, and how many are kept back for what must not fail.
///
/// The libraries beneath the host end the process when they need a descriptor and get none, above all libdispatch, which looks at
/// its threads through `/proc`. So no stranger may take the last ones: whoever accepts connections leaves the reserve alone.
package enum DescriptorLimit {
  /// More than any host needs, and few enough for programs that count them all.
  private static let most: UInt64 = 65_536

  /// What is kept back, of the usual 1024 and more; of fewer it is an eighth.
  private static let reserve: UInt64 = 128

  /// Raises the limit to what the process may have, for a command that stays; its children get the limit of before. And
  /// has libdispatch open what it would open at its first timers, while there is enough.
  package static func raise() {
    _ = clinux_raise_descriptors(most)
    let nothing = DispatchWorkItem {}
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1), execute: nothing)
    DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(1), execute: nothing)
    Task { try? await Task.sleep(for: .milliseconds(1), clock: .continuous) }
  }

  /// How many may be opened from now on without touching the reserve.
  package static var left: Int {
    let (limit, next) = (clinux_descriptor_limit(), clinux_next_descriptor())
    guard limit > 0, next >= 0 else { return 0 }
    return max(Int(clamping: limit - reserved(limit)) - Int(next), 0)
  }

  /// How many may be opened from now on, with the reserve.
  package static var free: Int {
    let (limit, next) = (clinux_descriptor_limit(), clinux_next_descriptor())
    // Where there is no limit to be told, none is in the way.
    guard limit > 0 else { return .max }
    return next < 0 ? 0 : max(Int(clamping: limit) - Int(next), 0)
  }

  /// Whether the reserve is whole. Descriptors have the lowest number that is free.
  package static var hasReserve: Bool { left > 0 }

  private static func reserved(_ limit: UInt64) -> UInt64 { min(reserve, limit / 8) }
}
