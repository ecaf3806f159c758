import Testing

@testable import MeterCore

@Suite("What a person weighs", .timeLimit(.minutes(60)))
struct WeightHistoryTests {
  /// Takes weighings in kilograms, a day apart.
  static func verdicts(_ kilograms: [Double], every seconds: Int64 = 86_400, confirming: Set<Int> = []) -> [Bool] {
    var history = WeightHistory()
    return kilograms.enumerated().map { index, weight in
      let weighing = WeightHistory.Weighing(
        grams: Int64(weight * 1000), microseconds: Int64(index) * seconds * 1_000_000)
      let verdict = history.take(weighing)
      if confirming.contains(index) { history.confirm(weighing) }
      return verdict
    }
  }

  @Test(
    "a weight that cannot be this person's waits, and two that agree or one confirmation move what is known",
    arguments: [
      // A thing, right after a person.
      ([72.45, 2.55], [true, false]),
      // A first weight is never the measure of all others.
      ([20, 72, 72.4, 71.9, 20], [true, false, true, true, false]),
      ([72, 95, 72.3, 95.2, 72.1], [true, false, true, false, true]),
      // Somebody has become heavier: the second time it is believed.
      ([72, 72.5, 90, 90.4, 90.1], [true, true, false, true, true]),
      // Children grow, adults change from day to day.
      ([15, 15.4, 16, 17.2], [true, true, true, true]),
      ([80, 78, 81, 79.5, 84], [true, true, true, true, true]),
      // Nobody so light steps on a scale, however often.
      ([4.2, 4.2, 4.2], [false, false, false]),
    ])
  func verdicts(weights: [Double], expected: [Bool]) {
    #expect(Self.verdicts(weights) == expected)
  }

  @Test("what nobody weighs teaches nothing, whoever says it")
  func entered() {
    #expect(Self.verdicts([72, 72.1, 4, 72.2], confirming: [2]) == [true, true, false, true])
  }

  @Test("one confirmation moves what is known")
  func confirmation() {
    #expect(Self.verdicts([72, 72.2, 95, 95.1, 72], confirming: [2]) == [true, true, false, true, false])
  }

  @Test("what a person gains in a year is no stranger's weight, and in a minute it is")
  func time() {
    #expect(Self.verdicts([72, 72, 84], every: 86_400 * 180) == [true, true, true])
    #expect(Self.verdicts([72, 72, 84], every: 60) == [true, true, false])
  }
}
