/// Everything that a run of the suite has found, by rule.
public struct ConformanceReport: Sendable, Hashable {
  /// What was tested, as it was named.
  public let target: String
  /// The results, by rule; at least one for every rule that was asked for.
  public let results: [CheckResult]

  /// Drivers that were not seen at work: there was no virtual meter with readings, no vector, no display and no export
  /// for them.
  public let untried: [String]

  /// A report; the results are put in order.
  public init(target: String, results: [CheckResult], untried: [String] = []) {
    self.target = target
    self.untried = untried
    self.results = results.enumerated()
      .sorted { ($0.element.rule, $0.offset) < ($1.element.rule, $1.offset) }.map(\.element)
  }

  /// Whether nothing failed or crashed, something passed, and every driver was seen at work.
  public var passed: Bool {
    untried.isEmpty && !results.contains { $0.status.isBad } && results.contains { $0.status == .passed }
  }

  /// Why the run says nothing about a driver's work; nil: it does.
  public var nothingTried: String? {
    untried.isEmpty
      ? nil
      : "there was nothing to try \(untried.joined(separator: " and ")) on: no virtual meter that has a reading, no "
        + "vector, no display, no export. Name them with --meter, --vectors and --export, or put them into the bundle's folder"
  }

  /// How many checks ended so.
  public func count(_ status: CheckStatus) -> Int { results.count { $0.status == status } }

  /// The rules that are broken.
  public var brokenRules: [Rule] { Set(results.filter(\.status.isBad).map(\.rule)).sorted() }
}
