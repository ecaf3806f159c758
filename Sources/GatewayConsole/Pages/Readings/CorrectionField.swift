import GatewayAPI
import MeterCore

/// A field of the form that corrects a reading: a choice among the words of a coded metric, or a number with its unit.
struct CorrectionField: Sendable {
  struct Choice: Sendable {
    /// The dictionary's word, which the form sends.
    let value: String
    let label: String
    let isChosen: Bool
  }

  /// The metric's name in the dictionary, which the field carries.
  let metric: String
  let label: String
  /// What the reading has now, as the host takes it: a value that is still this one is not sent on.
  let now: String
  /// The unit for people; nil where there is none.
  let unit: String?
  /// The unit in UCUM, which the form sends; nil where there is none to name.
  let ucum: String?
  let choices: [Choice]
  let hasChoices: Bool

  /// - Returns: nil for what nobody can correct: a driver's own metric, and a status, for which the dictionary has no words.
  init?(_ value: ReadingDescription.Value) {
    guard let known = Metric.named(value.metric).first, known.kind != .text else { return nil }
    guard known.kind == .quantity || !known.codes.isEmpty else { return nil }
    let current = value.word ?? value.reported
    metric = value.metric.clipped
    label = ReadingWords.metric(value.metric)
    now = current.clipped
    let hasUnit = known.kind == .quantity && value.unit != "1"
    unit = hasUnit ? ReadingWords.unit(value.unit) : nil
    ucum = hasUnit ? value.unit.clipped : nil
    choices = known.kind == .code ? Self.choices(known, current) : []
    hasChoices = !choices.isEmpty
  }

  /// The words by their codes, each once, and what the reading has now whatever it is.
  private static func choices(_ metric: Metric, _ current: String) -> [Choice] {
    var words: [String] = []
    for (_, word) in metric.codes.sorted(by: { $0.key < $1.key }) where word != controlSolution {
      if !words.contains(word) { words.append(word) }
    }
    if !words.contains(current) { words.insert(current, at: 0) }
    return words.map { word in
      Choice(value: word.clipped, label: ReadingWords.coded(word), isChosen: word == current)
    }
  }

  /// Never a person's value: the host refuses it as a correction.
  private static let controlSolution = "control_solution"
}
