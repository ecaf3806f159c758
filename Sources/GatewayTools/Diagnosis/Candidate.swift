/// One thing that the host looked at on its way to a driver, and what came of it.
package struct Candidate: Sendable, Codable, Hashable {
  /// What was looked at, in the order in which the host decides. The raw value is stable.
  package enum Stage: String, Sendable, Codable, Hashable, CaseIterable {
    /// A file of the registry.
    case registry
    /// An entry of the catalogue.
    case peripheral
    /// An entry of a driver.
    case entry
    /// The path of the library.
    case library
    /// The file behind it, judged without loading it.
    case bundle
    /// The driver's own tables, read in a worker.
    case driver
    /// How the meter is recognised.
    case match
  }

  /// What came of it.
  package enum Verdict: String, Sendable, Codable, Hashable {
    /// Nothing speaks against it.
    case passed
    /// It works, and somebody should know.
    case warning
    /// It is refused.
    case failed
  }

  /// What was looked at.
  package var stage: Stage
  /// Where: a file with line, column and JSON path, or a path.
  package var place: String
  /// What came of it.
  package var verdict: Verdict
  /// The first rule that failed or warned ("R20"); nil when it passed.
  package var rule: String?
  /// Stable name of the failure; nil when it passed.
  package var code: String?
  /// What was found.
  package var reason: String
  /// What to do; nil when there is nothing to do.
  package var cure: String?

  static func passed(_ stage: Stage, _ place: String, _ reason: String) -> Candidate {
    Candidate(stage: stage, place: place, verdict: .passed, rule: nil, code: nil, reason: reason, cure: nil)
  }

  static func failed(
    _ stage: Stage, _ place: String, rule: String, code: String, _ reason: String, cure: String,
    verdict: Verdict = .failed
  ) -> Candidate {
    Candidate(stage: stage, place: place, verdict: verdict, rule: rule, code: code, reason: reason, cure: cure)
  }
}

/// Why a driver is used or not, for a driver or for a meter: everything that was tried, in order.
package struct DriverWhy: Sendable, Codable, Hashable {
  /// The answer in a word. The raw value is stable.
  package enum Answer: String, Sendable, Codable, Hashable {
    /// A read would use it.
    case usable
    /// Something refuses it; the first candidate that failed after the last that passed says what.
    case refused
    /// No file of the registry names it.
    case unknown
    /// The registry itself cannot be used.
    case unavailable
  }

  /// What was asked for.
  package var target: String
  package var answer: Answer
  /// The driver that is meant; nil when none is named.
  package var driver: String?
  /// The Bluetooth peripheral that is meant; nil when a driver was asked for.
  package var peripheral: UInt32?
  /// The answer in a sentence.
  package var summary: String
  /// Everything that was looked at, in the order in which the host decides.
  package var candidates: [Candidate]
}
