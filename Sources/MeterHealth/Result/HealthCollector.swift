import DriverContract
import HostPrimitives

/// Takes the samples of an export one by one and says what they come to.
///
/// ```swift
/// var collector = HealthCollector(HealthOptions(family: .apple, borders: borders))
/// let watch = collector.add(HealthSource("Riley's Watch"))
/// collector.add(HealthSample(.steps, start: start, end: end, value: Fraction(1100), source: watch))
/// let result = collector.result()
/// ```
package struct HealthCollector: Sendable {
  private var options: HealthOptions
  private var sources: [HealthSource] = []
  private var sums: [HealthQuantity: SumStore] = [:]
  private var others: [HealthQuantity: [HealthSample]] = [:]
  private var heartRates = HeartRates()
  private var counts: [String: Int] = [:]
  private var refused = RefusalCounts()
  private var isPartial = false
  private var isFull = false
  /// How much came for each day, kept or not, in samples of sums.
  private var loads: [Int]
  private var latest: Int64 = 0
  private var earliest: [HealthQuantity: Int64] = [:]
  private var quantities: Set<HealthQuantity> = []
  /// Samples that are kept in a few bytes, and those that are kept whole, and those of them that may overlap
  /// each other.
  private var (kept, keptWhole, keptSessions) = (0, 0, 0)

  package init(_ options: HealthOptions) {
    self.options = options
    loads = [Int](repeating: 0, count: options.borders.days.count)
  }

  /// Sets which sources count.
  package mutating func setOrder(_ order: SourceRanking.Order) {
    options.configured = order.configured
    options.known = order.known
  }

  /// Sets the store that the export is of, where only its content tells.
  package mutating func setFamily(_ family: HealthFamily) { options.family = family }

  /// Sets when the export was written, microseconds since 1970-01-01T00:00Z, for the samples that follow.
  package mutating func setExported(_ moment: Int64) { options.exportedAt = moment }

  /// Takes a source; its index is given to samples.
  @discardableResult
  package mutating func add(_ source: HealthSource) -> Int {
    sources.append(source)
    return sources.count - 1
  }

  /// Sets the owner's place of a source for one category.
  package mutating func setPriority(_ priority: HealthSource.Priority, of source: Int, for category: HealthCategory) {
    if sources.indices.contains(source) { sources[source].priorities[category] = priority }
  }

  /// Counts samples of a type, by the export's name of it.
  package mutating func count(_ type: String, _ count: Int = 1) { counts[type, default: 0] += count }

  /// Notes that an export has samples of a quantity.
  package mutating func noteQuantity(_ quantity: HealthQuantity) { quantities.insert(quantity) }

  /// Counts what a driver or a reader of values has refused.
  package mutating func refuse(_ reason: HealthRefusal.Reason, count: Int = 1, at place: UInt64) {
    refused.add(reason, count: count, at: place)
  }

  /// Notes that something is missing or damaged.
  package mutating func markPartial() { isPartial = true }

  /// Takes a sample, or counts why it is none.
  package mutating func add(_ sample: HealthSample) {
    if let reason = fault(sample) { return refused.add(reason, at: sample.place) }
    latest = max(latest, sample.end)
    if sample.start < earliest[sample.quantity] ?? .max { earliest[sample.quantity] = sample.start }
    var sample = sample
    sample.utcOffset = sample.utcOffset.flatMap { (-64_800...64_800).contains($0) ? $0 : nil }
    sample.parts = sample.parts.filter { part in
      let isInside =
        part.start <= part.end && part.start >= sample.start - HealthOptions.reach
        && part.end <= sample.end + HealthOptions.reach
      if !isInside { refused.add(.form, at: part.place) }
      return isInside
    }
    // A sum that its source has made for a day: the day counts, and not the times.
    if sample.quantity.kind == .sum, sample.flags.contains(.merged), let value = sample.value,
      let date = sample.text(HealthAttribute.Key.date)
    {
      sample.attributes = [
        HealthAttribute(HealthAttribute.Key.date, date), HealthAttribute(sample.quantity.word, value),
      ]
      sample.quantity = .seriesDay
    }
    keep(sample)
  }

  private mutating func keep(_ sample: HealthSample) {
    // Far from the window: a day's distance is what a night or a sum can reach into it.
    guard sample.end >= options.borders.start - HealthOptions.reach,
      sample.start < options.borders.end + HealthOptions.reach
    else { return }
    guard sample.quantity.kind != .none else { return }
    let isSmall = sample.quantity.kind == .sum || sample.quantity == .heartRate
    let isSession = sample.quantity == .workout || sample.stage == .session
    load(sample, isSmall)
    let hasRoom = isSmall ? kept < options.mostSums : keptWhole < options.mostSamples
    guard hasRoom else {
      refused.add(.tooMany, at: sample.place)
      isFull = true
      return
    }
    guard !isSession || keptSessions < HealthOptions.mostSessions else {
      refused.add(.tooMany, at: sample.place)
      return markPartial()
    }
    if isSession { keptSessions += 1 }
    if isSmall { kept += 1 } else { keptWhole += 1 + sample.parts.count }
    switch sample.quantity {
    case .heartRate: heartRates.add(sample)
    case _ where isSmall: sums[sample.quantity, default: SumStore(sample.quantity)].add(sample)
    default: others[sample.quantity, default: []].append(sample)
    }
  }

  /// Notes how much a sample takes of its day; of days with 23 or 25 hours the neighbours may have it.
  private mutating func load(_ sample: HealthSample, _ isSmall: Bool) {
    guard !loads.isEmpty else { return }
    let day = (sample.start - options.borders.start).dividedDown(by: 86_400_000_000).quotient
    let weight = isSmall ? 1 : (1 + sample.parts.count) * max(1, options.mostSums / options.mostSamples)
    loads[Int(max(0, min(Int64(loads.count - 1), day)))] += weight
  }

  /// Why a sample does not count.
  private func fault(_ sample: HealthSample) -> HealthRefusal.Reason? {
    if sample.start > sample.end { return .endBeforeStart }
    if sample.start < HealthOptions.earliest { return .tooOld }
    if let exported = options.exportedAt, sample.start - HealthOptions.reach > exported { return .afterExport }
    if sample.start > HealthOptions.latest || sample.end > HealthOptions.latest { return .afterExport }
    if !sources.indices.contains(sample.source) { return .source }
    switch sample.quantity.kind {
    case .sum, .measurement:
      guard let value = sample.value, !value.isNegative || sample.quantity.unit == "Cel" else { return .value }
      if let largest = sample.quantity.largestSample, value > Fraction(largest) { return .implausible }
    case .nutrition where sample.quantity != .meal:
      guard let value = sample.value, !value.isNegative else { return .value }
    case .sleep:
      if sample.stage == nil { return .word }
      if sample.length > 2 * HealthOptions.reach { return .implausible }
    case .hour:
      if sample.text != "stood", sample.text != "idle" { return .word }
    case .mindful, .workout:
      if sample.length > 14 * HealthOptions.reach { return .implausible }
    default: break
    }
    return nil
  }

  /// What all of it comes to. Where nobody else holds the collector, its samples are sorted and merged where they lie.
  package consuming func result() -> HealthResult {
    for quantity in sums.keys { sums[quantity]?.sort() }
    let ranking = SourceRanking(
      sources, of: options.family, configured: options.configured, known: options.known, coverage: coverage())
    // No store of exercise: the time of exercise is that of the workouts.
    let makesExercise = options.family == .healthConnect && sums[.exercise] == nil
    if makesExercise, let workouts = others[.workout] { sums[.exercise] = ExerciseTime.store(of: workouts) }
    var merged: [HealthQuantity: MergedSums] = [:]
    while let (quantity, store) = sums.popFirst() { merged[quantity] = MergedSums(store, ranking) }
    heartRates.sort()
    let rates = heartRates
    let daily = DailySums(
      family: options.family, ranking: ranking, borders: options.borders, sums: merged, others: others,
      heartRates: rates)
    let (days, overflows) = daily.days()
    var refused = refused
    refused.add(.overflow, count: overflows, at: 0)
    let measured = Measurements(options.family, ranking, options.borders).measurements(
      of: others.filter { [.measurement, .pressure, .reproductive].contains($0.key.kind) }.flatMap(\.value),
      heartRates: rates, keepsSeries: options.keepsHeartRates)
    let eaten = DailyNutrition.days(
      of: others.filter { $0.key.kind == .nutrition }.flatMap(\.value), options.family, ranking, options.borders)
    let again = merged.values.reduce(0) { $0 + $1.duplicates } + measured.duplicates + eaten.duplicates
    refused.add(.duplicate, count: again, at: 0)
    var result = HealthResult()
    result.samples = counts
    result.days = days
    result.intraday =
      merged[.steps].map {
        IntradaySteps.days($0, options.borders, last: options.intradayDays, of: options.family)
      } ?? []
    result.sleep = SleepSessions(options.family, ranking, options.borders).sessions(of: others[.sleep] ?? [])
    result.workouts = Workouts(options.family, ranking, options.borders, sums: merged, heartRates: rates)
      .workouts(of: others[.workout] ?? [])
    result.measurements = measured.list
    result.nutrition = eaten.list
    result.refused = refused.list
    result.differences = daily.differences(days)
    result.isPartial = isPartial || isFull
    result.isFull = isFull
    result.loads = isFull ? loads : []
    result.sources = sources
    result.sourceKeys = ranking.keys
    result.knownSources = ranking.known
    result.latestMicroseconds = latest
    result.earliest = earliest
    result.quantities = quantities
    // Of workouts that are all gone the day's time is gone, too.
    if makesExercise, quantities.contains(.workout) { result.quantities.insert(.exercise) }
    return result
  }

  /// How long each source has recorded within the window: the longest of its sums, in microseconds. Of sorted samples.
  private func coverage() -> [Int64] {
    var result = [Int64](repeating: 0, count: sources.count)
    for store in sums.values {
      let own = store.coverage(sources: sources.count, from: options.borders.start, until: options.borders.end)
      for (index, covered) in own.enumerated() { result[index] = max(result[index], covered) }
    }
    return result
  }
}

