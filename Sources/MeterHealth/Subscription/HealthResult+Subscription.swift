import DriverContract

extension HealthResult {
  /// What of it somebody has subscribed to. The counts of samples, the refusals and the sources stay: they are of the export.
  package func restricted(to subscription: HealthSubscription) -> HealthResult {
    let wanted = SubscribedMetrics(subscription.quantities)
    var result = self
    result.quantities.formIntersection(wanted.quantities)
    result.days = days.compactMap(wanted.day)
    result.differences = differences.filter { wanted.ofDays.contains($0.metric) }
    if !subscription.deliversIntraday { result.intraday = [] }
    if !wanted.quantities.contains(.sleep) { result.sleep = [] }
    if !wanted.quantities.contains(.workout) { result.workouts = [] }
    result.measurements = measurements.compactMap(wanted.measurement)
    result.nutrition = nutrition.compactMap(wanted.nutrition)
    return result
  }
}

/// The names of values that a subscription leaves.
private struct SubscribedMetrics {
  let quantities: Set<HealthQuantity>
  /// Of a day.
  let ofDays: Set<String>
  private let measured: Set<String>
  private let eaten: Set<String>
  private let words: Set<String>

  init(_ quantities: Set<HealthQuantity>) {
    func names(_ kind: HealthQuantity.Kind) -> Set<String> {
      Set(quantities.filter { $0.kind == kind }.map(\.metricName))
    }
    self.quantities = quantities
    var ofDays = names(.sum).union(names(.mindful))
    // A sum of two values tells both; it may be left where its own type is wanted.
    if quantities.contains(.energyActive), quantities.contains(.energyBasal) {
      ofDays.insert(HealthQuantity.energyTotal.metricName)
    }
    if quantities.contains(.standHour) { ofDays.formUnion(["stand_hours_count", "idle_hours_count"]) }
    if quantities.contains(.heartRate) { ofDays.formUnion(["min_heart_rate", "avg_heart_rate", "max_heart_rate"]) }
    self.ofDays = ofDays
    measured = names(.measurement).union(quantities.contains(.heartRate) ? ["pulse"] : [])
    eaten = names(.nutrition)
    words = Set(quantities.filter { $0.kind == .reproductive }.map(\.word))
  }

  func day(_ day: HealthDay) -> HealthDay? {
    var result = day
    result.metrics.removeAll { !ofDays.contains($0.name) }
    result.mergedBySource.formIntersection(ofDays)
    if !quantities.contains(.steps) { result.manualSteps = nil }
    return result.metrics.isEmpty ? nil : result
  }

  func measurement(_ measurement: HealthMeasurement) -> HealthMeasurement? {
    guard measurement.kind != .reproductive else {
      return measurement.words.contains { words.contains($0.name) } ? measurement : nil
    }
    var result = measurement
    result.metrics.removeAll { !measured.contains($0.name) }
    return result.metrics.isEmpty ? nil : result
  }

  func nutrition(_ food: DailyNutrition) -> DailyNutrition? {
    let metrics = food.metrics.filter { eaten.contains($0.name) }
    guard !metrics.isEmpty else { return nil }
    let items = food.items.compactMap { item -> DailyNutrition.Item? in
      let own = item.metrics.filter { eaten.contains($0.name) }
      return own.isEmpty
        ? nil
        : DailyNutrition.Item(start: item.start, end: item.end, food: item.food, meal: item.meal, metrics: own)
    }
    return DailyNutrition(day: food.day, origin: food.origin, metrics: metrics, items: items, identity: food.identity)
  }
}
