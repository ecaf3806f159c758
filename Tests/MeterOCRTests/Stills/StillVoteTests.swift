import DriverContract
import MeterOCR
import Testing

@Suite struct StillVoteTests {
  typealias D = Displays

  /// Looks at one photograph: texts with how many looks read them.
  private func looks(_ texts: [(String, Int)], confidence: Double = 0.9) -> [StillVote.Look] {
    texts.flatMap { text, count in
      Array(
        repeating: StillVote.Look(D.reading(text, confidence: confidence), D.verdict([text == "?" ? "" : text])),
        count: count)
    }
  }

  private func outcome(_ photographs: [StillVote.Look]...) -> StillVote.Outcome {
    var vote = StillVote(rows: D.glucose.rows)
    for looks in photographs { vote.add(looks) }
    return vote.outcome
  }

  private func texts(_ outcome: StillVote.Outcome) -> [String]? {
    if case .agreed(let agreement) = outcome { agreement.texts } else { nil }
  }

  @Test(
    "half of the looks agree and at most a quarter read something else",
    arguments: [
      ([("120", 8)], true), ([("120", 4), ("", 4)], true), ([("120", 4), ("?", 4)], true),
      ([("120", 3), ("", 5)], false),
      ([("120", 6), ("128", 2)], true), ([("120", 5), ("128", 3)], false), ([("120", 6), ("128", 1), ("20", 1)], true),
      ([("120", 5), ("128", 1), ("20", 2)], false), ([("120", 4), ("128", 4)], false), ([], false),
    ])
  func halfOfTheLooksAgreeAndAtMostA(
    _ counts: [(String, Int)], _ isBelieved: Bool
  ) {
    #expect((texts(outcome(looks(counts))) == ["120"]) == isBelieved)
  }

  @Test("the mean confidence has a floor", arguments: [(0.46, true), (0.44, false), (.nan, false)])
  func theMeanConfidenceHasAFloor(_ confidence: Double, _ isBelieved: Bool) {
    #expect((texts(outcome(looks([("120", 8)], confidence: confidence))) != nil) == isBelieved)
  }

  @Test("looks that read something else, or nothing, take from how sure a reading is")
  func dissentTakesFromConfidence() {
    for (counts, confidence) in [
      ([("120", 8)], 0.9), ([("120", 6), ("128", 2)], 0.675), ([("120", 4), ("?", 4)], 0.45),
    ] {
      guard case .agreed(let agreement) = outcome(looks(counts)) else {
        Issue.record("not agreed: \(counts)")
        continue
      }
      #expect(abs(agreement.confidence - confidence) < 1e-9)
    }
  }

  @Test("a look that sees the same digits with another point leaves no value", arguments: ["12.0", "1.20"])
  func anotherPointLeavesNoValue(_ other: String) {
    #expect(outcome(looks([("120", 7), (other, 1)])) == .noValue(.unsure))
    #expect(texts(outcome(looks([("120", 7), ("12", 1)]))) == ["120"])
  }

  @Test("half of the looks at another photograph contradict, whatever the order of the texts")
  func halfOfTheLooksContradict() {
    for other in ["098", "98", "121"] {
      #expect(outcome(looks([("120", 8)]), looks([("120", 4), (other, 4)])) == .noValue(.contradicting))
    }
  }

  @Test("several rows agree together, not each by itself") func severalRowsAgreeTogetherNotEachByItself() {
    var vote = StillVote(rows: D.pressure.rows)
    let sets = [["120", "80", "60"], ["120", "80", "68"], ["120", "88", "60"], ["128", "80", "60"]]
    vote.add(sets.flatMap { Array(repeating: StillVote.Look(D.reading($0), D.verdict($0)), count: 2) })
    #expect(texts(vote.outcome) == nil)
  }

