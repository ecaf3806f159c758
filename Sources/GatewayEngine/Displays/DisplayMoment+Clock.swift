package import GatewayAPI
package import MeterCore

extension DisplayMoment {
  /// The moment at which a display was read.
  package init(read clock: BootClock, isSynchronized: Bool) {
    self.init(microseconds: clock.utcMicroseconds, isSynchronized: isSynchronized)
    (bootID, bootMicroseconds) = (clock.bootID, clock.bootMicroseconds)
  }

  /// The moment by the clock as it is now. A person may look at the picture for long before they confirm it; a clock that
  /// was set meanwhile was wrong before.
  ///
  /// - Parameter isSynchronized: Whether the clock is right now.
  func settled(by clock: BootClock, isSynchronized isRight: Bool) -> DisplayMoment {
    guard let arrival = arrival(in: clock), isRight || !isSynchronized else { return self }
    var settled = self
    settled.isSynchronized = isRight || isSynchronized
    // Two looks at the clocks are never quite alike: what was not set stays as it is, so that a repeat is the same.
    let (moved, overflows) = arrival.utcMicroseconds.subtractingReportingOverflow(microseconds)
    if overflows || !(-Self.jump...Self.jump).contains(moved) {
      settled.microseconds = arrival.utcMicroseconds / Self.jump * Self.jump
    }
    return settled
  }

  /// When it was read, by a clock of the same boot; nil in another one, and where a person says when.
  func arrival(in clock: BootClock) -> BootClock? {
    guard !isStated, let bootMicroseconds, bootID == clock.bootID, bootMicroseconds >= 0,
      bootMicroseconds <= clock.bootMicroseconds
    else { return nil }
    return BootClock(
      bootID: clock.bootID, bootMicroseconds: bootMicroseconds,
      utcMicroseconds: clock.utcMicroseconds(ofBoot: bootMicroseconds))
  }

  /// By less than this a clock is corrected, and not set.
  private static let jump: Int64 = 1_000_000

  /// Now, for a picture that has just been taken.
  ///
  /// - Parameter clockIsVouched: A person vouches for this machine's clock.
  package static func now(clockIsVouched: Bool = false) -> DisplayMoment {
    let trust: HostClockTrust = clockIsVouched ? .vouched : .kernel
    return DisplayMoment(read: .now, isSynchronized: trust.isSynchronized)
  }

  /// Longer than this nobody looks at a picture before they confirm it.
  static let longestDelay: Int64 = 86_400_000_000

  /// - Throws: ``GatewayError`` with code `display_time`.
  func check(now: Int64) throws(GatewayError) {
    let (age, overflows) = now.subtractingReportingOverflow(microseconds)
    guard overflows || age >= -RecordAdmission.futureTolerance else {
      throw .futureDisplay(microseconds, now: now)
    }
    let oldest = isStated ? Int64.max : Self.longestDelay
    guard !overflows, age <= oldest else {
      throw GatewayError(
        .usage, code: "display_time", "the picture's time is not one of the last day",
        hint: "read it again, or say when it was measured with --time")
    }
  }
}
