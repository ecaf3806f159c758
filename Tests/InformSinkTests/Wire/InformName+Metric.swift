import MeterCore

@testable import InformSink

extension InformName {
  /// By what a metric's values are told apart in a record: its name, or its own, under which it stands beside the others.
  static func orOwn(_ metric: Metric) -> String { of(metric.code) ?? metric.name }
}
