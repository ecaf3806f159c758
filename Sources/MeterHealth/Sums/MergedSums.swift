import DriverContract

/// The samples of one quantity in the order and the groups by which they are merged.
package struct MergedSums: Sendable {
  /// What a bin comes to.
  package struct Bin: Sendable {
    /// The sum, nil where nothing of the bin counts.
    package let value: HealthDecimal?
    /// What of it was entered by hand, nil for none.
    package let manual: HealthDecimal?
    /// Whether the source had merged it: nothing was summed up here.
    package let isMergedBySource: Bool
    /// Whether it left 64 bits.
    package let hasOverflow: Bool
  }

  private let quantity: HealthQuantity
  private let amounts: ScaledAmounts
  /// By start, without those that do not count and those that are there twice.
  private let intervals: [SumStore.Interval]
  private let groups: [UInt32]
  private let groupCount: Int
  private let keys: [String]
  /// The longest interval: none that begins earlier than so long before a moment is open there.
  private let longest: Int64
  /// How many were the same one again.
  package let duplicates: Int

  /// - Parameter store: It is taken apart: where nobody else holds it, its samples are not copied.
  package init(_ store: consuming SumStore, _ ranking: SourceRanking) {
    keys = ranking.keys
    quantity = store.quantity
    let ranks = Ranks(ranking, quantity)
    var kept = store.takeIntervals()
    amounts = store.amounts
    kept.removeAll { ranks.rank(of: $0) == nil }
    kept.sort { ranks.precedes($0, $1) }
    let all = kept.count
    // Of samples that are merged one by one an equal one counts only once anyway.
    if ranking.rule == .sources { Self.removeRepeated(from: &kept, ranks) }
    duplicates = all - kept.count
    longest = kept.reduce(0) { max($0, $1.end - $1.start) }
    (groups, groupCount) = Self.groups(kept, ranks, quantity, ranking.rule)
    intervals = kept
  }

  /// The ranks of sources, lower counts more.
  private struct Ranks {
    private let ranks: [UInt64?]

    init(_ ranking: SourceRanking, _ quantity: HealthQuantity) {
      ranks = ranking.keys.indices.map { ranking.rank(of: $0, for: quantity).map { UInt64($0) } }
    }

    /// Nil for a source that does not count.
    func rank(of interval: SumStore.Interval) -> UInt64? {
      Int(interval.source) < ranks.count ? ranks[Int(interval.source)] : nil
    }

    /// Of one that counts.
    func known(_ interval: SumStore.Interval) -> UInt64 { rank(of: interval) ?? .max }

    func precedes(_ one: SumStore.Interval, _ two: SumStore.Interval) -> Bool {
      if one.start != two.start { return one.start < two.start }
      if one.end != two.end { return one.end < two.end }
      let (left, right) = (known(one), known(two))
      if left != right { return left < right }
      if one.scale != two.scale { return one.scale < two.scale }
      if one.amount != two.amount { return one.amount < two.amount }
      if one.isMerged != two.isMerged { return !one.isMerged }
      // By hand first: of two equal samples that one is kept.
      if one.isManual != two.isManual { return one.isManual }
      return one.modified > two.modified
    }

    /// Whether two samples are one that was saved twice, whenever that was. Samples of one rank are of one source, or, where several
    /// sources are equal, ones of which only one counts.
    func isSame(_ one: SumStore.Interval, _ two: SumStore.Interval) -> Bool {
      one.start == two.start && one.end == two.end && known(one) == known(two) && one.scale == two.scale
        && one.amount == two.amount && one.isMerged == two.isMerged
    }
  }

  /// Leaves of equal samples that follow each other the first.
  private static func removeRepeated(from kept: inout [SumStore.Interval], _ ranks: Ranks) {
    guard var last = kept.first else { return }
    var end = 1
    for index in kept.indices.dropFirst() {
      let interval = kept[index]
      if !ranks.isSame(interval, last) {
        kept[end] = interval
        end += 1
      }
      last = interval
    }
    kept.removeSubrange(end...)
  }

  /// The group of each interval. By source: what was entered by hand counts before everything else. By sample: a group for each of them,
  /// the later changed first.
  private static func groups(
    _ kept: [SumStore.Interval], _ ranks: Ranks, _ quantity: HealthQuantity, _ rule: SourceRanking.Rule
  ) -> ([UInt32], Int) {
    // Total energy is not merged by any store: all of it adds.
    guard quantity != .energyTotal else { return (kept.map { _ in 0 }, 1) }
    switch rule {
    case .sources:
      func wanted(_ interval: SumStore.Interval) -> UInt64 {
        ranks.known(interval) + (interval.isManual ? 0 : 1 << 32)
      }
      let order = Dictionary(
        Set(kept.lazy.map(wanted)).sorted().enumerated().map { ($0.element, UInt32($0.offset)) },
        uniquingKeysWith: { first, _ in first })
      return (kept.map { order[wanted($0)] ?? 0 }, order.count)
    case .samples:
      let order = kept.indices.sorted { left, right in
        let (one, two) = (kept[left], kept[right])
        let (first, second) = (ranks.known(one), ranks.known(two))
        if first != second { return first < second }
        if one.modified != two.modified { return one.modified > two.modified }
        return left < right
      }
      var groups = [UInt32](repeating: 0, count: kept.count)
      for (place, index) in order.enumerated() { groups[index] = UInt32(place) }
      return (groups, kept.count)
    }
  }

  /// What each bin comes to.
  ///
  /// - Parameter borders: Of the bins, in the order of time.
  package func bins(_ borders: [Int64]) -> [Bin] {
    let places = quantity.places
    let merged = exactSums(borders)
    let manual = intervals.contains { $0.isManual } ? manualSums(borders) : []
    let given = intervals.contains { $0.isMerged } ? givenSums(borders) : []
    return merged.indices.map { index in
      let isGiven = index < given.count && !given[index].isEmpty
      let sum = isGiven ? given[index] : merged[index]
      let value = sum.isEmpty ? nil : sum.rounded(places: places)
      let byHand =
        !isGiven && index < manual.count && !manual[index].isEmpty ? manual[index].rounded(places: places) : nil
      return Bin(
        value: value, manual: byHand.flatMap { $0.isZero ? nil : $0 }, isMergedBySource: isGiven,
        hasOverflow: !sum.isEmpty && value == nil)
    }
  }

  /// The merged sum of each bin, without what a source had summed up itself.
  func exactSums(_ borders: [Int64], longestCounted: Int64 = .max) -> [ExactSum] {
    sums(
      borders, of: { !$0.isMerged && $0.end - $0.start <= longestCounted }, groups: { groups[$0] }, count: groupCount)
  }

  /// Everything entered by hand: a plain sum.
  private func manualSums(_ borders: [Int64]) -> [ExactSum] {
    sums(borders, of: { $0.isManual && !$0.isMerged }, groups: { _ in 0 }, count: 1)
  }

  /// What sources had summed up themselves. The longest one counts: a day before its hours.
  private func givenSums(_ borders: [Int64]) -> [ExactSum] {
    let order = intervals.indices.filter { intervals[$0].isMerged }.sorted { left, right in
      let (one, two) = (intervals[left], intervals[right])
      if one.end - one.start != two.end - two.start { return one.end - one.start > two.end - two.start }
      if one.modified != two.modified { return one.modified > two.modified }
      let (first, second) = (amounts.value(of: one), amounts.value(of: two))
      let (large, small) = (Fraction(first.amount, over: first.scale), Fraction(second.amount, over: second.scale))
      if let large, let small, large != small { return large > small }
      return left < right
    }
    let places = Dictionary(order.enumerated().map { ($0.element, UInt32($0.offset)) }, uniquingKeysWith: min)
    return sums(borders, of: \.isMerged, groups: { places[$0] ?? 0 }, count: max(1, order.count))
  }

  private func sums(
    _ borders: [Int64], of isCounted: (SumStore.Interval) -> Bool, groups: (Int) -> UInt32, count: Int
  ) -> [ExactSum] {
    let indices = intervals.indices.filter { isCounted(intervals[$0]) }
    // Mostly all of them are, and are not copied.
    if indices.count == intervals.count {
      return SumSweep.sums(
        of: intervals, in: amounts, groups: indices.map(groups), groupCount: count, borders: borders)
    }
    return SumSweep.sums(
      of: indices.map { intervals[$0] }, in: amounts, groups: indices.map(groups), groupCount: count, borders: borders)
  }

  /// The index of the first interval that begins at a moment or behind it.
  private func first(notBefore moment: Int64) -> Int {
    var (low, high) = (0, intervals.count)
    while low < high {
      let middle = (low + high) / 2
      if intervals[middle].start < moment { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// How many samples are looked at for a sum from one moment until another one.
  func count(from start: Int64, until end: Int64) -> Int {
    max(0, first(notBefore: end) - first(notBefore: start - longest))
  }

  /// What the samples of one source come to within an interval, nil without any.
  package func sum(ofSource source: Int, from start: Int64, until end: Int64) -> HealthDecimal? {
    guard start < end, keys.indices.contains(source) else { return nil }
    let low = first(notBefore: start - longest)
    let indices = intervals[low...].indices.prefix { intervals[$0].start < end }.filter {
      keys[Int(intervals[$0].source)] == keys[source] && intervals[$0].end >= start && !intervals[$0].isMerged
    }
    guard !indices.isEmpty else { return nil }
    let order = Dictionary(
      Set(indices.map { groups[$0] }).sorted().enumerated().map { ($0.element, UInt32($0.offset)) },
      uniquingKeysWith: { first, _ in first })
    let sum = SumSweep.sums(
      of: indices.map { intervals[$0] }, in: amounts, groups: indices.map { order[groups[$0]] ?? 0 },
      groupCount: order.count, borders: [start, end])
    return sum.first.flatMap { $0.isEmpty ? nil : $0.rounded(places: quantity.places) }
  }
}
