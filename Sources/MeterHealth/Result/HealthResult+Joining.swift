extension HealthResult {
  /// This result with that of the days behind its own, of the same export.
  ///
  /// What a driver counts and refuses, it does at each reading; what is refused of the samples of a window, once in each.
  package func joined(with later: HealthResult) -> HealthResult {
    var result = later.shifted(by: sources.count)
    result.samples = samples
    result.days = days + result.days
    result.intraday = intraday + result.intraday
    result.sleep = sleep + result.sleep
    result.workouts = workouts + result.workouts
    result.measurements = measurements + result.measurements
    result.nutrition = nutrition + result.nutrition
    result.differences = differences + result.differences
    result.refused = Self.joined(refused, later.refused)
    result.isPartial = isPartial || later.isPartial
    result.isFull = isFull || later.isFull
    result.sources = sources + later.sources
    result.sourceKeys = sourceKeys + later.sourceKeys
    result.latestMicroseconds = max(latestMicroseconds, later.latestMicroseconds)
    result.earliest = earliest.merging(later.earliest, uniquingKeysWith: min)
    result.quantities = quantities.union(later.quantities)
    return result
  }

  /// Drivers name the sources of a window in the order in which they meet them, which differs from window to window.
  private func shifted(by count: Int) -> HealthResult {
    var result = self
    for index in result.sleep.indices { result.sleep[index].origin.source += count }
    for index in result.workouts.indices { result.workouts[index].origin.source += count }
    for index in result.measurements.indices { result.measurements[index].origin.source += count }
    for index in result.nutrition.indices { result.nutrition[index].origin.source += count }
    return result
  }

  private static func joined(_ first: [HealthRefusal], _ second: [HealthRefusal]) -> [HealthRefusal] {
    var counts = RefusalCounts()
    for refusal in first + second where !refusal.reason.isOfDriver {
      counts.add(refusal.reason, count: refusal.count, at: refusal.first)
    }
    for refusal in first where refusal.reason.isOfDriver {
      let again = second.first { $0.reason == refusal.reason }?.count ?? 0
      counts.add(refusal.reason, count: max(refusal.count, again), at: refusal.first)
    }
    for refusal in second where refusal.reason.isOfDriver && counts.count(of: refusal.reason) == 0 {
      counts.add(refusal.reason, count: refusal.count, at: refusal.first)
    }
    return counts.list
  }
}

extension HealthRefusal.Reason {
  /// Whether a driver has refused it while it read the whole export.
  fileprivate var isOfDriver: Bool {
    switch self {
    case .unreadableTime, .unreadableValue, .tooLong, .damaged, .form, .sentinel: true
    default: false
    }
  }
}
