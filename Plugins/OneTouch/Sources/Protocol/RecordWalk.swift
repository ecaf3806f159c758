/// Which record numbers to ask for, in which order. Numbers are 16 bits wide in the command, so they are counted around
/// the 16-bit circle.
struct RecordWalk: Equatable {
  /// The number of the oldest record that the memory can hold.
  let oldest: UInt16
  let count: Int
  let newestFirst: Bool
  private(set) var asked = 0

  /// - Parameters:
  ///   - newest: The T counter.
  ///   - count: The R counter.
  init(newest: UInt16, count: UInt16, newestFirst: Bool) {
    oldest = newest &- count &+ 1
    self.count = Int(count)
    self.newestFirst = newestFirst
  }

  /// The number to ask for now; nil after the last.
  var current: UInt16? {
    guard asked < count else { return nil }
    return oldest &+ UInt16(truncatingIfNeeded: newestFirst ? count - 1 - asked : asked)
  }

  mutating func advance() { asked += 1 }

  /// True when the memory still holds this number.
  func holds(_ number: UInt16) -> Bool { Int(number &- oldest) < count }

  /// Leaves out everything up to and including this number, which the memory holds.
  mutating func skip(through number: UInt16) { asked = Int(number &- oldest) + 1 }

  /// Nothing older is wanted.
  mutating func stop() { asked = count }
}
