/// Everything that a run of the suite has found, by rule.
public struct ConformanceReport: Sendable, Hashable {
  /// What was tested, as it was named.
  public let target: String
  /// The results, by rule; at least one for every rule that was asked for.
  public let results: [CheckResult]

  /// A report; the results are put in order.
  public init(target: String, results: [CheckResult]) {
    self.target = target
    self.results = results.enumerated()
      .sorted { ($0.element.rule, $0.offset) < ($1.element.rule, $1.offset) }.map(\.element)
  }

  /// Whether nothing failed or crashed, and something passed.
  public var passed: Bool { !results.contains { $0.status.isBad } && results.contains { $0.status == .passed } }

  /// How many checks ended so.
  public func count(_ status: CheckStatus) -> Int { results.count { $0.status == status } }

  /// The rules that are broken.
  public var brokenRules: [Rule] { Set(results.filter(\.status.isBad).map(\.rule)).sorted() }
}
