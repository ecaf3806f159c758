/// Tells a receiver that is out of reach from records that fail while it takes others, such as one that is too large for a proxy:
/// for the first everything waits, and for such a record nothing else.
struct LonelyFailures: Sendable {
  /// How many may fail for themselves one after the other; more of them are a receiver that is out of reach.
  private let limit: Int
  /// How many rounds there were in which the receiver judged a record.
  private var judgedRounds = 0
  /// That number when a record's failures began.
  private var beginnings: [LogID: Int] = [:]
  /// The records that have failed since the receiver judged one.
  private var failing: Set<LogID> = []

  init(limit: Int) { self.limit = limit }

  /// The receiver has taken a record, or refused it for good.
  mutating func judged(_ record: LogID) { beginnings[record] = nil }

  /// Records of one round have failed.
  ///
  /// - Parameter isAlive: Whether the receiver judged another one in the same round.
  /// - Returns: Whether the receiver is to be taken as out of reach.
  mutating func failed(_ records: Set<LogID>, besideJudged isAlive: Bool) -> Bool {
    guard !isAlive else {
      for record in records where beginnings[record] == nil { beginnings[record] = judgedRounds }
      judgedRounds += 1
      failing = []
      return false
    }
    failing.formUnion(records)
    let areLonely = records.allSatisfy { record in beginnings[record].map { $0 < judgedRounds } ?? false }
    if areLonely, failing.count <= limit { return false }
    for record in records { beginnings[record] = judgedRounds }
    return true
  }
}
