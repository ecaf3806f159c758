/// Tells a receiver that is out of reach from readings or images that fail while it takes others, such as one that is too large for a
/// proxy: for the first everything waits, and for such an item nothing else.
struct LonelyFailures<Item: Hashable & Sendable>: Sendable {
  /// How many may fail for themselves one after the other; more of them are a receiver that is out of reach.
  private let limit: Int
  /// How many of which nothing is known yet may fail before the receiver is taken as out of reach.
  private let doubted: Int
  /// How many rounds there were in which the receiver judged an item.
  private var judgedRounds = 0
  /// That number when an item's failures began.
  private var beginnings: [Item: Int] = [:]
  /// The items that have failed since the receiver judged one.
  private var failing: Set<Item> = []

  /// - Parameters:
  ///   - limit: How many may fail for themselves one after the other.
  ///   - doubted: How many of which nothing is known yet may fail: none where a round has several items, which tell of each other.
  init(limit: Int, doubted: Int = 0) { (self.limit, self.doubted) = (limit, doubted) }

  /// The receiver has taken an item, or refused it for good.
  mutating func judged(_ item: Item) { beginnings[item] = nil }

  /// Whether the receiver has judged others since this one has begun to fail.
  func isLonely(_ item: Item) -> Bool { beginnings[item].map { $0 < judgedRounds } ?? false }

  /// A round is over.
  ///
  /// - Parameters:
  ///   - items: Those that have failed in it.
  ///   - isAlive: Whether the receiver judged another one in it.
  /// - Returns: Whether the receiver is to be taken as out of reach.
  mutating func failed(_ items: Set<Item>, besideJudged isAlive: Bool) -> Bool {
    guard !isAlive else {
      for item in items where beginnings[item] == nil { beginnings[item] = judgedRounds }
      judgedRounds += 1
      failing = []
      return false
    }
    failing.formUnion(items)
    let areLonely = items.allSatisfy(isLonely)
    if areLonely || failing.count(where: { !isLonely($0) }) <= doubted, failing.count <= limit {
      for item in items where beginnings[item] == nil { beginnings[item] = judgedRounds }
      return false
    }
    for item in items { beginnings[item] = judgedRounds }
    return true
  }
}
