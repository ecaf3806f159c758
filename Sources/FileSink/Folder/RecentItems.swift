/// What was written last, so that it is not written again when it is delivered again.
struct RecentItems: Sendable {
  /// How many are known at least. No more than 6,400 can be on their way when a process ends: 64 batches of 100.
  static let least = 20_000

  private var newer: Set<DeliveredItem> = []
  private var older: Set<DeliveredItem> = []

  func contains(_ item: DeliveredItem) -> Bool { newer.contains(item) || older.contains(item) }

  mutating func insert(_ item: DeliveredItem) {
    guard !contains(item) else { return }
    if newer.count >= Self.least { (newer, older) = ([], newer) }
    newer.insert(item)
  }
}
