import Testing

@testable import MeterHealth

@Suite("What is remembered of a record's content")
struct TracedContentTests {
  @Test("is read back as it was written")
  func stored() throws {
    var content = TracedContent(
      [
        HealthMetric("steps", HealthDecimal(1100), "{count}"),
        HealthMetric("avg_heart_rate", HealthDecimal(72), "/min"),
        HealthMetric("bmi", HealthDecimal(mantissa: 2312, places: 2), "kg/m2"),
      ], merged: ["steps"], rest: TracedContent.digest(["a", "b"]))
    content.isOfPieces = true
    #expect(TracedContent(stored: content.stored) == content)
    #expect(TracedContent(stored: TracedContent().stored) == TracedContent())
  }

  @Test("text that nothing has written is none", arguments: ["", "|", "a|b", "steps=1||", "steps=1,99,x||", "=|||"])
  func foreign(_ text: String) { #expect(TracedContent(stored: text) == nil) }

  @Test(
    "is the same up to the sixth digit, and a changed last place of a measurement is not",
    arguments: [
      ("81.6466", "81.64663", true), ("81.64", "81.65", false), ("1000", "1001", false),
      ("2000.123", "2000.124", true), ("98.6", "98.7", false), ("5.512", "5.513", false),
    ])
  func near(_ first: String, _ second: String, _ isSame: Bool) {
    func content(_ text: String) -> TracedContent {
      let number = Export.number(text)
      return TracedContent([HealthMetric("x", number.rounded(places: 9) ?? HealthDecimal(0), "1", exact: number)])
    }
    #expect(content(first).isNearly(content(second)) == isSame)
    #expect(content(second).isNearly(content(first)) == isSame)
  }

  @Test("A sum is rounded to thousandths: one of them is no difference, two are")
  func sums() {
    func content(_ thousandths: Int64) -> TracedContent {
      TracedContent([HealthMetric("x", HealthDecimal(mantissa: thousandths, places: 3), "m")])
    }
    #expect(content(5_001).isNearly(content(5_002)) && !content(5_001).isNearly(content(5_003)))
  }
}
