/// After how long readings are sent again of which receivers say nothing: a minute, and twice as long each time, up to an hour.
///
/// It is kept in memory only: after a restart it is a minute again.
struct ResendTimes: Sendable {
  static let first: Duration = .seconds(60)
  static let longest: Duration = .seconds(3600)
  /// Those that are known; with more of them all begin anew.
  static let most = 10_000

  private var sent: [ReadingName: Int] = [:]

  /// The time for a reading that was sent just now.
  mutating func next(_ name: ReadingName) -> Duration {
    if sent.count >= Self.most, sent[name] == nil { sent = [:] }
    let times = sent[name, default: 0]
    sent[name] = min(times + 1, 16)
    return min(Self.first * (1 << times), Self.longest)
  }

  /// The receiver has said what became of it.
  mutating func forget(_ name: ReadingName) { sent[name] = nil }
}
