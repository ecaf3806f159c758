import DriverContract
import MeterOCR
import Testing

/// Frames in a row, every one another picture, 100 ms apart.
struct Frames {
  var convergence: Convergence
  var moment: UInt64 = 1_000_000_000
  var fingerprint: UInt64 = 0
  var outcome = Convergence.Outcome.looking

  init(_ layout: DisplayLayout = Displays.glucose, _ rules: ConvergenceRules = ConvergenceRules()) {
    convergence = Convergence(rows: layout.rows, rules: rules)
  }

  /// Adds the same reading some times; the outcomes.
  @discardableResult
  mutating func add(
    _ reading: DisplayReading, times: Int = 1, step: UInt64 = 100_000_000, repeated: Bool = false
  ) -> [Convergence.Outcome] {
    (0..<times).map { _ in
      moment += step
      if !repeated { fingerprint += 1 }
      let texts = reading.rows.map { $0.state == .text ? $0.text : "" }
      outcome = convergence.add(reading, verdict: Displays.verdict(texts), fingerprint: fingerprint, at: moment)
      return outcome
    }
  }

  var agreed: [String]? { if case .agreed(let agreement) = outcome { agreement.texts } else { nil } }
}

@Suite struct ConvergenceTests {
  typealias D = Displays

  @Test("believes the texts that six frames show, not five") func believesTheTextsThatSixFramesShowNotFive() {
    var frames = Frames()
    frames.add(D.reading("120"), times: 5)
    #expect(frames.outcome == .looking)
    frames.add(D.reading("120"))
    #expect(frames.agreed == ["120"])
  }

  @Test("tells how sure the reader was and how many frames agree") func tellsHowSureTheReaderWasAndHowMany() {
    var frames = Frames()
    frames.add(D.reading("120", confidence: 0.9), times: 3)
    frames.add(D.reading("120", confidence: 1), times: 3)
    guard case .agreed(let agreement) = frames.outcome else {
      Issue.record("not agreed")
      return
    }
    #expect(abs(agreement.confidence - 0.95) < 1e-9)
    #expect(agreement.looks == 6)
  }

  @Test("frames that show the same digits with another point leave no value, until they are long gone")
  func anotherPointLeavesNoValue() {
    for other in ["12.0", "1.20"] {
      var frames = Frames()
      frames.add(D.reading(other))
      frames.add(D.reading("120"), times: 39)
      #expect(frames.outcome == .looking)
      frames.add(D.reading("120"))
      #expect(frames.agreed == ["120"])
    }
  }

  @Test("nothing that comes later changes what is agreed") func nothingThatComesLaterChangesWhatIsAgreed() {
    var frames = Frames()
    frames.add(D.reading("120"), times: 6)
    frames.add(D.reading("98"), times: 20)
    #expect(frames.agreed == ["120"])
  }

  @Test("a row below the floor does not count") func aRowBelowTheFloorDoesNotCount() {
    var frames = Frames()
    frames.add(D.reading("120", confidence: 0.84), times: 100)
    #expect(frames.outcome == .looking)
    #expect(frames.convergence.reason == .unsure)
  }

  @Test("one unsure row of three is enough not to count") func oneUnsureRowOfThreeIsEnoughNotTo() {
    var reading = D.reading("120", "80", "60")
    reading.rows[1].confidence = 0.5
    var frames = Frames(D.pressure)
    frames.add(reading, times: 100)
    #expect(frames.outcome == .looking)
  }

  @Test("a confidence that is none does not count", arguments: [Double.nan, -1, 0, -Double.infinity])
  func aConfidenceThatIsNoneDoesNotCount(_ confidence: Double) {
    var frames = Frames()
    frames.add(D.reading("120", confidence: confidence), times: 100)
    #expect(frames.outcome == .looking)
  }

  @Test("the same picture counts once") func theSamePictureCountsOnce() {
    var frames = Frames()
    frames.add(D.reading("120"))
    frames.add(D.reading("120"), times: 290, repeated: true)
    #expect(frames.outcome == .looking)
    frames.add(D.reading("120"), times: 20, repeated: true)
    #expect(frames.outcome == .noValue(.frozen))
  }

