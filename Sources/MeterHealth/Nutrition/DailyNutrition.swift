import DriverContract

/// What one source has noted of the food of a local day. Two diaries are two of them: nothing tells which meals are in both.
package struct DailyNutrition: Sendable, Hashable {
  /// What was eaten at one time.
  package struct Item: Sendable, Hashable {
    /// Microseconds since 1970-01-01T00:00Z.
    package let start: Int64
    package let end: Int64
    /// What it was, where the export says so.
    package let food: String?
    /// Of which meal.
    package let meal: String?
    package let metrics: [HealthMetric]
  }

  package let day: String
  package var origin: HealthOrigin
  /// The sums of the day.
  package let metrics: [HealthMetric]
  /// In the order of time.
  package let items: [Item]
  package let identity: HealthIdentity

  /// The records of each day and source.
  static func days(
    of samples: [HealthSample], _ family: HealthFamily, _ ranking: SourceRanking, _ borders: DayBorders
  ) -> (list: [DailyNutrition], duplicates: Int) {
    struct Place: Hashable {
      var day: Int
      var key: String
    }
    var seen: Set<Entry> = []
    var byPlace: [Place: [HealthSample]] = [:]
    var duplicates = 0
    for sample in samples {
      guard !ranking.isOff(sample.source), let day = borders.index(of: sample.start) else { continue }
      let key = ranking.keys[sample.source]
      guard seen.insert(Entry(sample, key)).inserted else {
        duplicates += 1
        continue
      }
      byPlace[Place(day: day, key: key), default: []].append(sample)
    }
    let list = byPlace.compactMap { place, samples -> DailyNutrition? in
      let day = borders.days[place.day]
      let metrics = Self.sums(samples)
      guard let first = samples.map(\.source).min(), !metrics.isEmpty else { return nil }
      let origin = HealthOrigin(
        start: day.start, end: day.end, utcOffset: day.utcOffset, hasOwnOffset: false, source: first,
        isManual: samples.allSatisfy(\.isManual), modified: samples.reduce(0) { max($0, $1.modified) })
      return DailyNutrition(
        day: day.text, origin: origin, metrics: metrics, items: Self.items(samples),
        identity: .day(day.text, kind: "nutrition", of: family, source: place.key))
    }
    return (
      list.sorted { ($0.day, ranking.keys[$0.origin.source]) < ($1.day, ranking.keys[$1.origin.source]) }, duplicates
    )
  }

  /// Two equal items are two where they were written at different times.
  private struct Entry: Hashable {
    let quantity: HealthQuantity
    let start: Int64
    let end: Int64
    let value: Fraction?
    let key: String
    let modified: Int64
    let id: String?
    let attributes: [HealthAttribute]

    init(_ sample: HealthSample, _ key: String) {
      (quantity, start, end, value) = (sample.quantity, sample.start, sample.end, sample.value)
      (self.key, modified, id, attributes) = (key, sample.modified, sample.id, sample.attributes)
    }
  }

  private static let nutrients: [HealthQuantity] = HealthQuantity.allCases.filter {
    $0.kind == .nutrition && $0 != .meal
  }

  /// The value of a nutrient in a sample, which is one of it or a whole meal.
  private static func amount(_ nutrient: HealthQuantity, in sample: HealthSample) -> Fraction? {
    let value =
      sample.quantity == .meal ? sample.number(nutrient.word) : sample.quantity == nutrient ? sample.value : nil
    return value.flatMap { $0.isNegative ? nil : $0 }
  }

  private static func sums(_ samples: [HealthSample]) -> [HealthMetric] {
    nutrients.compactMap { nutrient in
      let amounts = samples.compactMap { amount(nutrient, in: $0) }
      guard !amounts.isEmpty else { return nil }
      return amounts.reduce(Fraction.zero as Fraction?) { $0?.adding($1) }.flatMap { nutrient.metric($0) }
    }
  }

  private static func items(_ samples: [HealthSample]) -> [Item] {
    typealias Key = HealthAttribute.Key
    return Dictionary(grouping: samples, by: \.start).map { start, group in
      Item(
        start: start, end: group.reduce(start) { max($0, $1.end) },
        food: group.lazy.compactMap {
          $0.text(Key.food) ?? $0.text(Key.foodType) ?? ($0.quantity == .meal ? $0.text : nil)
        }
        .first,
        meal: group.lazy.compactMap { $0.text(Key.meal) ?? $0.text(Key.foodMeal) }.first, metrics: Self.sums(group))
    }.filter { !$0.metrics.isEmpty }.sorted { $0.start < $1.start }
  }
}
