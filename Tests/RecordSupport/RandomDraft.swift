package import MeterCore
package import TestSupport

/// Drafts of all types with any metrics, units and digits that are allowed.
package enum RandomDraft {
  /// - Parameter name: What a receiver calls a metric; no two values have one name.
  package static func make(
    _ type: RecordType, named name: (Metric) -> String = { $0.name }, using generator: inout SeededGenerator
  ) -> RecordDraft {
    let isSeries = type == .intraday || type == .cgm
    var draft = Fixture.draft(type, seconds: .random(in: isSeries ? 86_399...86_399 : 0...86_399, using: &generator))
    draft.origin = [.manual, .device, .unknown].randomElement(using: &generator) ?? .manual
    draft.values = values(type, isSeries ? 0...0 : 1...8, name, using: &generator)
    // Two pressures by chance are exchanged as often as not.
    if draft.values.contains(where: { $0.metric == "systolic" }) { draft.values.removeAll { $0.metric == "diastolic" } }
    if type == .diabetes {
      draft.values.append(
        .init("relationship_to_meal", ["before", "after", "fasting", "casual", "bedtime"].any(&generator)))
      draft.values.append(.init("carbohydrate", "60.5", "g"))
    }
    draft.texts = [.init("note", "\"quoted\"\tand \\ \u{1F600}\n"), .init("note", "ü")]
    if type == .fitness { draft.texts += [.init("activity_name", "Elliptical"), .init("intensity", "low")] }
    if type == .nutrition { draft.texts += [.init("meal", "Breakfast"), .init("category", "meal")] }
    if Bool.random(using: &generator) { draft.tags = [RecordTag(name: "mood", value: "<ok>")] }
    draft.extras = [
      RecordExtra(name: "x_number", value: .number(number(-1000...1000, using: &generator).0)),
      RecordExtra(name: "x_flag", value: .flag(.random(using: &generator))),
      RecordExtra(name: "x_text", value: .text("é / \"")),
    ]
    return draft
  }

  /// With segments where the type has them, and a series where it is one.
  package static func withDetails(
    _ type: RecordType, named name: (Metric) -> String = { $0.name }, using generator: inout SeededGenerator
  ) -> RecordDraft {
    var draft = make(type, named: name, using: &generator)
    if [.fitness, .sleep, .nutrition, .routine].contains(type) {
      draft.segments = (0..<Int.random(in: 0...4, using: &generator)).map { index in
        let foods = (0..<(type == .nutrition ? 2 : 0)).map { _ in
          RecordDraft.Food(
            name: "Toast", brand: Bool.random(using: &generator) ? "La Cena" : nil,
            servingAmount: number(0...9, using: &generator).0.description, servingUnit: "slice",
            values: values(type, 1...3, name, using: &generator))
        }
        return RecordDraft.Segment(
          name: "part \(index)", startMicroseconds: draft.time.startMicroseconds,
          endMicroseconds: draft.time.endMicroseconds, values: values(type, 0...4, name, using: &generator),
          foods: foods)
      }
    }
    if type == .intraday || type == .cgm {
      draft.granularity = .init(interval: 5, unit: "min")
      draft.channels = values(type, type == .cgm ? 1...1 : 1...3, name, using: &generator)
        .map { value in
          .init(
            value.metric, unit: value.unit,
            points: (0..<Int64.random(in: 1...20, using: &generator)).map { index in
              .init(Fixture.morning + index * 300_000_000, value.value, isScheduled: index % 2 == 0 ? true : nil)
            })
        }
      if draft.channels.isEmpty {
        draft.channels = [.init("blood_glucose", unit: "mg/dL", points: [.init(Fixture.morning, "100")])]
      }
    }
    return draft
  }

  /// Values of different metrics, each with another name.
  private static func values(
    _ type: RecordType, _ count: ClosedRange<Int>, _ name: (Metric) -> String, using generator: inout SeededGenerator
  ) -> [RecordDraft.Value] {
    let metrics = (Metric.dictionary + Metric.host).filter {
      $0.kind == .quantity && $0.isPrimary && $0.belongs(to: type)
    }
    let wanted = Int.random(in: count, using: &generator)
    var names: Set<String> = []
    var result: [RecordDraft.Value] = []
    for metric in metrics.shuffled(using: &generator) where result.count < wanted {
      guard names.insert(name(metric)).inserted,
        let unit = metric.units.randomElement(using: &generator)
      else { continue }
      let (number, fits) = number(unit.plausible, using: &generator)
      if fits { result.append(.init(metric.name, number.description, unit.ucum)) }
    }
    // Every type has a metric that each receiver takes.
    let sure: [RecordType: RecordDraft.Value] = [
      .biometrics: .init("spo2", "97.5", "%"), .diabetes: .init("blood_glucose", "6.25", "mmol/L"),
      .weight: .init("body_weight", "154.3", "[lb_av]"), .routine: .init("steps", "6392", "{count}"),
      .nutrition: .init("protein", "81.04", "g"), .fitness: .init("active_duration", "40.5", "min"),
      .sleep: .init("deep_sleep", "1.25", "h"),
    ]
    if let value = sure[type], !result.isEmpty, !result.contains(where: { $0.metric == value.metric }) {
      result.append(value)
    }
    return result
  }

  /// A number of up to three decimal places in a range, and whether there is one.
  private static func number(
    _ range: ClosedRange<Double>, using generator: inout SeededGenerator
  ) -> (ReportedNumber, Bool) {
    let places = Int8.random(in: 0...3, using: &generator)
    let scale = (0..<places).reduce(1.0) { result, _ in result * 10 }
    let lower = Int64((range.lowerBound * scale).rounded(.up))
    let upper = Int64((range.upperBound * scale).rounded(.down))
    guard lower <= upper else { return (ReportedNumber(mantissa: 0, exponent: 0), false) }
    return (ReportedNumber(mantissa: .random(in: lower...upper, using: &generator), exponent: -places), true)
  }
}

extension [String] {
  fileprivate func any(_ generator: inout SeededGenerator) -> String { randomElement(using: &generator) ?? "" }
}
