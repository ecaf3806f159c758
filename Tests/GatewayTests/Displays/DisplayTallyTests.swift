import DriverContract
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayTools

@Suite struct DisplayTallyTests {
  private func answer(_ label: String?, _ raw: String?, _ confidence: Double, _ isAnswered: Bool) -> DisplayAnswer {
    DisplayAnswer(label: label, raw: raw, confidence: confidence, isAnswered: isAnswered)
  }

  @Test func everyAnswerIsCountedOnce() {
    let tally = DisplayTally([
      answer("12", "12", 0.9, true), answer("12", "13", 0.9, true), answer("12", "13", 0.3, false),
      answer(nil, "8", 0.9, true), answer("7", nil, 0, true), answer(nil, nil, 0, false),
    ])
    #expect(tally.lines == 6 && tally.exact == 2 && tally.answered == 3 && tally.wrong == 2)
    #expect(tally.exactRaw == 2.0 / 6 && tally.coverage == 0.5 && tally.wrongButConfident == 2.0 / 6)
    #expect(tally.selectiveAccuracy.map { abs($0 - 1.0 / 3) < 1e-12 } == true)
    #expect(DisplayTally([]).selectiveAccuracy == nil && DisplayTally([]).wrongButConfidentUpper95 == 1)
  }

  /// The floor decides what is answered, and not what is exact.
  @Test(
    "exact is what was read, before anything is rejected",
    arguments: [
      ("12", "12", true), ("12", "13", false), ("12", nil, false), (nil, "8", false), (nil, nil, true),
    ] as [(String?, String?, Bool)])
  func exact(_ label: String?, _ raw: String?, _ isExact: Bool) {
    for isAnswered in [false, true] {
      let answer = self.answer(label, raw, 0.9, isAnswered)
      #expect(answer.isExact == isExact && answer.isAnswered == (isAnswered && raw != nil))
      #expect(answer.isWrongButConfident == (isAnswered && raw != nil && !isExact))
    }
  }

  @Test(arguments: ["12", nil] as [String?])
  func whatCouldNotBeMeasuredIsALineAndNothingElse(_ label: String?) {
    let tally = DisplayTally([DisplayAnswer(unmeasured: label), answer("1", "1", 0.9, true)])
    #expect(tally.lines == 2 && tally.exact == 1 && tally.answered == 1 && tally.wrong == 0)
    #expect(RiskPoint.curve([DisplayAnswer(unmeasured: label)]).isEmpty)
  }

  /// Clopper, Pearson: the one-sided 95 % bounds are the 95th percentiles of Beta(found + 1, count - found).
  @Test(arguments: [
    (0, 145, 0.020448), (0, 1, 0.95), (1, 10, 0.394163), (2, 160, 0.038824), (5, 10_000, 0.001051), (10, 10, 1.0),
    (9, 10, 0.994884), (50, 100, 0.586378),
  ])
  func theBoundIsExact(_ found: Int, _ count: Int, _ bound: Double) {
    let upper = BinomialBound.upper(found: found, of: count)
    #expect(abs(upper - bound) < 1e-6)
    if found < count {
      // With that share, so few are found in one of twenty sets.
      #expect(abs(BinomialBound.chance(ofAtMost: found, of: count, share: upper) - 0.05) < 1e-9)
    }
  }

  @Test func nothingFoundIsAboutThreeOverTheNumber() {
    for count in [100, 1000, 10_000, 1_000_000] {
      let upper = BinomialBound.upper(found: 0, of: count)
      #expect(abs(upper * Double(count) - 3) < 0.05)
    }
  }

  @Test func theCurveGoesFromTheSurestToAll() {
    let answers = (0..<100).map { answer("1", $0 < 90 ? "1" : "2", 1 - Double($0) / 200, true) }
    let curve = RiskPoint.curve(answers)
    #expect(curve.count <= 60 && curve.last?.coverage == 1 && curve.last?.risk == 0.1)
    #expect(zip(curve, curve.dropFirst()).allSatisfy { $0.coverage < $1.coverage && $0.threshold > $1.threshold })
    #expect(curve.first?.risk == 0)
    // Equally sure lines are one point; lines without a text are never reached.
    let even = [
      answer("1", "1", 0.5, true), answer("1", "2", 0.5, true), answer("1", nil, 0, false), answer("1", "1", 0, false),
    ]
    #expect(RiskPoint.curve(even).map(\.coverage) == [0.5] && RiskPoint.curve(even).map(\.risk) == [0.5])
    #expect(RiskPoint.curve([]).isEmpty)
    // A text is wrong where no value is right; without one, nothing is answered at any threshold.
    let silent = [answer("1", "1", 0.9, true), answer(nil, "8", 0.5, false), answer(nil, nil, 0.7, false)]
    #expect(RiskPoint.curve(silent).map(\.risk) == [0, 0.5] && RiskPoint.curve(silent).last?.coverage == 2.0 / 3)
  }

