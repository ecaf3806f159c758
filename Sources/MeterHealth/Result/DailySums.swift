import DriverContract
import HostPrimitives

/// Puts the sums of each day together.
struct DailySums {
  let family: HealthFamily
  let ranking: SourceRanking
  let borders: DayBorders
  /// Of each quantity that is added up.
  let sums: [HealthQuantity: MergedSums]
  /// Samples of hours, mindful sessions, summed-up days and activity summaries.
  let others: [HealthQuantity: [HealthSample]]
  let heartRates: HeartRates

  /// Sums that a summary has, in the order in which they are told.
  private static let quantities: [HealthQuantity] = [
    .steps, .distanceWalking, .floors, .elevation, .energyActive, .energyBasal, .energyTotal, .exercise, .pushes,
    .distanceWheelchair,
  ]

  /// The days that have anything, and how many sums left 64 bits.
  func days() -> (list: [HealthDay], overflows: Int) {
    var metrics = [[HealthMetric]](repeating: [], count: borders.days.count)
    var manual = [HealthDecimal?](repeating: nil, count: borders.days.count)
    var merged = [Set<String>](repeating: [], count: borders.days.count)
    var overflows = 0
    let told = toldDays()
    for quantity in Self.quantities {
      let bins = sums[quantity]?.bins(borders.borders)
      for day in metrics.indices {
        let bin = bins?[day]
        if bin?.hasOverflow == true { overflows += 1 }
        guard let value = told[day]?[quantity] ?? bin?.value else { continue }
        metrics[day].append(HealthMetric(quantity.metricName, value, quantity.unit ?? "1"))
        if told[day]?[quantity] != nil || bin?.isMergedBySource == true { merged[day].insert(quantity.metricName) }
        if quantity == .steps, told[day]?[quantity] == nil { manual[day] = bin?.manual }
      }
    }
    addHours(&metrics)
    for day in metrics.indices {
      metrics[day] = Self.withEnergy(metrics[day])
      metrics[day] += heartRate(borders.days[day])
    }
    let list = metrics.indices.compactMap { index -> HealthDay? in
      guard !metrics[index].isEmpty else { return nil }
      let day = borders.days[index]
      return HealthDay(
        day: day, metrics: metrics[index], manualSteps: manual[index], mergedBySource: merged[index],
        identity: .day(day.text, kind: "daily", of: family))
    }
    return (list, overflows)
  }

  /// What sources have summed up themselves, by day. Of several the one that counts most, then the larger value.
  private func toldDays() -> [Int: [HealthQuantity: HealthDecimal]] {
    var result: [Int: [HealthQuantity: (rank: Int, value: HealthDecimal)]] = [:]
    for sample in others[.seriesDay] ?? [] {
      guard let index = day(of: sample) else { continue }
      for quantity in Self.quantities {
        guard let rank = ranking.rank(of: sample.source, for: quantity), let told = sample.number(quantity.word),
          !told.isNegative, let value = told.rounded(places: quantity.places)
        else { continue }
        if let known = result[index]?[quantity],
          known.rank < rank || known.rank == rank && known.value >= value
        {
          continue
        }
        result[index, default: [:]][quantity] = (rank, value)
      }
    }
    return result.mapValues { $0.mapValues(\.value) }
  }

  /// Hours that a source says somebody stood on a day; of several the most.
  private func toldStandHours() -> [Int: HealthDecimal] {
    var result: [Int: HealthDecimal] = [:]
    for sample in others[.seriesDay] ?? [] where !ranking.isOff(sample.source) {
      guard let index = day(of: sample),
        let told = sample.number(HealthAttribute.Key.standHours)?.rounded(places: 0), (0...25).contains(told.mantissa)
      else { continue }
      result[index] = max(result[index] ?? told, told)
    }
    return result
  }

  /// The index of the day that a sample names, or in which it begins.
  private func day(of sample: HealthSample) -> Int? {
    guard let text = sample.text(HealthAttribute.Key.date) else { return borders.index(of: sample.start) }
    return CivilDate(text: text.utf8).flatMap { borders.index(ofDay: $0.daysSince1970) }
  }

  private func addHours(_ metrics: inout [[HealthMetric]]) {
    let hours = LocalHours.counts((others[.standHour] ?? []).filter { !ranking.isOff($0.source) }, borders)
    for (day, told) in toldStandHours() where hours[day].stood + hours[day].idle == 0 {
      metrics[day].append(HealthMetric("stand_hours_count", told, "{count}"))
    }
    for (day, count) in hours.enumerated() where count.stood + count.idle > 0 {
      metrics[day].append(HealthMetric("stand_hours_count", HealthDecimal(Int64(count.stood)), "{count}"))
      metrics[day].append(HealthMetric("idle_hours_count", HealthDecimal(Int64(count.idle)), "{count}"))
    }
    let counted = (others[.mindful] ?? []).filter { ranking.rank(of: $0.source, for: .mindful) != nil }
    let mindful = LocalHours.union(counted, borders.borders)
    for (day, time) in mindful.enumerated() where time > 0 {
      metrics[day].append(.seconds("mindful_duration", time))
    }
  }

  /// With the sum of active and basal energy where both are there; else with the total that the export has.
  private static func withEnergy(_ metrics: [HealthMetric]) -> [HealthMetric] {
    func value(_ name: String) -> HealthDecimal? { metrics.first { $0.name == name }?.value }
    guard let active = value("active_energy_burned"), let basal = value("basal_energy_burned"),
      let sum = active.fraction.adding(basal.fraction)?.rounded(places: 3)
    else { return metrics }
    return metrics.filter { $0.name != "energy_burned" } + [HealthMetric("energy_burned", sum, "kcal")]
  }

  private func heartRate(_ day: DayBorders.Day) -> [HealthMetric] {
    guard
      let range = heartRates.range(
        from: day.start, through: day.end - 1, rank: { ranking.rank(of: $0, for: .heartRate) })
    else { return [] }
    return [("min_heart_rate", range.lowest), ("avg_heart_rate", range.mean), ("max_heart_rate", range.highest)]
      .compactMap { name, value in value.rounded(places: 0).map { HealthMetric(name, $0, "/min") } }
  }

  /// Where the export's own summary of a day differs by more than a twentieth.
  func differences(_ days: [HealthDay]) -> [HealthDifference] {
    let byDay = Dictionary(days.map { ($0.day.text, $0) }, uniquingKeysWith: { first, _ in first })
    typealias Key = HealthAttribute.Key
    return (others[.activitySummary] ?? []).flatMap { sample -> [HealthDifference] in
      guard let text = sample.text(Key.date), let day = byDay[text] else { return [] }
      let pairs = [
        ("active_energy_burned", Key.activeEnergy), ("active_duration", Key.exercise),
        ("stand_hours_count", Key.standHours),
      ]
      return pairs.compactMap { name, key in
        guard let ours = day.value(name), let theirs = sample.number(key)?.rounded(places: 3),
          let gap = ours.fraction.subtracting(theirs.fraction), let twenty = gap.multiplied(by: Fraction(20)),
          let minus = twenty.multiplied(by: Fraction(-1)), max(twenty, minus) > theirs.fraction
        else { return nil }
        return HealthDifference(day: text, metric: name, ours: ours, theirs: theirs)
      }
    }.sorted { ($0.day, $0.metric) < ($1.day, $1.metric) }
  }
}
