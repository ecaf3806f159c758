/// What metrics are called where people and programs write them: by their names in the dictionary, and by further names
/// that are taken beside them, such as those of a receiver.
///
/// One name may stand for several metrics: the type of the record and the unit tell them apart.
public struct MetricNames: Sendable, Hashable {
  /// The names of the dictionary and of the host's own metrics, and no others.
  public static let dictionary = MetricNames()

  private let others: [String: [UInt16]]

  /// The dictionary's names, and further ones.
  ///
  /// - Parameter others: The further names, each with the codes of its metrics. Where type and unit fit several, the first is
  ///   meant.
  package init(others: [String: [UInt16]] = [:]) { self.others = others }

  /// The metrics that a name stands for: by the dictionary first, then by the further names.
  package func metrics(named name: String) -> [Metric] {
    Metric.named(name) + (others[name] ?? []).compactMap(Metric.withCode)
  }
}