  @Test("two pictures that take turns count twice") func twoPicturesThatTakeTurnsCountTwice() {
    var convergence = Convergence(rows: D.glucose.rows)
    var outcome = Convergence.Outcome.looking
    for number in 0..<200 as Range<UInt64> {
      outcome = convergence.add(
        D.reading("120"), verdict: D.verdict(["120"]), fingerprint: number % 2, at: number * 100_000_000)
    }
    #expect(outcome == .looking)
    #expect(convergence.agreeing == 2)
  }

  @Test("frames of one moment and of earlier ones do not count") func framesOfOneMomentAndOfEarlierOnesDo() {
    for step in [0, UInt64.max] {
      var convergence = Convergence(rows: D.glucose.rows)
      var moment: UInt64 = 1_000_000
      var outcome = Convergence.Outcome.looking
      for number in 0..<50 as Range<UInt64> {
        outcome = convergence.add(D.reading("120"), verdict: D.verdict(["120"]), fingerprint: number, at: moment)
        moment &+= step
      }
      #expect(outcome == .looking)
    }
  }

  @Test("half a second has to pass, however many frames agree") func halfASecondHasToPassHoweverManyFrames() {
    var frames = Frames()
    // 49 steps of 10 ms.
    frames.add(D.reading("120"), times: 50, step: 10_000_000)
    #expect(frames.outcome == .looking)
    frames.add(D.reading("120"), step: 10_000_000)
    #expect(frames.agreed == ["120"])
  }

  @Test("a display that changes begins the count anew") func aDisplayThatChangesBeginsTheCountAnew() {
    var frames = Frames()
    frames.add(D.reading("120"), times: 5)
    frames.add(D.reading("98"), times: 5)
    #expect(frames.outcome == .looking)
    frames.add(D.reading("98"))
    #expect(frames.agreed == ["98"])
  }

  @Test("a text that comes back needs more frames, because the reader was in doubt")
  func aTextThatComesBackNeedsMoreFramesBecause() {
    var frames = Frames()
    frames.add(D.reading("120"), times: 3)
    frames.add(D.reading("128"))
    frames.add(D.reading("120"), times: 11)
    #expect(frames.outcome == .looking)
    frames.add(D.reading("120"))
    #expect(frames.agreed == ["120"])
  }

  @Test("a reader that goes back and forth is never believed") func aReaderThatGoesBackAndForthIsNever() {
    var frames = Frames()
    for _ in 0..<70 {
      frames.add(D.reading("120"), times: 2)
      frames.add(D.reading("128"), times: 2)
    }
    #expect(frames.outcome == .looking)
    frames.add(D.reading("120"), times: 25)
    #expect(frames.outcome == .noValue(.changing))
  }

  @Test("of five frames that could be seen four have to agree") func ofFiveFramesThatCouldBeSeenFourHave() {
    var often = Frames()
    for _ in 0..<40 {
      often.add(D.reading("120"), times: 2)
      often.add(D.reading("120", confidence: 0.3))
    }
    #expect(often.outcome == .looking)
    var seldom = Frames()
    for _ in 0..<3 {
      seldom.add(D.reading("120"), times: 4)
      seldom.add(D.reading("120", confidence: 0.3))
    }
    #expect(seldom.agreed == ["120"])
  }

  @Test("frames before the text was first seen do not speak against it") func framesBeforeTheTextWasFirstSeenDoNot() {
    var frames = Frames()
    frames.add(D.reading("1", confidence: 0.2), times: 60)
    frames.add(D.reading("120"), times: 6)
    #expect(frames.agreed == ["120"])
  }

  @Test(
    "frames that could not be seen neither count nor speak against", arguments: [DisplayAdvice.glare, .blur, .dark])
  func framesThatCouldNotBeSeenNeitherCountNor(_ advice: DisplayAdvice) {
    var frames = Frames()
    frames.add(D.reading("120"), times: 3)
    frames.add(D.reading("120", advice: advice), times: 50)
    #expect(frames.outcome == .looking)
    frames.add(D.reading("120"), times: 3)
    #expect(frames.agreed == ["120"])
  }

