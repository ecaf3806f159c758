/// How far a receiver's clock is ahead of this machine's, as the `Date` field of its answers says. It is reported and
/// changes no record.
public struct ClockSkew: Sendable, Hashable, Codable {
  /// Seconds that the receiver's clock is ahead; negative when it is behind. HTTP dates have whole seconds, so one more or
  /// less says nothing.
  public let seconds: Int
  /// When it was measured, microseconds since 1970-01-01T00:00Z by this machine's clock.
  package let measuredMicroseconds: Int64

  /// Differences from here on are worth a person's attention: meters are set to the minute.
  package static let tolerance = 30

  /// A measured difference.
  package init(seconds: Int, measuredMicroseconds: Int64) {
    self.seconds = seconds
    self.measuredMicroseconds = measuredMicroseconds
  }

  /// Whether it is worth a person's attention.
  public var isNotable: Bool { abs(seconds) >= Self.tolerance }

  /// Whether a later measurement tells something new: the first, one across the tolerance, or one that differs by it.
  static func isNews(_ seconds: Int, after earlier: ClockSkew?) -> Bool {
    guard let earlier else { return true }
    return (abs(seconds) >= tolerance) != earlier.isNotable || abs(seconds - earlier.seconds) >= tolerance
  }
}
