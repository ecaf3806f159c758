import DriverContract
import Foundation
import MeterOCR
import TestSupport
import Testing

/// Every short sequence of frames, and long ones by chance: whatever comes, a result is only ever what enough frames that
/// differ have shown, and what nearly all have shown since it first appeared.
@Suite struct ConvergenceModelTests {
  typealias D = Displays

  /// Simulated sequences take long in a debug build; the nightly run has more of them.
  private static let isNightly = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1"

  private enum Kind: CaseIterable {
    case one, other, unsure, glare, empty, repeated

    var reading: DisplayReading {
      switch self {
      case .one, .repeated: D.reading("120")
      case .other: D.reading("98")
      case .unsure: D.reading("120", confidence: 0.4)
      case .glare: D.reading("120", advice: .glare)
      case .empty: D.reading("")
      }
    }
  }

  private static var small: ConvergenceRules {
    var rules = ConvergenceRules()
    rules.agreeing = 2
    rules.clearFrames = 2
    rules.minimumTime = 100_000_000
    return rules
  }

  /// What may be believed, said in another way than the machine says it.
  private func mayAgree(_ kinds: ArraySlice<Kind>, _ value: Kind) -> Bool {
    let seen = kinds.filter { $0 != .repeated }
    guard let first = seen.firstIndex(of: value) else { return false }
    let since = seen[first...].filter { $0 != .glare && $0 != .empty }
    let agreeing = since.count { $0 == value }
    let other: Kind = value == .one ? .other : .one
    let run = seen.reversed().prefix { $0 != other && $0 != .empty }.count { $0 == value }
    let needed = since.contains(other) ? 4 : 2
    return run >= needed && agreeing * 5 >= since.count * 4
      && seen.reversed().prefix { $0 != .glare }.count { $0 == value } >= 2
  }

  @Test("every short sequence of frames") func everyShortSequenceOfFrames() {
    let kinds = Kind.allCases
    let length = Self.isNightly ? 6 : 5
    let sequences = (0..<length).reduce(1) { count, _ in count * kinds.count }
    var agreed = 0
    for code in 0..<sequences {
      var frames = Frames(D.glucose, Self.small)
      var sequence: [Kind] = []
      var rest = code
      for _ in 0..<length {
        let kind = kinds[rest % kinds.count]
        rest /= kinds.count
        // Nothing can be repeated before there was something.
        guard kind != .repeated || !sequence.isEmpty else { break }
        sequence.append(kind)
        frames.add(kind.reading, repeated: kind == .repeated)
        guard let texts = frames.agreed else { continue }
        agreed += 1
        if !mayAgree(sequence[...], texts == ["120"] ? .one : .other) || (texts != ["120"] && texts != ["98"]) {
          Issue.record("\(sequence) was believed to be \(texts)")
        }
        break
      }
    }
    // The property means nothing unless sequences are believed.
    #expect(agreed > sequences / 50)
  }

  @Test("what is agreed was shown for certain by enough frames that differ", arguments: 0..<8 as Range<UInt64>)
  func whatIsAgreedWasShownByEnoughFramesThat(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var agreed = 0
    let runs = Self.isNightly ? 500 : 20
    for _ in 0..<runs {
      var frames = Frames()
      var prints: [String: Set<UInt64>] = [:]
      let truth = Double.random(in: 0...1, using: &random)
      for _ in 0..<120 {
        let text =
          Double.random(in: 0..<1, using: &random) < truth
          ? "120"
          : ["98", "128", "20", "999", "5.6", ""][
            Int.random(in: 0..<6, using: &random)]
        let confidence = Double.random(in: 0..<1, using: &random) < truth ? 0.95 : 0.6
        let repeated = frames.fingerprint > 0 && Int.random(in: 0..<8, using: &random) == 0
        frames.add(
          D.reading(text, confidence: confidence), step: UInt64.random(in: 1...200_000_000, using: &random),
          repeated: repeated)
        if confidence > 0.85 { prints[text, default: []].insert(frames.fingerprint) }
        if frames.outcome != .looking { break }
      }
      guard let text = frames.agreed?.first else { continue }
      agreed += 1
      #expect((prints[text]?.count ?? 0) >= 6)
    }
    #expect(agreed > 0)
  }

  /// A reader that errs by chance: frames are wrong independently, for certain, and always in the same way, which is the
  /// worst that chance can do.
  private func wrongResults(_ probability: Double, runs: Int, wrong: [String]) -> (wrong: Int, right: Int) {
    var random = SeededGenerator(seed: UInt64(probability * 1000) + UInt64(wrong.count))
    var results = (wrong: 0, right: 0)
    for _ in 0..<runs {
      var frames = Frames()
      for _ in 0..<60 where frames.outcome == .looking {
        let errs = Double.random(in: 0..<1, using: &random) < probability
        let text = errs ? wrong[Int.random(in: 0..<wrong.count, using: &random)] : "120"
        frames.add(D.reading(text))
      }
      guard let text = frames.agreed else { continue }
      if text == ["120"] { results.right += 1 } else { results.wrong += 1 }
    }
    return results
  }

  @Test("a reader that errs by chance is never believed wrongly", arguments: [0.01, 0.05, 0.1])
  func aReaderThatErrsByChanceIsNeverBelieved(_ probability: Double) {
    let results = wrongResults(probability, runs: Self.isNightly ? 5000 : 300, wrong: ["128"])
    #expect(results.wrong == 0)
    #expect(results.right > (Self.isNightly ? 4000 : 240))
  }

  @Test("a reader that errs in three ways every third time is hardly ever believed wrongly")
  func aReaderThatErrsInThreeWaysEveryThird() {
    // Once one of the three was seen, five more have to follow at once: 3 * (1/9)^5 at most, which is 1 in 20,000.
    #expect(wrongResults(0.33, runs: Self.isNightly ? 1000 : 200, wrong: ["128", "20", "126"]).wrong <= 1)
  }

  @Test("a reader that is seldom sure and then errs half of the time is hardly ever believed")
  func aReaderThatIsSeldomSureAndThenErrs() {
    var random = SeededGenerator(seed: 5)
    var wrong = 0
    for _ in 0..<(Self.isNightly ? 600 : 100) {
      var frames = Frames()
      for _ in 0..<100 where frames.outcome == .looking {
        let isSure = Double.random(in: 0..<1, using: &random) < 0.4
        let text = Bool.random(using: &random) ? "120" : "128"
        frames.add(D.reading(text, confidence: isSure ? 0.95 : 0.5))
      }
      if frames.agreed == ["128"] { wrong += 1 }
    }
    #expect(wrong <= 1)
  }
}
