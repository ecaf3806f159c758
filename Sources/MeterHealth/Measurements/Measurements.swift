import DriverContract
import HostPrimitives

/// Makes records of measured values: one for each moment and source.
package struct Measurements {
  private let family: HealthFamily
  private let ranking: SourceRanking
  private let borders: DayBorders

  package init(_ family: HealthFamily, _ ranking: SourceRanking, _ borders: DayBorders) {
    self.family = family
    self.ranking = ranking
    self.borders = borders
  }

  /// The measurements that began within the window, by their start, and how many samples were another one again.
  ///
  /// - Parameters:
  ///   - samples: Without heart rates.
  ///   - heartRates: Of them those are records that were measured by themselves, and those at the time of a pressure.
  ///   - keepsSeries: Whether heart rates of a series are records, too.
  package func measurements(
    of samples: [HealthSample], heartRates: HeartRates = HeartRates(), keepsSeries: Bool = false
  ) -> (list: [HealthMeasurement], duplicates: Int) {
    let counted = samples.filter {
      ranking.rank(of: $0.source, for: $0.quantity) != nil && borders.index(of: $0.start) != nil
    }
    var byQuantity: [HealthQuantity: [NumberedSample]] = [:]
    var duplicates = 0
    for (quantity, own) in Dictionary(grouping: counted, by: \.quantity) where quantity.kind == .measurement {
      let (numbered, again) = numbered(own)
      byQuantity[quantity] = numbered
      duplicates += again
    }
    let pressures: Set<HealthQuantity> = [.systolic, .diastolic, .bloodPressure]
    let rates = heartRates.single(
      at: Set(counted.filter { pressures.contains($0.quantity) }.map(\.start)), all: keepsSeries,
      day: { borders.index(of: $0) }, key: { ranking.rank(of: $0, for: .heartRate) == nil ? nil : ranking.keys[$0] })
    let measured = Set(rates.filter { keepsSeries || $0.isMeasured }.map { place($0.sample) })
    byQuantity[.heartRate] = numbered(rates.map(\.sample)).0
    let links = counted.filter { $0.quantity == .bloodPressure }
    var result = body(byQuantity) + self.pressures(&byQuantity, links)
    byQuantity[.heartRate] = byQuantity[.heartRate]?.filter { measured.contains(place($0.sample)) }
    for quantity in HealthQuantity.allCases where quantity.kind == .measurement && !quantity.isOfBody {
      guard quantity != .systolic, quantity != .diastolic else { continue }
      result += (byQuantity[quantity] ?? []).compactMap { single($0) }
    }
    result += counted.filter { $0.quantity.kind == .reproductive }.map(reproductive)
    let order = result.sorted {
      ($0.origin.start, $0.origin.end, $0.metrics.first?.name ?? "", ranking.keys[$0.origin.source])
        < ($1.origin.start, $1.origin.end, $1.metrics.first?.name ?? "", ranking.keys[$1.origin.source])
    }
    var seen: Set<HealthIdentity> = []
    let unique = order.filter { seen.insert($0.identity).inserted }
    return (unique, duplicates + order.count - unique.count)
  }

  private struct Place: Hashable {
    var key: String
    var start: Int64
  }

  private func place(_ sample: HealthSample) -> Place {
    Place(key: ranking.keys[sample.source], start: sample.start)
  }

  // MARK: Samples of one quantity

  private struct Moment: Hashable {
    var start: Int64
    var end: Int64
  }

  /// Samples of one quantity without those that another source, or the same one, has again: values of one start and end that are nearly
  /// equal are one. The rest is numbered in ascending order.
  private func numbered(_ samples: [HealthSample]) -> ([NumberedSample], Int) {
    var result: [NumberedSample] = []
    for (_, group) in Dictionary(grouping: samples, by: { Self.moment($0) }) {
      let ascending = group.compactMap { sample in sample.value.map { (sample: sample, value: $0) } }
        .sorted { $0.value < $1.value }
      var kept: [(sample: HealthSample, value: Fraction)] = []
      // The least value of those that are one with the last one.
      var least = Fraction.zero
      for entry in ascending {
        if let last = kept.last, entry.value.isNearly(least) {
          if precedes(entry.sample, last.sample) { kept[kept.count - 1] = entry }
        } else {
          kept.append(entry)
          least = entry.value
        }
      }
      result += kept.enumerated().map {
        NumberedSample(sample: $0.element.sample, value: $0.element.value, ordinal: $0.offset)
      }
    }
    return (result, samples.count - result.count)
  }

  /// Which of two equal samples is kept.
  private func precedes(_ left: HealthSample, _ right: HealthSample) -> Bool {
    let (one, two) = (rank(left), rank(right))
    if one != two { return one < two }
    if left.isManual != right.isManual { return left.isManual }
    return left.modified != right.modified
      ? left.modified > right.modified : (left.id ?? "") < (right.id ?? "")
  }

  /// In whole seconds: an export that has fractions has the same sample as one that cuts them off.
  private static func moment(_ sample: HealthSample) -> Moment {
    Moment(
      start: sample.start.dividedDown(by: 1_000_000).quotient, end: sample.end.dividedDown(by: 1_000_000).quotient)
  }

  private func rank(_ sample: HealthSample) -> Int { ranking.rank(of: sample.source, for: sample.quantity) ?? .max }

  // MARK: Records

  /// Weight and composition: all values of one source and start are a record.
  private func body(_ byQuantity: [HealthQuantity: [NumberedSample]]) -> [HealthMeasurement] {
    struct Place: Hashable {
      var key: String
      var start: Int64
      /// Which of several values of one quantity.
      var layer: Int
    }
    var records: [Place: [(HealthQuantity, NumberedSample)]] = [:]
    for quantity in HealthQuantity.allCases where quantity.isOfBody {
      var layers: [Place: Int] = [:]
      for numbered in (byQuantity[quantity] ?? []).sorted(by: { $0.ordinal < $1.ordinal }) {
        var place = Place(key: ranking.keys[numbered.sample.source], start: numbered.sample.start, layer: 0)
        layers[place, default: -1] += 1
        place.layer = layers[place] ?? 0
        records[place, default: []].append((quantity, numbered))
      }
    }
    return records.values.compactMap { parts in
      let metrics = parts.compactMap { $0.0.metric($0.1.value) }
      guard let first = parts.first, !metrics.isEmpty else { return nil }
      return record(.body, first.1, metrics, isManual: parts.allSatisfy(\.1.sample.isManual))
    }
  }

  /// Pressures with what belongs to them; heart rates that do are taken out.
  private func pressures(
    _ byQuantity: inout [HealthQuantity: [NumberedSample]], _ links: [HealthSample]
  ) -> [HealthMeasurement] {
    // A link whose pressures are no samples of their own is the measurement itself.
    let (systolic, diastolic) = Self.withLinks(links, byQuantity[.systolic] ?? [], byQuantity[.diastolic] ?? [], rank)
    let partners = PressurePairs.pairs(systolic, diastolic, links: links) { ranking.keys[$0] }
    var rates = byQuantity[.heartRate] ?? []
    var taken: Set<Int> = []
    var rateIndex: [String: [Int64: [Int]]] = [:]
    for (index, rate) in rates.enumerated() {
      rateIndex[ranking.keys[rate.sample.source], default: [:]][rate.sample.start, default: []].append(index)
    }
    func pulse(_ sample: HealthSample) -> [HealthMetric] {
      guard let indices = rateIndex[ranking.keys[sample.source]]?[sample.start], indices.count == 1,
        taken.insert(indices[0]).inserted,
        let value = rates[indices[0]].value.rounded(places: HealthQuantity.heartRate.places)
      else { return [] }
      return [HealthMetric("pulse", value, "/min")]
    }
    var result: [HealthMeasurement] = []
    for (index, high) in systolic.enumerated() {
      let low = partners[index].map { diastolic[$0] }
      let metrics = [
        HealthQuantity.systolic.metric(high.value), low.flatMap { HealthQuantity.diastolic.metric($0.value) },
      ]
      .compactMap { $0 }
      result.append(record(.vital, high, metrics + pulse(high.sample), isManual: high.sample.isManual))
    }
    let paired = Set(partners.compactMap { $0 })
    for (index, low) in diastolic.enumerated() where !paired.contains(index) {
      guard let metric = HealthQuantity.diastolic.metric(low.value) else { continue }
      result.append(record(.vital, low, [metric] + pulse(low.sample), isManual: low.sample.isManual))
    }
    rates = rates.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
    byQuantity[.heartRate] = rates
    return result
  }

  private static func withLinks(
    _ links: [HealthSample], _ systolic: [NumberedSample], _ diastolic: [NumberedSample], _ rank: (HealthSample) -> Int
  ) -> ([NumberedSample], [NumberedSample]) {
    func times(_ list: [NumberedSample]) -> [Int64: [Fraction]] {
      Dictionary(grouping: list, by: \.sample.start).mapValues { $0.map(\.value) }
    }
    var (systolic, diastolic) = (systolic, diastolic)
    var (upper, lower) = (times(systolic), times(diastolic))
    func add(
      _ key: String, _ quantity: HealthQuantity, of link: HealthSample, to list: inout [NumberedSample],
      _ known: inout [Int64: [Fraction]]
    ) {
      guard let value = link.number(key), !value.isNegative else { return }
      let same = known[link.start] ?? []
      if same.contains(where: { $0.isNearly(value) }) { return }
      var sample = link
      (sample.quantity, sample.value) = (quantity, value)
      list.append(NumberedSample(sample: sample, value: value, ordinal: same.count))
      known[link.start, default: []].append(value)
    }
    for link in links.sorted(by: { (rank($0), $0.start, $0.id ?? "") < (rank($1), $1.start, $1.id ?? "") }) {
      add("systolic", .systolic, of: link, to: &systolic, &upper)
      add("diastolic", .diastolic, of: link, to: &diastolic, &lower)
    }
    return (systolic, diastolic)
  }

  private func single(_ numbered: NumberedSample) -> HealthMeasurement? {
    let quantity = numbered.sample.quantity
    guard let metric = quantity.metric(numbered.value) else { return nil }
    var words: [HealthWord] = []
    if quantity == .glucose, let meal = Self.meal(numbered.sample) {
      words.append(HealthWord("relationship_to_meal", meal))
    }
    return record(
      quantity == .glucose ? .glucose : .vital, numbered, [metric], words: words, isManual: numbered.sample.isManual)
  }

  private static func meal(_ sample: HealthSample) -> String? {
    if let word = sample.text(HealthAttribute.Key.meal), ["before", "after", "fasting"].contains(word) { return word }
    let number =
      sample.text(HealthAttribute.Key.appleMeal)
      ?? sample.number(HealthAttribute.Key.appleMeal)?.rounded(places: 0)?.description
    return number == "1" ? "before" : number == "2" ? "after" : nil
  }

  private func reproductive(_ sample: HealthSample) -> HealthMeasurement {
    var words = [HealthWord(sample.quantity.word, sample.text ?? "present")]
    if let protection = sample.text(HealthAttribute.Key.protection) {
      words.append(HealthWord("protection", protection))
    }
    var result = record(
      .reproductive, NumberedSample(sample: sample, value: .zero, ordinal: 0), [], isManual: sample.isManual)
    result.words = words
    return result
  }

  private func record(
    _ kind: HealthMeasurement.Kind, _ numbered: NumberedSample, _ metrics: [HealthMetric], words: [HealthWord] = [],
    isManual: Bool
  ) -> HealthMeasurement {
    let sample = numbered.sample
    let offset = borders.utcOffset(of: sample, at: sample.start)
    let word = sample.quantity.word
    let byTime = HealthIdentity.sample(
      word, start: sample.start, end: sample.end, ordinal: numbered.ordinal, of: family)
    let texts = [HealthAttribute.Key.syncID, HealthAttribute.Key.externalID].compactMap(sample.text)
    let names = ([sample.id].compactMap { $0 } + texts).map { HealthIdentity.named($0, word, of: family) }
    let identity = family.hasStableNames && sample.id != nil ? names[0] : byTime
    return HealthMeasurement(
      kind: kind,
      origin: HealthOrigin(
        start: sample.start, end: sample.end, utcOffset: offset.seconds, hasOwnOffset: offset.isOwn,
        source: sample.source, isManual: isManual, modified: sample.modified),
      metrics: metrics, words: words, identity: identity,
      alternates: (names + [byTime]).filter { $0 != identity },
      place: names.isEmpty && !metrics.isEmpty
        ? HealthIdentity.Place(word, start: sample.start, end: sample.end) : nil)
  }
}
