/// One line of a labelled set as `--json` shows it.
package struct BenchLineDescription: Sendable, Encodable {
  /// What one way of looking came to.
  package struct Answer: Sendable, Encodable {
    var text: String?
    var confidence: Double
    var answered: Bool
    var exactRaw: Bool

    enum CodingKeys: String, CodingKey {
      case text, confidence, answered
      case exactRaw = "exact_raw"
    }

    init(_ answer: DisplayAnswer) {
      text = answer.raw
      confidence = answer.confidence
      answered = answer.isAnswered
      exactRaw = answer.isExact
    }
  }

  var line: Int
  var path: String
  var row: Int
  var deviceType: String?
  var series: String?
  var label: String?
  var text: String?
  var confidence: Double
  var answered: Bool
  var exactRaw: Bool
  var single: Answer
  var problem: String?

  enum CodingKeys: String, CodingKey {
    case line, path, row, series, label, text, confidence, answered, single, problem
    case deviceType = "device_type"
    case exactRaw = "exact_raw"
  }

  /// Describes a line.
  package init(_ line: DisplayBench.Line) {
    let vote = Answer(line.vote)
    self.line = line.photograph.line
    path = line.photograph.path
    row = line.row
    deviceType = line.photograph.deviceType.isEmpty ? nil : line.photograph.deviceType
    series = line.photograph.series.isEmpty ? nil : line.photograph.series
    label = line.vote.label
    (text, confidence, answered, exactRaw) = (vote.text, vote.confidence, vote.answered, vote.exactRaw)
    single = Answer(line.single)
    problem = line.problem
  }
}

/// The figures of a set, or of a part of it.
package struct BenchSummary: Sendable, Encodable {
  let tally: DisplayTally
  /// How long the reader took for a frame; nil where that was not measured apart.
  let millisecondsPerFrame: Double?

  enum CodingKeys: String, CodingKey {
    case lines, coverage, wbc
    case exactRaw = "exact_raw"
    case selectiveAccuracy = "selective_accuracy"
    case wbcUpper95 = "wbc_upper95"
    case millisecondsPerFrame = "ms_per_frame"
  }

  /// Writes all keys: `selective_accuracy` is null where nothing was answered.
  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: CodingKeys.self)
    try object.encode(tally.lines, forKey: .lines)
    try object.encode(tally.exactRaw, forKey: .exactRaw)
    try object.encode(tally.coverage, forKey: .coverage)
    try object.encode(tally.selectiveAccuracy, forKey: .selectiveAccuracy)
    try object.encode(tally.wrongButConfident, forKey: .wbc)
    try object.encode(tally.wrongButConfidentUpper95, forKey: .wbcUpper95)
    try object.encodeIfPresent(millisecondsPerFrame, forKey: .millisecondsPerFrame)
  }
}

/// What came of a labelled set, in the words of `--json`.
package struct BenchReport: Sendable {
  /// The last line.
  package struct Summary: Sendable, Encodable {
    /// The figures of the looks that vote.
    package let summary: BenchSummary
  }

  /// The line before it.
  package struct Details: Sendable, Encodable {
    /// What stands in it.
    package struct Content: Sendable, Encodable {
      let single: BenchSummary
      let byDeviceType: [String: BenchSummary]
      let groups: [String: BenchSummary]
      let curve: [RiskPoint]
      let singleCurve: [RiskPoint]
      let millisecondsPerPhotograph: Double
      let damaged: Int

      enum CodingKeys: String, CodingKey {
        case single, groups, curve, damaged
        case byDeviceType = "by_device_type"
        case singleCurve = "single_curve"
        case millisecondsPerPhotograph = "ms_per_photograph"
      }
    }

    /// Further figures.
    package let details: Content
  }

  /// The figures of the looks that vote.
  package let summary: Summary
  /// Further figures.
  package let details: Details
  /// Rows for people: a name, and the figures of the vote and of a single look.
  package let parts: [(name: String, vote: DisplayTally, single: DisplayTally)]

  /// Counts a set.
  package init(_ result: DisplayBench.Result) {
    let lines = result.lines
    let vote = DisplayTally(lines.lazy.map(\.vote))
    let single = DisplayTally(lines.lazy.map(\.single))
    var types: [String: [DisplayBench.Line]] = [:]
    for line in lines {
      types[line.photograph.deviceType.isEmpty ? "-" : line.photograph.deviceType, default: []].append(line)
    }
    let groups = Dictionary(grouping: lines) {
      HealthDisplay(deviceType: $0.photograph.deviceType) == nil ? "other" : "health"
    }
    func summaries(_ parts: [String: [DisplayBench.Line]]) -> [String: BenchSummary] {
      parts.mapValues { BenchSummary(tally: DisplayTally($0.lazy.map(\.vote)), millisecondsPerFrame: nil) }
    }
    summary = Summary(summary: BenchSummary(tally: vote, millisecondsPerFrame: result.millisecondsPerFrame))
    details = Details(
      details: Details.Content(
        single: BenchSummary(tally: single, millisecondsPerFrame: result.millisecondsPerFrame),
        byDeviceType: summaries(types), groups: summaries(groups), curve: RiskPoint.curve(lines.map(\.vote)),
        singleCurve: RiskPoint.curve(lines.map(\.single)),
        millisecondsPerPhotograph: result.millisecondsPerPhotograph,
        damaged: Set(lines.lazy.filter { $0.problem != nil }.map(\.photograph.line)).count))
    parts =
      (types.count > 1 ? types.sorted { $0.key < $1.key } : []).map { name, lines in
        (name, DisplayTally(lines.lazy.map(\.vote)), DisplayTally(lines.lazy.map(\.single)))
      } + [("all", vote, single)]
  }
}
