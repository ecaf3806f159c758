import BluetoothWire

/// The meters that are remembered: a bounded number, of which the least recently heard without obligation goes first.
struct MeterBook: Sendable {
  /// A list in the order of hearing, threaded through the book.
  private struct Recency: Sendable {
    var newest = -1
    var oldest = -1
  }

  private struct Neighbours: Sendable {
    var newer = -1
    var older = -1
    var isBound = false
  }

  /// How many of the bound ones are looked at for one whose obligation has lapsed.
  private static let looks = 16

  private(set) var count = 0
  /// Where a meter stands it stays; what has left is overwritten by the next.
  var meters: [ScheduledMeter] = []
  private var neighbours: [Neighbours] = []
  private var vacant: [Int] = []
  private var positions: [BluetoothAddress: Int] = [:]
  private var free = Recency()
  private var bound = Recency()

  func position(of address: BluetoothAddress) -> Int? { positions[address] }

  /// Makes room and puts a meter in; nil when every meter that is remembered carries an obligation.
  mutating func admit(_ address: BluetoothAddress, at now: Duration, _ policy: RadioSchedule.Policy) -> Int? {
    if free.oldest >= 0, now - meters[free.oldest].lastHeard > policy.meterMemory { remove(free.oldest) }
    if count >= policy.maximumMeters {
      guard let leaving = leastObliged(at: now, policy) else { return nil }
      remove(leaving)
    }
    let meter = ScheduledMeter(address, at: now)
    let index: Int
    if let reused = vacant.popLast() {
      index = reused
      meters[index] = meter
    } else {
      index = meters.count
      meters.append(meter)
      neighbours.append(Neighbours())
    }
    neighbours[index] = Neighbours()
    positions[address] = index
    count += 1
    link(index)
    return index
  }

  /// Puts a meter in front of those of its kind; called when it is heard and when its obligations have changed.
  mutating func touch(_ index: Int) {
    let isBound = meters[index].isBound
    let list = isBound ? bound : free
    guard list.newest != index || neighbours[index].isBound != isBound else { return }
    unlink(index)
    neighbours[index].isBound = isBound
    link(index)
  }

  private func leastObliged(at now: Duration, _ policy: RadioSchedule.Policy) -> Int? {
    if free.oldest >= 0 { return free.oldest }
    var index = bound.oldest
    for _ in 0..<Self.looks where index >= 0 {
      if !meters[index].hasObligation(at: now, policy) { return index }
      index = neighbours[index].newer
    }
    return nil
  }

  private mutating func remove(_ index: Int) {
    unlink(index)
    positions[meters[index].address] = nil
    // Whatever still points here from a queue is outdated by its serial number.
    meters[index] = ScheduledMeter(meters[index].address, at: .zero)
    neighbours[index] = Neighbours()
    vacant.append(index)
    count -= 1
  }

  private mutating func link(_ index: Int) {
    let isBound = neighbours[index].isBound
    let second = isBound ? bound.newest : free.newest
    neighbours[index].older = second
    neighbours[index].newer = -1
    if second >= 0 { neighbours[second].newer = index }
    if isBound {
      bound.newest = index
      if second < 0 { bound.oldest = index }
    } else {
      free.newest = index
      if second < 0 { free.oldest = index }
    }
  }

  private mutating func unlink(_ index: Int) {
    let (newer, older) = (neighbours[index].newer, neighbours[index].older)
    if newer >= 0 { neighbours[newer].older = older }
    if older >= 0 { neighbours[older].newer = newer }
    if neighbours[index].isBound {
      if newer < 0 { bound.newest = older }
      if older < 0 { bound.oldest = newer }
    } else {
      if newer < 0 { free.newest = older }
      if older < 0 { free.oldest = newer }
    }
  }
}
