internal import Foundation
internal import HostPrimitives

/// What the host's clocks show at one moment, of which one cannot be wrong: the time since this boot.
///
/// A host without a battery-backed clock does not know the date until the network has told it. Until then a moment is kept
/// as time since boot (CLOCK_BOOTTIME, clock_gettime(2), which no step of the date moves) with the boot's id.
public struct BootClock: Sendable, Hashable {
  /// The kernel's id of this boot (/proc/sys/kernel/random/boot_id, random(4)).
  package let bootID: String
  /// Time since boot, sleep included, in microseconds.
  package let bootMicroseconds: Int64
  /// The date as the host believes it, in microseconds since 1970-01-01T00:00Z.
  package let utcMicroseconds: Int64

  /// A reading from its parts.
  package init(bootID: String, bootMicroseconds: Int64, utcMicroseconds: Int64) {
    self.bootID = bootID
    self.bootMicroseconds = bootMicroseconds
    self.utcMicroseconds = utcMicroseconds
  }

  /// What this machine's clocks show at the call.
  public static var now: BootClock {
    let clock = SystemClock()
    let (seconds, attoseconds) = clock.now.sinceBoot.components
    return BootClock(
      bootID: thisBoot, bootMicroseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000,
      utcMicroseconds: clock.unixMicroseconds)
  }

  /// Without the kernel's id nothing can be told to be of this boot: each start of the program is a boot of its own then.
  static let thisBoot =
    (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
    .trimmingCharacters(in: .whitespacesAndNewlines) ?? UUID().uuidString

  /// When since boot a moment was that the host believed to be `utcMicroseconds` just before this reading.
  ///
  /// The date may have been set in between; what is minutes away then was a moment ago.
  func bootMicroseconds(of utcMicroseconds: Int64) -> Int64 {
    let (age, overflows) = self.utcMicroseconds.subtractingReportingOverflow(utcMicroseconds)
    return overflows || !(0...Self.longestDelay).contains(age) ? bootMicroseconds : bootMicroseconds - age
  }

  /// From a reading's arrival to its commit.
  private static let longestDelay: Int64 = 60_000_000

  /// The date of a moment of this boot.
  package func utcMicroseconds(ofBoot bootMicroseconds: Int64) -> Int64 {
    utcMicroseconds - (self.bootMicroseconds - bootMicroseconds)
  }
}
