import Testing

@testable import MeterConformance

/// What is said of readings that a broken link has cost.
@Suite struct DropMatrixTests {
  private let weight = "body_weight 71.5 kg at 1583830800"

  @Test func oneOfTwoEqualReadingsIsMissed() {
    #expect(DropMatrix.difference(from: [weight: 2], to: [weight: 1]) == "a reading is lost: \(weight)")
    #expect(DropMatrix.difference(from: [weight: 2], to: [:]) == "a reading is lost: \(weight)")
    #expect(DropMatrix.difference(from: [weight: 2], to: [weight: 3]) == "a reading came twice: \(weight)")
    #expect(DropMatrix.difference(from: [weight: 2], to: [weight: 2]) == nil)
  }

  @Test func aReadingThatTheMeterNeverSentIsNoSecondOne() {
    let words = DropMatrix.difference(from: [weight: 1], to: [weight: 1, "body_weight 1 kg": 1])
    #expect(words == "a reading came that the meter never sent: body_weight 1 kg")
  }
}