  static let votes: [(looks: [(String, Double)], text: String?, isAccepted: Bool)] = [
    ([], nil, false), ([("", 0), ("", 0)], nil, false),
    (Array(repeating: ("12", 0.9), count: 8), "12", true),
    (Array(repeating: ("12", 0.44), count: 8), "12", false),
    (Array(repeating: ("12", 0.9), count: 4) + Array(repeating: ("", 0), count: 4), "12", true),
    (Array(repeating: ("12", 0.9), count: 3) + Array(repeating: ("", 0), count: 5), "12", false),
    (Array(repeating: ("12", 0.9), count: 6) + Array(repeating: ("13", 0.9), count: 2), "12", true),
    (Array(repeating: ("12", 0.9), count: 5) + Array(repeating: ("13", 0.1), count: 3), "12", false),
    (Array(repeating: ("12", 0.6), count: 4) + Array(repeating: ("13", 0.9), count: 4), "13", false),
    ([(" 12 ", 0.9)], "12", true),
  ]

  private static func vote(_ looks: [(String, Double)], of display: HealthDisplay?) -> RowVote {
    RowVote(looks.map { RowReading(state: $0.0.isEmpty ? .empty : .text, text: $0.0, confidence: $0.1) }, of: display)
  }

  @Test("half agree, a quarter may not, and all are sure enough", arguments: votes)
  func vote(_ looks: [(String, Double)], _ text: String?, _ isAccepted: Bool) {
    let vote = Self.vote(looks, of: .glucose)
    #expect(vote.text == text && vote.isAccepted == isAccepted && (0...1).contains(vote.confidence))
  }

  @Test("where anything may be shown, more confidence is needed", arguments: [(0.89, false), (0.91, true)])
  func voteOfUnknown(_ confidence: Double, _ isAccepted: Bool) {
    #expect(Self.vote(Array(repeating: ("12", confidence), count: 8), of: nil).isAccepted == isAccepted)
  }

  @Test("what the kind of meter cannot show is measured and not believed", arguments: ["1203", "12.34", "0.12", "-12"])
  func voteOutsideOfTheKind(_ text: String) {
    let looks = Array(repeating: (text, 0.99), count: 8)
    let vote = Self.vote(looks, of: .glucose)
    #expect(vote.text == text && !vote.isAccepted && Self.vote(looks, of: nil).isAccepted)
  }

  static let shown: [(display: HealthDisplay, can: [String], cannot: [String])] = [
    (
      .glucose, ["45", "212", "5.4", "13.9", "0.6"],
      ["5", "1203", "212.5", "05", "5.44", "-5.4", "Lo", "", ".", "5.", ".5"]
    ),
    (.bloodPressure, ["81", "138"], ["8.1", "8", "1381", "081", "138.", "१३८"]),
    (.thermometer, ["36.6", "100.4", "98"], ["6.6", "36.66", "1004.0", "3 6", "036.6"]),
    (.oximeter, ["98", "100", "5.2", "72"], ["5.21", "1000", "098", "100.1"]),
    (.weight, ["72.4", "150.2", "8.25", "92"], ["1502.0", "72.425", "072.4", "-0.1"]),
  ]

  @Test("a kind of meter has its sort of numbers", arguments: shown)
  func healthDisplay(_ display: HealthDisplay, _ can: [String], _ cannot: [String]) {
    #expect(can.filter { !display.canShow($0) } == [])
    #expect(cannot.filter { display.canShow($0) } == [])
  }

  private static func result(_ problems: [String?]) throws -> DisplayBench.Result {
    let rows = problems.map { _ in "a.jpg,1,1 2 3 4\n" }.joined()
    let photographs = try DisplayLabels(Array("path,text,boxes\n\(rows)".utf8), name: "x").photographs
    var result = DisplayBench.Result()
    result.lines = zip(photographs, problems).map { photograph, problem in
      let answer =
        problem == nil
        ? DisplayAnswer(label: "1", raw: nil, confidence: 0, isAnswered: false) : DisplayAnswer(unmeasured: "1")
      return DisplayBench.Line(photograph: photograph, row: 0, single: answer, vote: answer, problem: problem)
    }
    return result
  }

  @Test func aSetIsFaultyWhenNothingOfItCouldBeMeasured() throws {
    let some = try Self.result(["line 2: x", nil, "line 4: y"])
    #expect(some.unmeasured == 2 && some.fault == nil)
    let none = try Self.result(["line 2: x", "line 3: y"])
    #expect(none.fault?.code == "labels" && none.fault?.message.contains("line 2: x") == true)
    #expect(DisplayBench.Result().fault == nil)
  }

  @Test func theLastLineHasExactlyTheseKeys() {
    let report = BenchReport(DisplayBench.Result())
    let line = GatewayJSON.line(report.summary)
    #expect(
      line == #"{"summary":{"coverage":0,"exact_raw":0,"lines":0,"ms_per_frame":0,"selective_accuracy":null,"#
        + #""wbc":0,"wbc_upper95":1}}"#)
  }
}
