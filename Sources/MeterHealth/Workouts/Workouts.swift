import DriverContract

/// Makes workouts of an export's samples.
package struct Workouts {
  /// Samples that are looked at for all workouts together. Honest workouts do not overlap, and come to less than an export has.
  private static let mostLooked = 20_000_000

  private let family: HealthFamily
  private let ranking: SourceRanking
  private let borders: DayBorders
  private let sums: [HealthQuantity: MergedSums]
  private let heartRates: HeartRates

  /// - Parameters:
  ///   - sums: Distances and energies, for workouts that have none of their own.
  ///   - heartRates: Sorted.
  package init(
    _ family: HealthFamily, _ ranking: SourceRanking, _ borders: DayBorders, sums: [HealthQuantity: MergedSums] = [:],
    heartRates: HeartRates = HeartRates()
  ) {
    self.family = family
    self.ranking = ranking
    self.borders = borders
    self.sums = sums
    self.heartRates = heartRates
  }

  /// The workouts that began within the window, by their start. A workout that several programs have recorded is there once.
  package func workouts(of samples: [HealthSample]) -> [HealthWorkout] {
    let counted = samples.filter {
      ranking.rank(of: $0.source, for: .workout) != nil && borders.index(of: $0.start) != nil
    }
    let kept = withoutMirrors(withoutStates(counted))
    var rest = Self.mostLooked
    return kept.map { sample in
      rest -= heartRates.count(from: sample.start, through: sample.end)
      if family != .apple { rest -= sums.values.reduce(0) { $0 + $1.count(from: sample.start, until: sample.end) } }
      return workout(sample, isFilled: rest > 0)
    }.sorted {
      ($0.origin.start, $0.origin.end, $0.name) < ($1.origin.start, $1.origin.end, $1.name)
    }
  }

  /// Without earlier states of a growing workout of one program, and without the same workout again.
  private func withoutStates(_ samples: [HealthSample]) -> [HealthSample] {
    let order = samples.sorted { ($0.length, $0.modified, $1.start) > ($1.length, $1.modified, $0.start) }
    var kept = TimeBuckets<HealthSample>()
    for sample in order {
      let isState = kept.first(near: sample.start, sample.end) { other in
        guard ranking.keys[other.source] == ranking.keys[sample.source],
          WorkoutActivity(other.text ?? "").word == WorkoutActivity(sample.text ?? "").word
        else { return false }
        if other.start == sample.start, other.end == sample.end { return true }
        // Apple's workouts are complete: legs of one workout may begin together.
        guard family != .apple else { return false }
        return other.start == sample.start || Self.overlap(sample, other) * 2 > min(sample.length, other.length)
      }
      if isState == nil { kept.insert(sample, sample.start, sample.end) }
    }
    return kept.all
  }

  /// Of workouts of one category and two programs that overlap by more than 80 % of the shorter one the one whose source counts more.
  private func withoutMirrors(_ samples: [HealthSample]) -> [HealthSample] {
    let order = samples.sorted { left, right in
      let (one, two) = (rank(left), rank(right))
      if one != two { return one < two }
      // Where the owner has set no order, what was changed last counts.
      if ranking.rule == .samples, left.modified != right.modified { return left.modified > right.modified }
      return (left.length, right.start) > (right.length, left.start)
    }
    var kept = TimeBuckets<HealthSample>()
    for sample in order {
      let isMirror = kept.first(near: sample.start, sample.end) { other in
        ranking.keys[other.source] != ranking.keys[sample.source]
          && WorkoutActivity(other.text ?? "").category == WorkoutActivity(sample.text ?? "").category
          && Self.overlap(sample, other) > min(sample.length, other.length) / 5 * 4
      }
      if isMirror == nil { kept.insert(sample, sample.start, sample.end) }
    }
    return kept.all
  }

  private func rank(_ sample: HealthSample) -> Int { ranking.rank(of: sample.source, for: .workout) ?? .max }

  private static func overlap(_ one: HealthSample, _ two: HealthSample) -> Int64 {
    max(0, min(one.end, two.end) - max(one.start, two.start))
  }

  private func workout(_ sample: HealthSample, isFilled: Bool) -> HealthWorkout {
    let activity = WorkoutActivity(sample.text ?? "")
    let offset = borders.utcOffset(of: sample, at: sample.start)
    let byTime = HealthIdentity.sample(
      "workout \(activity.word)", start: sample.start, end: sample.end, of: family)
    let own = sample.id.map { HealthIdentity.named($0, "workout", of: family) }
    let identity = family.hasStableNames ? own ?? byTime : byTime
    return HealthWorkout(
      origin: HealthOrigin(
        start: sample.start, end: sample.end, utcOffset: offset.seconds, hasOwnOffset: offset.isOwn,
        source: sample.source, isManual: sample.isManual, modified: sample.modified),
      name: activity.name, category: activity.category, metrics: metrics(sample, activity, isFilled),
      segments: segments(sample), identity: identity,
      alternates: ([own, byTime] as [HealthIdentity?]).compactMap { $0 }.filter { $0 != identity })
  }

  private func segments(_ sample: HealthSample) -> [HealthWorkout.Segment] {
    sample.parts.filter { !Self.isPause($0) && $0.start >= sample.start && $0.end <= sample.end && $0.start <= $0.end }
      .map { HealthWorkout.Segment(name: WorkoutActivity($0.text ?? "").name, start: $0.start, end: $0.end) }
      .sorted { ($0.start, $0.end) < ($1.start, $1.end) }
  }

  private static func isPause(_ part: HealthSample) -> Bool { part.text == "pause" }

  private func metrics(_ sample: HealthSample, _ activity: WorkoutActivity, _ isFilled: Bool) -> [HealthMetric] {
    typealias Key = HealthAttribute.Key
    var metrics: [HealthMetric] = [activeDuration(sample)]
    func add(_ name: String, _ value: HealthDecimal?, _ unit: String) {
      if let value, value.mantissa >= 0 { metrics.append(HealthMetric(name, value, unit)) }
    }
    func told(_ key: String) -> HealthDecimal? { sample.number(key).flatMap { $0.rounded(places: 3) } }

    let distance = told(Key.distance) ?? told(Key.totalDistance)
    add("distance", distance ?? swept(Self.distances(activity.category), sample, isFilled), "m")
    let active = told(HealthQuantity.energyActive.word) ?? swept([.energyActive], sample, isFilled)
    let basal = told(HealthQuantity.energyBasal.word)
    add("active_energy_burned", active, "kcal")
    add("basal_energy_burned", basal, "kcal")
    let total = told(HealthQuantity.energyTotal.word) ?? swept([.energyTotal], sample, isFilled)
    add(
      "energy_burned",
      active.flatMap { first in
        basal.flatMap { first.fraction.adding($0.fraction)?.rounded(places: 3) }
      } ?? total, "kcal")
    metrics += heartRate(sample, isFilled)
    return metrics
  }

  /// Of the same program between start and end. Apple tells what belongs to a workout itself.
  private func swept(_ quantities: [HealthQuantity], _ sample: HealthSample, _ isFilled: Bool) -> HealthDecimal? {
    guard isFilled, family != .apple else { return nil }
    return quantities.lazy.compactMap {
      sums[$0]?.sum(ofSource: sample.source, from: sample.start, until: sample.end)
    }.first
  }

  private static func distances(_ category: String) -> [HealthQuantity] {
    switch category {
    case "cycling": [.distanceCycling, .distanceWalking, .distanceOther]
    case "swimming": [.distanceSwimming, .distanceWalking, .distanceOther]
    default: [.distanceWalking, .distanceOther, .distanceWheelchair]
    }
  }

  /// As the export has it; else the time from start to end without pauses.
  private func activeDuration(_ sample: HealthSample) -> HealthMetric {
    if let told = sample.number(HealthAttribute.Key.duration), !told.isNegative, let value = told.rounded(places: 3) {
      return HealthMetric("active_duration", value, "s")
    }
    let pauses = Self.pauses(of: sample)
    return .seconds("active_duration", sample.length - pauses.reduce(0) { $0 + $1.end - $1.start })
  }

  /// The pauses of a workout that lie within it, in the order of time; none overlaps another one.
  static func pauses(of workout: HealthSample) -> [(start: Int64, end: Int64)] {
    LocalHours.spans(workout.parts.filter(isPause).map { (max($0.start, workout.start), min($0.end, workout.end)) })
  }

  private func heartRate(_ sample: HealthSample, _ isFilled: Bool) -> [HealthMetric] {
    typealias Key = HealthAttribute.Key
    func told(_ key: String) -> HealthDecimal? {
      sample.number(key).flatMap { $0 > .zero ? $0.rounded(places: 0) : nil }
    }
    var (lowest, mean, highest) = (
      told(Key.minimumHeartRate), told(Key.averageHeartRate), told(Key.maximumHeartRate)
    )
    if isFilled, lowest == nil, mean == nil, highest == nil,
      let range = heartRates.range(
        from: sample.start, through: sample.end, rank: { ranking.rank(of: $0, for: .heartRate) })
    {
      lowest = range.lowest.rounded(places: 0)
      mean = range.mean.rounded(places: 0)
      highest = range.highest.rounded(places: 0)
    }
    return [("min_heart_rate", lowest), ("avg_heart_rate", mean), ("max_heart_rate", highest)]
      .compactMap { name, value in value.map { HealthMetric(name, $0, "/min") } }
  }
}
