import DriverContract
import MeterOCR
import Testing

/// Rows that blink or may be missing, other meters and units, and the end of patience.
@Suite struct ConvergenceRowTests {
  typealias D = Displays
  private static let three: [DisplayRole] = [.systolic, .diastolic, .pulse]

  @Test("a row that may be missing is believed to be missing") func aRowThatMayBeMissingIsBelievedTo() {
    var frames = Frames(D.layout(Self.three, optional: [2]))
    frames.add(D.reading("120", "80", ""), times: 6)
    #expect(frames.agreed == ["120", "80", ""])
  }

  @Test("with and without a row are two displays") func withAndWithoutARowAreTwoDisplays() {
    var frames = Frames(D.layout(Self.three, optional: [2]))
    for _ in 0..<30 {
      frames.add(D.reading("120", "80", ""), times: 2)
      frames.add(D.reading("120", "80", "60"), times: 2)
    }
    #expect(frames.outcome == .looking)
  }

  @Test("a row that blinks counts while it is lit") func aRowThatBlinksCountsWhileItIsLit() {
    var frames = Frames(D.layout(Self.three, optional: [2], blinking: [2]))
    for _ in 0..<2 {
      frames.add(D.reading("120", "80", "60"), times: 2)
      frames.add(D.reading("120", "80", ""), times: 5)
    }
    #expect(frames.outcome == .looking)
    frames.add(D.reading("120", "80", "60"), times: 2)
    #expect(frames.agreed == ["120", "80", "60"])
  }

  @Test("a row that blinks is not believed to be missing while it is dark") func aRowThatBlinksIsNotBelievedToBe() {
    var frames = Frames(D.layout(Self.three, optional: [2], blinking: [2]))
    frames.add(D.reading("120", "80", ""), times: 20)
    #expect(frames.outcome == .looking)
    frames.add(D.reading("120", "80", ""))
    #expect(frames.agreed == ["120", "80", ""])
  }

  @Test("what was dark does not speak against what is lit") func whatWasDarkDoesNotSpeakAgainstWhatIs() {
    var frames = Frames(D.layout(Self.three, optional: [2], blinking: [2]))
    frames.add(D.reading("120", "80", ""), times: 10)
    frames.add(D.reading("120", "80", "60"), times: 6)
    #expect(frames.agreed == ["120", "80", "60"])
  }

  @Test("a display that blinks as a whole is not begun anew") func aDisplayThatBlinksAsAWholeIsNot() {
    var frames = Frames(D.layout([.value], blinking: [0]))
    for _ in 0..<3 {
      frames.add(D.reading("120"), times: 2)
      frames.add(D.reading(""), times: 2)
    }
    #expect(frames.agreed == ["120"])
  }

  @Test("a row that was missed in passing is the reader's doubt") func aRowThatWasMissedInPassingIsThe() {
    var frames = Frames(D.pressure)
    frames.add(D.reading("120", "80", "60"), times: 5)
    frames.add(D.reading("120", "", "60"))
    frames.add(D.reading("120", "80", "60"))
    #expect(frames.agreed == ["120", "80", "60"])
  }

  @Test("a monitor that begins to pump begins the count anew") func aMonitorThatBeginsToPumpBeginsTheCount() {
    var frames = Frames(D.pressure)
    frames.add(D.reading("120", "80", "60"), times: 5)
    frames.add(D.reading("30", "", ""))
    frames.add(D.reading("120", "80", "60"), times: 6)
    #expect(frames.outcome == .looking)
  }

  @Test("another meter is told after four frames, and is the result when it stays")
  func anotherMeterIsToldAfterFourFramesAndIs() {
    var frames = Frames()
    let outcomes = frames.add(D.reading("999"), times: 32)
    #expect(outcomes[2] == .looking)
    #expect(outcomes[3] == .wrongMeter)
    #expect(outcomes[29] == .wrongMeter)
    #expect(outcomes[30] == .noValue(.wrongMeter))
    #expect(outcomes[31] == .noValue(.wrongMeter))
  }

  @Test("another unit is told, and is the result when it stays") func anotherUnitIsToldAndIsTheResultWhen() {
    var frames = Frames()
    let outcomes = frames.add(D.reading("5.6"), times: 31)
    #expect(outcomes[3] == .otherUnit)
    #expect(outcomes[30] == .noValue(.otherUnit))
  }

  @Test("one value of the right meter takes the objection back", arguments: ["999", "5.6"])
  func oneValueOfTheRightMeterTakesTheObjection(_ text: String) {
    var frames = Frames()
    frames.add(D.reading(text), times: 29)
    frames.add(D.reading("120"))
    frames.add(D.reading(text), times: 3)
    #expect(frames.outcome == .looking)
  }

  @Test("a wrong meter that the reader is not sure of is not told") func aWrongMeterThatTheReaderIsNotSure() {
    var frames = Frames()
    frames.add(D.reading("999", confidence: 0.5), times: 100)
    #expect(frames.outcome == .looking)
  }

  @Test("thirty seconds are the end") func thirtySecondsAreTheEnd() {
    var frames = Frames()
    frames.add(D.reading("", advice: .dark), times: 300)
    #expect(frames.outcome == .looking)
    frames.add(D.reading("", advice: .dark))
    #expect(frames.outcome == .noValue(.dark))
    frames.add(D.reading("120"), times: 20)
    #expect(frames.outcome == .noValue(.dark))
  }

  @Test(
    "the reason is what was seen most",
    arguments: [
      (D.reading("120", advice: .glare), NoValueReason.glare), (D.reading("120", advice: .blur), .blur),
      (D.reading("120", advice: .align), .align), (D.reading("120", advice: .dark), .dark),
      (D.reading("?"), .unreadable), (D.reading(""), .nothingSeen), (D.reading("120", confidence: 0.1), .unsure),
      (D.reading("999"), .wrongMeter), (D.reading("5.6"), .otherUnit), (D.reading("3"), .notAValue),
    ])
  func theReasonIsWhatWasSeenMost(_ reading: DisplayReading, _ reason: NoValueReason) {
    var rules = ConvergenceRules()
    rules.persistence = .max
    var frames = Frames(D.glucose, rules)
    frames.add(D.reading(""), times: 20)
    frames.add(D.reading("4", confidence: 0.2), times: 20)
    frames.add(reading, times: 261)
    #expect(frames.outcome == .noValue(reason))
  }

  @Test("without frames the reason is that there were none") func withoutFramesTheReasonIsThatThereWereNone() {
    #expect(Convergence(rows: D.glucose.rows).reason == .noFrames)
    var frames = Frames()
    frames.add(D.reading("120"), times: 2)
    #expect(frames.convergence.reason == .tooFewFrames)
  }

  @Test("every reason has words of its own") func everyReasonHasWordsOfItsOwn() {
    #expect(Set(NoValueReason.allCases.map(\.message)).count == NoValueReason.allCases.count)
  }
}
