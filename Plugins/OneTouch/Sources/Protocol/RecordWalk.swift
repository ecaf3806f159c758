/// Which record numbers to ask for, in which order. Numbers are 16 bits wide in the command, so they are counted around
/// the 16-bit circle.
///
/// The meter says how many records it has and the number of the newest. Numbers without a record (a test that failed, a record that was
/// erased) push the oldest ones further down: when fewer records came than were announced, the walk goes on below.
struct RecordWalk: Equatable {
  /// Records below the numbers that the count alone suggests.
  struct Older: Equatable {
    /// The number to ask for next.
    var next: UInt16
    /// How many announced records have not come.
    var missing: UInt16
    /// Numbers up to this one are still being asked for, and each that is empty leaves one more to be found below; nil when they
    /// have been.
    var pending: UInt16?

    /// Notes that a number above was asked for and has no record.
    mutating func noteEmpty(_ number: UInt16) {
      guard let pending, Int16(bitPattern: pending &- number) >= 0 else { return }
      missing += 1
    }
  }

  /// The number of the oldest record that the memory can hold, as long as each number has one.
  let oldest: UInt16
  let count: Int
  let newestFirst: Bool
  private(set) var asked = 0
  /// What is to be looked for below.
  private(set) var older: Older?
  /// How many announced records are nowhere.
  private(set) var lost = 0
  private var emptyRun = 0

  /// So many numbers in a row without a record end the search: no memory has such a hole.
  static var longestHole: Int { 256 }

  /// - Parameters:
  ///   - newest: The T counter.
  ///   - count: The R counter.
  init(newest: UInt16, count: UInt16, newestFirst: Bool) {
    oldest = newest &- count &+ 1
    self.count = Int(count)
    self.newestFirst = newestFirst
    if count > 0 { older = Older(next: oldest &- 1, missing: 0, pending: newest) }
  }

  /// The number to ask for now; nil after the last.
  var current: UInt16? {
    guard asked < count else { return older?.next }
    return oldest &+ UInt16(truncatingIfNeeded: newestFirst ? count - 1 - asked : asked)
  }

  /// Below the numbers that the count alone suggests.
  var isBelow: Bool { asked >= count && older != nil }

  /// Goes on behind a number that was asked for.
  mutating func advance(hasRecord: Bool) {
    if asked < count {
      if !hasRecord, let current { older?.noteEmpty(current) }
      asked += 1
      if asked == count, var left = older {
        left.pending = nil
        seek(left)
      }
      return
    }
    guard var left = older else { return }
    emptyRun = hasRecord ? 0 : emptyRun + 1
    left.next = left.next &- 1
    if hasRecord { left.missing -= 1 }
    seek(left)
  }

  private mutating func seek(_ left: Older) {
    // The first record of a meter has the number 1.
    let isOver = left.missing == 0 || left.next == 0 || emptyRun >= RecordWalk.longestHole
    older = isOver ? nil : left
    if isOver { lost = Int(left.missing) }
  }

  /// True when the memory still holds this number.
  func holds(_ number: UInt16) -> Bool { Int(number &- oldest) < count }

  /// Leaves out everything up to and including this number, which the memory holds, but what an earlier walk has not found yet.
  mutating func skip(through number: UInt16, leaving older: Older?) {
    asked = Int(number &- oldest) + 1
    self.older = older
    guard asked == count, var left = self.older else { return }
    left.pending = nil
    seek(left)
  }

  /// Nothing older is wanted.
  mutating func stop() {
    asked = count
    older = nil
  }
}
