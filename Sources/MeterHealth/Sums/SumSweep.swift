/// Adds up intervals that overlap, so that each moment counts once: the value of an interval is spread evenly over it, and at each moment
/// only the open intervals of the best group count (Android's `PriorityRecordsAggregator`, for groups of one; HealthKit's merging by
/// source, for a group a source).
///
/// One pass over all starts, ends and borders, with a heap of the groups that are open. A group has a clock that runs while it is the
/// best one, so an interval needs no more than two readings of it: O(n log n), however much overlaps.
struct SumSweep {
  private let amounts: ScaledAmounts
  /// By start.
  private let intervals: [SumStore.Interval]
  /// The group of each interval; the lowest counts.
  private let groups: [UInt32]
  private let borders: [Int64]

  /// For each group how long it has been the best one so far.
  private var clocks: [Int64]
  /// For each group how many of its intervals are open.
  private var open: [UInt32]
  /// Groups that are open or were; the lowest first.
  private var heap = GroupHeap()
  /// Of each interval what its group's clock showed when it began or a border passed.
  private var marks: [Int64]
  /// Intervals that are open, and the place of each there.
  private var openList: [UInt32] = []
  private var openPlace: [UInt32]
  private var now: Int64 = .min
  private var sums: [ExactSum]
  /// The bin that runs; -1 before the first border and after the last one.
  private var bin = -1

  /// - Parameters:
  ///   - intervals: By start.
  ///   - amounts: What their values refer to.
  ///   - groups: Of each interval, below `groupCount`.
  ///   - borders: Of the bins, in the order of time.
  /// - Returns: The sum of each bin.
  static func sums(
    of intervals: [SumStore.Interval], in amounts: ScaledAmounts, groups: [UInt32], groupCount: Int, borders: [Int64]
  ) -> [ExactSum] {
    guard borders.count > 1 else { return [] }
    var sweep = SumSweep(amounts, intervals, groups, groupCount, borders)
    sweep.run()
    return sweep.sums
  }

  private init(
    _ amounts: ScaledAmounts, _ intervals: [SumStore.Interval], _ groups: [UInt32], _ groupCount: Int,
    _ borders: [Int64]
  ) {
    self.amounts = amounts
    self.intervals = intervals
    self.groups = groups
    self.borders = borders
    clocks = Array(repeating: 0, count: groupCount)
    open = Array(repeating: 0, count: groupCount)
    marks = Array(repeating: 0, count: intervals.count)
    openPlace = Array(repeating: 0, count: intervals.count)
    sums = Array(repeating: ExactSum(), count: borders.count - 1)
  }

  private mutating func run() {
    let ends = intervals.indices.filter { intervals[$0].start < intervals[$0].end }.map { UInt32($0) }
      .sorted { intervals[Int($0)].end < intervals[Int($1)].end }
    var (nextStart, nextEnd, nextBorder) = (0, 0, 0)
    while nextBorder < borders.count {
      var moment = borders[nextBorder]
      if nextStart < intervals.count { moment = min(moment, intervals[nextStart].start) }
      if nextEnd < ends.count { moment = min(moment, intervals[Int(ends[nextEnd])].end) }
      advance(to: moment)
      while nextEnd < ends.count, intervals[Int(ends[nextEnd])].end == moment {
        close(Int(ends[nextEnd]))
        nextEnd += 1
      }
      if borders[nextBorder] == moment {
        passBorder()
        nextBorder += 1
        bin = nextBorder == borders.count ? -1 : nextBorder - 1
      }
      let first = nextStart
      while nextStart < intervals.count, intervals[nextStart].start == moment {
        if intervals[nextStart].end > moment { begin(nextStart) }
        nextStart += 1
      }
      if first < nextStart { countInstants(first..<nextStart) }
    }
  }

  /// The group whose intervals count now.
  private mutating func best() -> UInt32? {
    while let group = heap.first {
      if open[Int(group)] > 0 { return group }
      heap.removeFirst()
    }
    return nil
  }

  private mutating func advance(to moment: Int64) {
    if moment > now, let group = best() { clocks[Int(group)] += moment - now }
    now = moment
  }

  private mutating func begin(_ index: Int) {
    let group = Int(groups[index])
    marks[index] = clocks[group]
    openPlace[index] = UInt32(openList.count)
    openList.append(UInt32(index))
    open[group] += 1
    if open[group] == 1 { heap.insert(groups[index]) }
  }

  private mutating func close(_ index: Int) {
    contribute(index)
    open[Int(groups[index])] -= 1
    let place = openPlace[index]
    let last = openList.removeLast()
    if last != UInt32(index) {
      openList[Int(place)] = last
      openPlace[Int(last)] = place
    }
  }

  private mutating func passBorder() {
    for index in openList { contribute(Int(index)) }
  }

  /// Adds what an interval has been worth since the last reading of its group's clock.
  private mutating func contribute(_ index: Int) {
    let clock = clocks[Int(groups[index])]
    let covered = clock - marks[index]
    marks[index] = clock
    guard bin >= 0, covered > 0 else { return }
    let interval = intervals[index]
    let (amount, scale) = amounts.value(of: interval)
    let length = interval.end - interval.start
    if covered == length {
      sums[bin].add(amount, over: scale)
    } else {
      sums[bin].add(ExactSum.Share(amount: amount, scale: scale, covered: covered, length: length))
    }
  }

  /// Counts the instants of a moment that are of the best group there, whole. They shorten no interval.
  private mutating func countInstants(_ range: Range<Int>) {
    let instants = range.filter { intervals[$0].start == intervals[$0].end }
    guard bin >= 0, let lowest = instants.map({ groups[$0] }).min() else { return }
    let winner = min(lowest, best() ?? lowest)
    for index in instants where groups[index] == winner {
      let (amount, scale) = amounts.value(of: intervals[index])
      sums[bin].add(amount, over: scale)
    }
  }
}
