public import MeterCore

/// What Inform v2 calls the host's metrics.
///
/// Most have the same name there. Some have another, and some share one: `pulse` is a pulse and a heart rate, `carbohydrate`
/// a fact about a glucose value and a part of a meal, `body_water` a mass and a share.
public enum InformName {
  /// The name of the metric with this code; nil when Inform has none.
  public static func of(_ metric: UInt16) -> String? { ofDictionary[metric] ?? ofHost[metric] }

  /// The metrics that Inform has this name for and the host another, in the order of the dictionary.
  public static func metrics(named name: String) -> [Metric] { (further[name] ?? []).compactMap(Metric.withCode) }

  /// Codes by Inform's name, for metrics that have another name here.
  static let further: [String: [UInt16]] = {
    var result: [String: [UInt16]] = [:]
    for metric in Metric.all {
      if let name = of(metric.code), name != metric.name { result[name, default: []].append(metric.code) }
    }
    return result
  }()
}

extension MetricNames {
  /// The dictionary's names, and Inform's beside them.
  ///
  /// ```swift
  /// var draft = RecordDraft(type: .nutrition, time: time, source: source)
  /// draft.names = .inform
  /// draft.values = [.init("carbohydrate", "60", "g")]
  /// ```
  public static let inform = MetricNames(others: InformName.further)
}
