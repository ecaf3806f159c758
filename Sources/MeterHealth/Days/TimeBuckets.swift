import HostPrimitives

/// Things by the quarters of a day that they touch, to find those that overlap without looking at all of them.
struct TimeBuckets<Item> {
  /// In the order in which they were put in.
  private(set) var all: [Item] = []
  private var buckets: [Int64: [Int]] = [:]

  private static func buckets(_ start: Int64, _ end: Int64) -> ClosedRange<Int64> {
    let length: Int64 = 6 * 3_600_000_000
    let first = start.dividedDown(by: length).quotient
    return first...max(first, end.dividedDown(by: length).quotient)
  }

  mutating func insert(_ item: Item, _ start: Int64, _ end: Int64) {
    for bucket in Self.buckets(start, end) { buckets[bucket, default: []].append(all.count) }
    all.append(item)
  }

  /// The first one that was put in of those near an interval for which something holds.
  func first(near start: Int64, _ end: Int64, where holds: (Item) -> Bool) -> Item? {
    var found: Int?
    for bucket in Self.buckets(start, end) {
      guard let match = buckets[bucket]?.first(where: { holds(all[$0]) }) else { continue }
      found = min(found ?? match, match)
    }
    return found.map { all[$0] }
  }
}
