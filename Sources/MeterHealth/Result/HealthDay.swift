/// What a local day comes to.
package struct HealthDay: Sendable, Hashable {
  package let day: DayBorders.Day
  /// Sums by the dictionary's names. Of each metric there is one value; what a person entered is in it.
  package var metrics: [HealthMetric]
  /// What of the steps was entered by hand, nil for none.
  package var manualSteps: HealthDecimal?
  /// The names of sums that the source had merged itself. A sum of samples must not lower them later.
  package var mergedBySource: Set<String>
  package let identity: HealthIdentity

  /// The steps without those entered by hand.
  package var deviceSteps: HealthDecimal? {
    guard let steps = value("steps") else { return nil }
    return HealthDecimal(max(0, steps.mantissa - (manualSteps?.mantissa ?? 0)))
  }

  package func value(_ name: String) -> HealthDecimal? { metrics.first { $0.name == name }?.value }

  /// The day as it is after a later import: this one with the values of an earlier one that must not be lowered.
  ///
  /// An older export knows less of its last days, and samples know less than what their source had merged itself.
  ///
  /// - Parameters:
  ///   - before: What an earlier import gave.
  ///   - isOlder: Whether this export was written before the one of the earlier import.
  package func keeping(_ before: HealthDay, isOlder: Bool) -> HealthDay {
    var result = self
    for (index, metric) in result.metrics.enumerated() {
      guard let earlier = before.value(metric.name), earlier > metric.value,
        isOlder || before.mergedBySource.contains(metric.name) && !mergedBySource.contains(metric.name)
      else { continue }
      result.metrics[index] = HealthMetric(metric.name, earlier, metric.unit)
      if before.mergedBySource.contains(metric.name) { result.mergedBySource.insert(metric.name) }
      if metric.name == "steps" { result.manualSteps = before.manualSteps }
    }
    for metric in before.metrics where value(metric.name) == nil {
      guard isOlder || before.mergedBySource.contains(metric.name) else { continue }
      result.metrics.append(metric)
      if before.mergedBySource.contains(metric.name) { result.mergedBySource.insert(metric.name) }
    }
    return result.withEnergy
  }

  /// With the sum of both energies where both are known.
  private var withEnergy: HealthDay {
    guard let active = value("active_energy_burned"), let basal = value("basal_energy_burned"),
      let sum = active.fraction.adding(basal.fraction)?.rounded(places: 3),
      let index = metrics.firstIndex(where: { $0.name == "energy_burned" })
    else { return self }
    var result = self
    result.metrics[index] = HealthMetric("energy_burned", sum, "kcal")
    return result
  }
}

/// What an export's own summary of a day says otherwise.
package struct HealthDifference: Sendable, Hashable {
  package let day: String
  package let metric: String
  /// What was summed up here.
  package let ours: HealthDecimal
  /// What the export says.
  package let theirs: HealthDecimal
}
