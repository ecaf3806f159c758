/// One reader's answer to one labelled line.
package struct DisplayAnswer: Sendable, Hashable {
  /// What the line shows; nil where no value is the right answer.
  package let label: String?
  /// The best text, before anything was rejected; nil when there is none.
  package let raw: String?
  /// How sure the reader is, 0 to 1.
  package let confidence: Double
  /// Whether it would be delivered.
  package let isAnswered: Bool
  /// Whether the reader was asked at all.
  package let isMeasured: Bool

  package init(label: String?, raw: String?, confidence: Double, isAnswered: Bool) {
    self.label = label
    self.raw = raw
    self.confidence = confidence
    self.isAnswered = isAnswered && raw != nil
    isMeasured = true
  }

  /// What stands for an answer where none could be asked for: nothing was read, and that is right nowhere.
  package init(unmeasured label: String?) {
    self.label = label
    raw = nil
    (confidence, isAnswered, isMeasured) = (0, false, false)
  }

  /// Whether the best text is the label, whatever would be delivered: where no value is right, none may be read.
  package var isExact: Bool { isMeasured && raw == label }
  /// Wrong and answered: the worst that can happen.
  package var isWrongButConfident: Bool { isAnswered && raw != label }
}

/// What answers to a labelled set come to.
package struct DisplayTally: Sendable, Hashable {
  /// Labelled lines.
  package let lines: Int
  /// Lines whose best text is the label, and those without one where no value is right.
  package let exact: Int
  /// Lines that were answered.
  package let answered: Int
  /// Lines that were answered wrongly.
  package let wrong: Int

  /// Counts answers.
  package init(_ answers: some Sequence<DisplayAnswer>) {
    var (lines, exact, answered, wrong) = (0, 0, 0, 0)
    for answer in answers {
      lines += 1
      if answer.isExact { exact += 1 }
      if answer.isAnswered { answered += 1 }
      if answer.isWrongButConfident { wrong += 1 }
    }
    self.lines = lines
    self.exact = exact
    self.answered = answered
    self.wrong = wrong
  }

  /// The share of all lines whose best text is the label.
  package var exactRaw: Double { share(exact, lines) }
  /// The share of all lines that were answered.
  package var coverage: Double { share(answered, lines) }
  /// The share of the answers that are right; nil when there are none.
  package var selectiveAccuracy: Double? { answered > 0 ? share(answered - wrong, answered) : nil }
  /// The share of all lines that were answered wrongly.
  package var wrongButConfident: Double { share(wrong, lines) }
  /// With 95 % confidence, it is not more than that.
  package var wrongButConfidentUpper95: Double { BinomialBound.upper(found: wrong, of: lines) }

  private func share(_ part: Int, _ whole: Int) -> Double { whole > 0 ? Double(part) / Double(whole) : 0 }
}

/// What the risk would be if everything were answered that is at least so sure.
package struct RiskPoint: Sendable, Hashable, Encodable {
  /// The least confidence of an answer.
  package let threshold: Double
  /// The share of all lines that would be answered.
  package let coverage: Double
  /// The share of the answers that would be wrong.
  package let risk: Double

  /// The curve from the surest line to the least sure one, thinned to about `points`.
  package static func curve(_ answers: [DisplayAnswer], points: Int = 40) -> [RiskPoint] {
    // What nobody would believe at any threshold is not reached.
    let sorted = answers.filter { $0.raw != nil && $0.confidence > 0 }.sorted { $0.confidence > $1.confidence }
    let step = max(1, sorted.count / points)
    var wrong = 0
    var curve: [RiskPoint] = []
    for (index, answer) in sorted.enumerated() {
      if !answer.isExact { wrong += 1 }
      let isLast = index == sorted.count - 1
      // Lines that are equally sure are answered together.
      guard isLast || sorted[index + 1].confidence < answer.confidence else { continue }
      let reached = curve.last.map { Int(($0.coverage * Double(answers.count)).rounded()) } ?? 0
      guard isLast || index + 1 - reached >= step else { continue }
      curve.append(
        RiskPoint(
          threshold: answer.confidence, coverage: Double(index + 1) / Double(answers.count),
          risk: Double(wrong) / Double(index + 1)))
    }
    return curve
  }
}
