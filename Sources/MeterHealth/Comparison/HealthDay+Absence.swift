import DriverContract

// What a later export says of a day by not saying it. A type that is wholly absent was not allowed to be exported: that says nothing.
extension HealthDay {
  /// The day with the sums of types that the export has not at all.
  func keepingTypesThatAreAbsent(_ before: HealthDay, in quantities: Set<HealthQuantity>) -> HealthDay {
    var result = self
    for metric in before.metrics where value(metric.name) == nil {
      let own = Self.quantities(of: metric.name)
      guard !own.isEmpty, own.isDisjoint(with: quantities) else { continue }
      result.metrics.append(metric)
      if before.mergedBySource.contains(metric.name) { result.mergedBySource.insert(metric.name) }
    }
    return result
  }

  /// The day with sums of 0; nil where nothing was above 0, or of no type that the export has.
  func emptied(of quantities: Set<HealthQuantity>) -> HealthDay? {
    var result = self
    var isChanged = false
    result.metrics = metrics.compactMap { metric in
      let own = Self.quantities(of: metric.name)
      guard !own.isDisjoint(with: quantities), !mergedBySource.contains(metric.name) else { return metric }
      // No heart beats 0 times a minute: such values go.
      guard !own.contains(.heartRate) else {
        isChanged = true
        return nil
      }
      if !metric.value.isZero { isChanged = true }
      return HealthMetric(metric.name, HealthDecimal(0), metric.unit)
    }
    result.manualSteps = nil
    return isChanged && !result.metrics.isEmpty ? result : nil
  }

  /// The quantities that a day's value is made of.
  private static func quantities(of metric: String) -> Set<HealthQuantity> {
    switch metric {
    case "min_heart_rate", "avg_heart_rate", "max_heart_rate": [.heartRate]
    case "stand_hours_count", "idle_hours_count": [.standHour]
    case "energy_burned": [.energyActive, .energyBasal, .energyTotal]
    default: Set(HealthQuantity.allCases.filter { $0.kind != .nutrition && $0.metricName == metric })
    }
  }
}
