import HostPrimitives

/// How often one source may post: a few at once, and then one in a while. A value that knows no clock (the virtual scheduling algorithm of
/// ITU-T I.371, annex A).
struct IngestRate: Sendable, Hashable {
  /// How many posts may come at once.
  static let burst = 60
  /// How long it takes until one more may come.
  static let interval = Duration.seconds(2)

  /// When everything that was taken is made up for.
  private var settled: HostInstant = .boot

  /// - Returns: nil when the post may come; else how long to wait, in whole seconds from 1 on.
  mutating func take(at now: HostInstant) -> Int? {
    let start = max(settled, now)
    let ahead = start - now
    let room = Self.interval * (Self.burst - 1)
    guard ahead <= room else {
      let (seconds, rest) = (ahead - room).components
      return Int(seconds) + (rest > 0 ? 1 : 0)
    }
    settled = start + Self.interval
    return nil
  }
}