/// How an export is read.
package struct HealthOptions: Sendable {
  package var family: HealthFamily
  /// The days of the window.
  package var borders: DayBorders
  /// When the export was written, microseconds since 1970-01-01T00:00Z; nil when not known.
  package var exportedAt: Int64?
  /// The user's order of sources.
  package var configured: [SourceRanking.Configured] = []
  /// The order found at earlier imports.
  package var known: [SourceRanking.Known] = []
  /// For how many of the last days steps are told in parts of five minutes; at most ``IntradaySteps/mostDays``.
  package var intradayDays = 0
  /// Whether heart rates of a series are records of their own.
  package var keepsHeartRates = false

  package init(family: HealthFamily, borders: DayBorders) {
    self.family = family
    self.borders = borders
  }

  /// A day in microseconds: how far before and behind its days a window's samples are needed, and an export's clock may be behind.
  package static let reach: Int64 = 86_400_000_000
  /// 2000-01-01T00:00Z: what is older was written by a clock that was never set.
  package static let earliest: Int64 = 946_684_800_000_000
  /// Samples of sums and heart rates that are kept, 40 and 32 bytes each. With more the export is read again for shorter windows.
  package var mostSums = mostSumsKept
  package static let mostSumsKept = 600_000
  /// Samples of everything else.
  package var mostSamples = 100_000
  /// Workouts and sessions of sleep.
  package static let mostSessions = 10_000
  /// 9999-01-01T00:00Z.
  static let latest: Int64 = 253_370_764_800_000_000
}
