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

  /// What becomes of weighings in kilograms on a scale that several people share.
  static func shared(
    _ kilograms: [Double], every seconds: Int64 = 86_400, confirming: Set<Int> = []
  ) -> [HoldReason?] {
    var history = WeightHistory()
    return kilograms.enumerated().map { index, weight in
      let weighing = WeightHistory.Weighing(
        grams: Int64((weight * 1000).rounded()), microseconds: Int64(index) * seconds * 1_000_000)
      let verdict = history.takeShared(weighing)
      if confirming.contains(index) { history.confirm(weighing) }
      return verdict
    }
  }

  @Test("on a shared scale nothing is the person's before somebody has said what they weigh")
  func sharedBefore() {
    #expect(Self.shared([72, 72, 72.1]) == [.unknownOwner, .unknownOwner, .unknownOwner])
    #expect(Self.shared([72, 72.4], confirming: [0]) == [.unknownOwner, nil])
    #expect(Self.shared([4.2, 4.2], confirming: [0]) == [.unlikeWeight, .unlikeWeight])
  }

  @Test("on a shared scale nobody else moves what is known of the person, however often they stand on it")
  func sharedStrangers() {
    let weights = [72, 95, 95.2, 95.1, 72.3, 66, 66.1, 72.2]
    let expected: [HoldReason?] = [
      .unknownOwner, .unlikeWeight, .unlikeWeight, .unlikeWeight, nil, .unlikeWeight, .unlikeWeight, nil,
    ]
    #expect(Self.shared(weights, confirming: [0]) == expected)
  }

  @Test("on a shared scale somebody of nearly the same weight does not draw what is known to where they are")
  func sharedDrift() {
    let taken = Self.shared([72] + Array(repeating: 74.8, count: 3) + [77.5, 72], every: 3600, confirming: [0])
    #expect(taken == [.unknownOwner, nil, nil, nil, .unlikeWeight, nil])
    let change = Self.shared([72, 74, 77, 80], every: 86_400 * 30, confirming: [0])
    #expect(change == [.unknownOwner, nil, nil, nil], "a person changes by 0.1 kg a day")
    #expect(Self.shared([72, 80], every: 86_400 * 400, confirming: [0])[1] == .unlikeWeight, "a tenth at most")
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
