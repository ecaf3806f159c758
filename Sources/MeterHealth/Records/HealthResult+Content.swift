import HostPrimitives

// What of each part of a result is compared with what an earlier import has brought.

extension HealthDay {
  /// Its sums.
  var content: TracedContent {
    var content = TracedContent(metrics, merged: mergedBySource)
    if let manualSteps { content.add(HealthMetric(Self.manualSteps, manualSteps, "{count}")) }
    return content
  }

  /// The name of what was entered by hand.
  static let manualSteps = "manual_steps"

  /// The day as an earlier import has told it.
  init(_ content: TracedContent, of day: HealthDay) {
    let values = content.values.filter { $0.key != Self.manualSteps }
    self.init(
      day: day.day, metrics: values.sorted { $0.key < $1.key }.map { HealthMetric($0, $1.number, $1.unit) },
      manualSteps: content.values[Self.manualSteps]?.number,
      mergedBySource: Set(values.filter(\.value.isMerged).map(\.key)), identity: day.identity)
  }
}

extension IntradaySteps {
  var content: TracedContent {
    TracedContent(rest: TracedContent.digest(points.flatMap { ["\($0.time)", "\($0.value)"] }))
  }
}

extension DailyNutrition {
  /// The sums, and each item's own values: an item in kilojoules is the same one in kilocalories.
  var content: TracedContent {
    var content = TracedContent(metrics)
    for (number, item) in items.enumerated() {
      for metric in item.metrics { content.add(metric, as: "\(number):\(metric.name)") }
    }
    content.rest = TracedContent.digest(
      items.flatMap { [HealthOrigin.second($0.start), HealthOrigin.second($0.end), $0.food ?? "", $0.meal ?? ""] })
    return content
  }
}

extension SleepSession {
  var content: TracedContent {
    TracedContent(
      metrics,
      rest: TracedContent.digest(
        origin.seconds + ["\(isMain)"]
          + segments.flatMap { ["\($0.stage)", HealthOrigin.second($0.start), HealthOrigin.second($0.end)] }))
  }
}

extension HealthWorkout {
  var content: TracedContent {
    TracedContent(
      metrics,
      rest: TracedContent.digest(
        origin.seconds + [name, category]
          + segments.flatMap { [$0.name, HealthOrigin.second($0.start), HealthOrigin.second($0.end)] }))
  }
}

extension HealthMeasurement {
  var content: TracedContent {
    TracedContent(
      metrics, rest: TracedContent.digest(origin.seconds + words.flatMap { [$0.name, $0.word] }))
  }
}

extension HealthOrigin {
  /// Start and end in whole seconds: one export cuts fractions off that another one has.
  fileprivate var seconds: [String] { [Self.second(start), Self.second(end)] }

  fileprivate static func second(_ microseconds: Int64) -> String {
    "\(microseconds.dividedDown(by: 1_000_000).quotient)"
  }
}
