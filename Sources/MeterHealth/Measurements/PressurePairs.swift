/// Which systolic and diastolic pressures belong together.
enum PressurePairs {
  /// Samples of one source that are not further apart may be one measurement.
  static let longestGap: Int64 = 60 * 1_000_000

  /// The index of the diastolic sample of each systolic one, nil for one that is alone.
  ///
  /// First what the export links, then what has the same source and start, then the nearest of the same source within a minute if there
  /// is only one and each is the other's nearest.
  static func pairs(
    _ systolic: [NumberedSample], _ diastolic: [NumberedSample], links: [HealthSample], key: (Int) -> String
  ) -> [Int?] {
    var partner = [Int?](repeating: nil, count: systolic.count)
    var isTaken = [Bool](repeating: false, count: diastolic.count)
    struct Place: Hashable {
      var key: String
      var start: Int64
    }
    func places(_ samples: [NumberedSample]) -> [Place: [Int]] {
      Dictionary(grouping: samples.indices) {
        Place(key: key(samples[$0].sample.source), start: samples[$0].sample.start)
      }
    }
    let (upper, lower) = (places(systolic), places(diastolic))
    func pair(_ one: Int, _ two: Int) {
      partner[one] = two
      isTaken[two] = true
    }
    for link in links {
      let place = Place(key: key(link.source), start: link.start)
      guard let high = link.number("systolic"), let low = link.number("diastolic"),
        let one = upper[place]?.first(where: { partner[$0] == nil && systolic[$0].value.isNearly(high) }),
        let two = lower[place]?.first(where: { !isTaken[$0] && diastolic[$0].value.isNearly(low) })
      else { continue }
      pair(one, two)
    }
    for (place, indices) in upper {
      let free = indices.filter { partner[$0] == nil }
      let others = (lower[place] ?? []).filter { !isTaken[$0] }
      if free.count == 1, others.count == 1 { pair(free[0], others[0]) }
    }
    let free = Dictionary(grouping: systolic.indices.filter { partner[$0] == nil }) { key(systolic[$0].sample.source) }
    let others = Dictionary(grouping: diastolic.indices.filter { !isTaken[$0] }) { key(diastolic[$0].sample.source) }
    for (source, indices) in free {
      let candidates = others[source] ?? []
      let toLower = nearest(
        of: indices.map { ($0, systolic[$0].sample.start) }, in: candidates.map { ($0, diastolic[$0].sample.start) })
      let toUpper = nearest(
        of: candidates.map { ($0, diastolic[$0].sample.start) }, in: indices.map { ($0, systolic[$0].sample.start) })
      for (one, two) in toLower where toUpper[two] == one { pair(one, two) }
    }
    return partner
  }

  /// The nearest in time of each, where there is one within a minute and no other one as near.
  private static func nearest(of items: [(Int, Int64)], in others: [(Int, Int64)]) -> [Int: Int] {
    let sorted = others.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    var result: [Int: Int] = [:]
    for (index, time) in items {
      var (low, high) = (0, sorted.count)
      while low < high {
        let middle = (low + high) / 2
        if sorted[middle].1 < time { low = middle + 1 } else { high = middle }
      }
      let near = (max(0, low - 2)..<min(sorted.count, low + 2)).map { (sorted[$0].0, abs(sorted[$0].1 - time)) }
        .filter { $0.1 <= longestGap }.sorted { $0.1 < $1.1 }
      guard let first = near.first, near.count < 2 || near[1].1 > first.1 else { continue }
      result[index] = first.0
    }
    return result
  }
}