  @Test("a display outside the overlay does not count, however sure the reader is")
  func aDisplayOutsideTheOverlayDoesNotCountHowever() {
    var frames = Frames()
    frames.add(D.reading("20", advice: .align), times: 400)
    #expect(frames.outcome == .noValue(.align))
  }

  @Test("light over a row takes the frame's word, light beside it does not") func lightOverARowTakesTheFramesWordLight()
  {
    var over = Frames()
    over.add(D.reading("120", glare: [ImageBox(x: 25, y: 5, width: 10, height: 3)]), times: 100)
    #expect(over.outcome == .looking)
    #expect(over.convergence.reason == .glare)
    var beside = Frames()
    beside.add(D.reading("120", glare: [ImageBox(x: 31, y: 0, width: 10, height: 10)]), times: 6)
    #expect(beside.agreed == ["120"])
  }

  @Test("behind light three clear frames have to agree") func behindLightThreeClearFramesHaveToAgree() {
    var frames = Frames()
    frames.add(D.reading("120"), times: 5)
    frames.add(D.reading("120", advice: .glare))
    frames.add(D.reading("120"), times: 2)
    #expect(frames.outcome == .looking)
    frames.add(D.reading("120"))
    #expect(frames.agreed == ["120"])
  }

  @Test("a row that cannot be read gives nothing and holds back") func aRowThatCannotBeReadGivesNothingAnd() {
    var frames = Frames(D.pressure)
    frames.add(D.reading("120", "80", "60"), times: 5)
    frames.add(D.reading("120", "?", "60"))
    frames.add(D.reading("120", "80", "60"), times: 2)
    #expect(frames.outcome == .looking)
    frames.add(D.reading("120", "80", "60"))
    #expect(frames.agreed == ["120", "80", "60"])
    var never = Frames(D.pressure)
    never.add(D.reading("120", "80", "?"), times: 100)
    #expect(never.outcome == .looking)
  }

  @Test(
    "an empty display and a self-test begin the count anew",
    arguments: [D.reading(""), D.reading("?"), D.reading("888")])
  func anEmptyDisplayAndASelftestBeginTheCount(_ reading: DisplayReading) {
    var frames = Frames()
    frames.add(D.reading("120"), times: 5)
    frames.add(reading)
    frames.add(D.reading("120"), times: 5)
    #expect(frames.outcome == .looking)
    frames.add(D.reading("120"))
    #expect(frames.agreed == ["120"])
  }

  @Test(
    "what is no value never becomes one, and the reason is told",
    arguments: [
      (["", "", ""], NoValueReason.nothingSeen), (["888", "888", "888"], .notAValue), (["?", "?", "?"], .unreadable),
      (["80", "120", "60"], .notAValue), (["120", "", "60"], .incomplete),
    ])
  func whatIsNoValueNeverBecomesOneAndThe(_ texts: [String], _ reason: NoValueReason) {
    var frames = Frames(D.pressure)
    frames.add(D.reading(texts), times: 400)
    #expect(frames.outcome == .noValue(reason))
  }

  @Test("a value that is all eights is one when the driver says so") func aValueThatIsAllEightsIsOneWhen() {
    var frames = Frames()
    frames.add(D.reading("88"), times: 6)
    #expect(frames.agreed == ["88"])
  }

  @Test("a reading of other rows than the meter has is none") func aReadingOfOtherRowsThanTheMeterHas() {
    var frames = Frames(D.pressure)
    frames.add(D.reading("120", "80"), times: 50)
    #expect(frames.outcome == .looking)
  }

  @Test("a verdict without a record is no value") func aVerdictWithoutARecordIsNoValue() {
    var convergence = Convergence(rows: D.glucose.rows)
    for number in 0..<50 as Range<UInt64> {
      let outcome = convergence.add(
        D.reading("120"), verdict: .valid([]), fingerprint: number, at: number * 100_000_000)
      #expect(outcome == .looking)
    }
    #expect(convergence.reason == .incomplete)
  }
}
