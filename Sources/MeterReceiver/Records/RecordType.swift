/// The record types of Inform v2.
enum RecordType: String, Sendable, CaseIterable {
  case summary, measurement, workout, sleep, nutrition, intraday, cgm

  /// The type's word in paths.
  var collection: String {
    switch self {
    case .summary: "summaries"
    case .measurement: "measurements"
    case .workout: "workouts"
    case .sleep, .nutrition, .intraday, .cgm: rawValue
    }
  }

  /// The types that may be written to a path, or nil if there is no such path.
  ///
  /// Inform names five paths for seven types: the two that are series of one measurement go with the measurements. Paths of
  /// their own are MeterHost's extension.
  static func accepted(at collection: String) -> [RecordType]? {
    guard let type = allCases.first(where: { $0.collection == collection }) else { return nil }
    return type == .measurement ? [.measurement, .intraday, .cgm] : [type]
  }

  /// Whether the values are series of points, not single numbers.
  var isSeries: Bool { self == .intraday || self == .cgm }

  /// Whether a record of this type may be divided into segments, such as the meals of a day.
  var hasSegments: Bool { self == .summary || self == .workout || self == .sleep || self == .nutrition }

  /// Whether a metric can stand in a record of this type. What the vocabulary has beyond the standard one counts as
  /// something measured.
  func admits(metric: String) -> Bool {
    let group = MeasurementVocabulary.group(of: metric)
    return switch self {
    case .measurement:
      // Scales tell the basal metabolism, glucose meters the carbohydrates of the meal.
      group == .measured || metric == "basal_energy_burned" || metric == "carbohydrate"
    case .summary: group != .nutrition
    case .workout: group == .measured || group == .activity
    case .sleep: group == .measured || group == .sleep
    case .nutrition: group == .nutrition
    case .intraday: group != .nutrition
    case .cgm: ["blood_glucose", "avg_blood_glucose", "gmi"].contains(metric)
    }
  }
}