  @Test("a row that may be missing may, another may not") func aRowThatMayBeMissingMayAnotherMay() {
    for (layout, isBelieved) in [
      (D.layout([.systolic, .diastolic, .pulse], optional: [2]), true), (D.pressure, false),
    ] {
      var vote = StillVote(rows: layout.rows)
      let reading = D.reading("120", "80", "")
      vote.add(Array(repeating: StillVote.Look(reading, D.verdict(["120", "80", ""])), count: 8))
      #expect((texts(vote.outcome) == ["120", "80", ""]) == isBelieved)
    }
  }

  @Test(
    "what is no value is refused with its reason",
    arguments: [
      (D.reading("?"), NoValueReason.unreadable), (D.reading(""), .nothingSeen), (D.reading("888"), .notAValue),
      (D.reading("999"), .wrongMeter), (D.reading("5.6"), .otherUnit), (D.reading("?", advice: .glare), .glare),
      (D.reading("120", confidence: 0.2), .unsure),
      (D.reading("120", glare: [ImageBox(x: 0, y: 0, width: 30, height: 5)]), .glare),
      (D.reading("?", advice: .blur), .blur), (D.reading("120", advice: .align), .align),
      (D.reading("120", glare: [0, 9].map { ImageBox(x: $0, y: 0, width: 3, height: 3) }), .glare),
      (D.reading("120", "80"), .unreadable),
    ])
  func whatIsNoValueIsRefusedWithItsReason(_ reading: DisplayReading, _ reason: NoValueReason) {
    let texts = reading.rows.map(\.text)
    let look = StillVote.Look(reading, D.verdict(Array(texts.prefix(1))))
    #expect(outcome(Array(repeating: look, count: 8)) == .noValue(reason))
  }

  @Test("a verdict without a record is no value") func aVerdictWithoutARecordIsNoValue() {
    let look = StillVote.Look(D.reading("120"), .valid([]))
    #expect(outcome(Array(repeating: look, count: 8)) == .noValue(.incomplete))
  }

  @Test("one photograph is enough, and others that show nothing do not matter")
  func onePhotographIsEnoughAndOthersThatShowNothing() {
    #expect(texts(outcome(looks([("", 8)]), looks([("120", 8)]), looks([("?", 8)]))) == ["120"])
  }

  @Test("photographs that agree are one reading, with the best confidence")
  func photographsThatAgreeAreOneReadingWithTheBest() {
    let outcome = outcome(looks([("120", 8)], confidence: 0.7), looks([("120", 8)], confidence: 0.9))
    guard case .agreed(let agreement) = outcome else {
      Issue.record("not agreed")
      return
    }
    #expect(abs(agreement.confidence - 0.9) < 1e-9)
  }

  @Test("photographs must not contradict each other, not even one that would not be believed")
  func photographsMustNotContradictEachOtherNotEvenOne() {
    #expect(outcome(looks([("120", 8)]), looks([("98", 8)])) == .noValue(.contradicting))
    #expect(outcome(looks([("98", 8)], confidence: 0.3), looks([("120", 8)])) == .noValue(.contradicting))
    #expect(outcome(looks([("120", 8)]), looks([("999", 8)])) == .noValue(.contradicting))
  }

  @Test("without photographs there is nothing") func withoutPhotographsThereIsNothing() {
    #expect(outcome() == .noValue(.noFrames))
  }

  @Test("the looks lie around the overlay and differ") func theLooksLieAroundTheOverlayAndDiffer() {
    let overlay = ImageBox(x: 100, y: 50, width: 400, height: 200)
    let places = StillVote.places(overlay)
    #expect(places.first == overlay)
    #expect(Set(places).count == 8)
    for place in places {
      #expect(abs(place.x - 100) <= 20 && abs(place.y - 50) <= 10)
      #expect(abs(place.width / 400 - 1) < 0.04 && abs(place.width / place.height - 2) < 1e-9)
    }
    #expect(StillVote.places(rows: [overlay, overlay]).allSatisfy { $0.count == 2 })
  }
}
