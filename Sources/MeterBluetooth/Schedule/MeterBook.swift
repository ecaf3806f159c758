import BluetoothWire

/// The meters that are remembered: a bounded number, of which the least recently heard without obligation goes first.
///
/// Unknown meters have a bound of their own and go before any known one; where all of them are there, a new one has to wait until
/// one has left. So neither the places in the lines nor what was promised to known meters is lost to a crowd.
struct MeterBook: Sendable {
  /// A list in the order of hearing, threaded through the book.
  private struct Recency: Sendable {
    var newest = -1
    var oldest = -1
  }

  private struct Neighbours: Sendable {
    var newer = -1
    var older = -1
    var kind = Kind.free
  }

  /// The lists: unknown meters, and known ones without and with an obligation.
  private enum Kind: Int, Sendable {
    case unknown, free, bound

    init(_ meter: ScheduledMeter) { self = !meter.isKnown ? .unknown : meter.isBound ? .bound : .free }
  }

  /// How many of the bound ones are looked at for one whose obligation has lapsed.
  private static let looks = 16

  private(set) var count = 0
  /// Where a meter stands it stays; what has left is overwritten by the next.
  var meters: [ScheduledMeter] = []
  private var neighbours: [Neighbours] = []
  private var vacant: [Int] = []
  private var positions: [BluetoothAddress: Int] = [:]
  private var lists = [Recency](repeating: Recency(), count: 3)
  private var strangers = 0

  func position(of address: BluetoothAddress) -> Int? { positions[address] }

  /// Makes room and puts a meter in; nil when every meter that is remembered carries an obligation, or every unknown one is there.
  mutating func admit(
    _ address: BluetoothAddress, isKnown: Bool, at now: Duration, _ policy: RadioSchedule.Policy
  ) -> Int? {
    let oldest = lists[Kind.free.rawValue].oldest
    if oldest >= 0, now - meters[oldest].lastHeard > policy.meterMemory { remove(oldest) }
    if !isKnown, strangers >= policy.maximumStrangers || count >= policy.maximumMeters {
      guard let leaving = leastWantedStranger(at: now, policy) else { return nil }
      remove(leaving)
    } else if count >= policy.maximumMeters {
      guard let leaving = anyStranger() ?? leastObliged(at: now, policy) else { return nil }
      remove(leaving)
    }
    var meter = ScheduledMeter(address, at: now)
    meter.isKnown = isKnown
    let index: Int
    if let reused = vacant.popLast() {
      index = reused
      meters[index] = meter
    } else {
      index = meters.count
      meters.append(meter)
      neighbours.append(Neighbours())
    }
    neighbours[index] = Neighbours(kind: Kind(meter))
    positions[address] = index
    count += 1
    link(index)
    return index
  }

  /// Puts a meter in front of those of its kind; called when it is heard and when its obligations have changed.
  mutating func touch(_ index: Int) {
    let kind = Kind(meters[index])
    guard lists[kind.rawValue].newest != index || neighbours[index].kind != kind else { return }
    unlink(index)
    neighbours[index].kind = kind
    link(index)
  }

  private func leastObliged(at now: Duration, _ policy: RadioSchedule.Policy) -> Int? {
    let free = lists[Kind.free.rawValue].oldest
    if free >= 0 { return free }
    var index = lists[Kind.bound.rawValue].oldest
    for _ in 0..<Self.looks where index >= 0 {
      if !meters[index].hasObligation(at: now, policy) { return index }
      index = neighbours[index].newer
    }
    return nil
  }

  /// An unknown meter that is gone, or that has had its turn; nil while all are there and wait.
  private func leastWantedStranger(at now: Duration, _ policy: RadioSchedule.Policy) -> Int? {
    var index = lists[Kind.unknown.rawValue].oldest
    for _ in 0..<Self.looks where index >= 0 {
      let isGone = now - meters[index].lastHeard > policy.window
      if !meters[index].isRunning, isGone || meters[index].isBound { return index }
      index = neighbours[index].newer
    }
    return nil
  }

  private func anyStranger() -> Int? {
    var index = lists[Kind.unknown.rawValue].oldest
    while index >= 0 {
      if !meters[index].isRunning { return index }
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
    let kind = neighbours[index].kind
    let second = lists[kind.rawValue].newest
    neighbours[index].older = second
    neighbours[index].newer = -1
    if second >= 0 { neighbours[second].newer = index } else { lists[kind.rawValue].oldest = index }
    lists[kind.rawValue].newest = index
    if kind == .unknown { strangers += 1 }
  }

  private mutating func unlink(_ index: Int) {
    let (newer, older, kind) = (neighbours[index].newer, neighbours[index].older, neighbours[index].kind)
    if newer >= 0 { neighbours[newer].older = older } else { lists[kind.rawValue].newest = older }
    if older >= 0 { neighbours[older].newer = newer } else { lists[kind.rawValue].oldest = newer }
    if kind == .unknown { strangers -= 1 }
  }
}
