internal import HostPrimitives

/// How long nothing is sent to a receiver, as the state folder keeps it: a wait that the receiver has asked for (Retry-After)
/// or that failed attempts have caused outlives the process that was told of it.
///
/// It is counted from the moment of the last attempt, by the time since boot; in another boot by the date. A date that has gone
/// back since makes no wait longer than it was.
package struct SinkWait: Sendable, Hashable, Codable {
  /// What has waits of its own.
  enum Lane: String, Sendable, CaseIterable { case records, images }

  /// The boot in which it was noted.
  let bootID: String
  /// When it was noted, in microseconds since that boot.
  let notedBootMicroseconds: Int64
  /// When it was noted, in microseconds since 1970-01-01T00:00Z.
  let notedMicroseconds: Int64
  /// How long nothing is sent from then on, in microseconds.
  let pauseMicroseconds: Int64
  /// The part of it that the receiver itself has asked for.
  let askedMicroseconds: Int64
  /// How long images that were refused rest from then on, in microseconds; nil: they do not, or an earlier version wrote this.
  let restMicroseconds: Int64?
  /// How many attempts in a row have failed.
  let failures: Int
  /// What the last attempt came to, for people.
  package let error: String

  /// A wait that is noted at a moment.
  init(
    noted clock: BootClock, pause: Duration, asked: Duration, rest: Duration = .zero, failures: Int, error: String
  ) {
    bootID = clock.bootID
    notedBootMicroseconds = clock.bootMicroseconds
    notedMicroseconds = clock.utcMicroseconds
    pauseMicroseconds = pause.microseconds
    askedMicroseconds = asked.microseconds
    restMicroseconds = rest > .zero ? rest.microseconds : nil
    self.failures = failures
    self.error = error
  }

  package func left(at clock: BootClock) -> Duration { left(pauseMicroseconds, clock) }

  /// Whether the receiver has asked for what is left.
  package func isAsked(at clock: BootClock) -> Bool { askedLeft(at: clock) > .zero }

  /// What is left of what the receiver has asked for.
  func askedLeft(at clock: BootClock) -> Duration { left(askedMicroseconds, clock) }

  /// What is left of the rest of images that were refused.
  func restLeft(at clock: BootClock) -> Duration { left(restMicroseconds ?? 0, clock) }

  private func left(_ length: Int64, _ clock: BootClock) -> Duration {
    let (age, overflows) =
      bootID == clock.bootID
      ? clock.bootMicroseconds.subtractingReportingOverflow(notedBootMicroseconds)
      : clock.utcMicroseconds.subtractingReportingOverflow(notedMicroseconds)
    let bounded = min(max(length, 0), Self.longest)
    return .microseconds(overflows ? 0 : bounded - min(max(age, 0), bounded))
  }

  /// Longer than two days nothing waits, whatever the folder says; a receiver's own word is bounded before (``DeliveryPolicy``).
  private static let longest: Int64 = 2 * 86_400_000_000
}

extension Duration {
  /// In microseconds; a wait has no more than a few days of them.
  fileprivate var microseconds: Int64 {
    let (seconds, attoseconds) = min(self, .seconds(1_000_000)).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}

extension BootClock {
  /// What a clock shows, in this boot.
  init(_ clock: any HostClock) {
    self.init(
      bootID: Self.thisBoot, bootMicroseconds: Int64(clamping: clock.now.nanoseconds / 1000),
      utcMicroseconds: clock.unixMicroseconds)
  }
}
