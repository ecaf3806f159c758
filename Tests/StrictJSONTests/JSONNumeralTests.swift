import StrictJSON
import Testing

@Suite("How a number is written")
struct JSONNumeralTests {
  @Test(
    "is bounded where every reader takes it for the same value",
    arguments: [
      "0", "-0", "112", "6.20", "1e2", "1E+99", "1e-99", "0e0", "5.3999999999999995", "-1.5e0099",
      String(repeating: "9", count: JSONNumeral.greatestLength),
    ])
  func bounded(numeral: String) throws {
    #expect(JSONNumeral.isBounded(numeral))
    #expect(try #require(Double(numeral)).isFinite)
  }

  @Test(
    "is not with an exponent that nobody writes out, or without end",
    arguments: [
      "-1e-400", "0e999999999", "0e-999999999", "1e100", "1e-100", "1E+0100", "0.0e18446744073709551617",
      String(repeating: "9", count: JSONNumeral.greatestLength + 1),
    ])
  func absurd(numeral: String) { #expect(!JSONNumeral.isBounded(numeral)) }

  @Test("within the bounds no number vanishes that is none")
  func vanishes() throws {
    let smallest = "-0.\(String(repeating: "0", count: JSONNumeral.greatestLength - 8))1e-99"
    #expect(JSONNumeral.isBounded(smallest))
    #expect(try #require(Double(smallest)) < 0)
  }

  @Test(
    "a zero has no sign",
    arguments: [
      ("-0", "0"), ("-0.00", "0.00"), ("-0e5", "0e5"), ("-0.0E-1", "0.0E-1"), ("-0.01", "-0.01"), ("-1e0", "-1e0"),
      ("0", "0"),
      ("-10", "-10"),
    ])
  func sign(numeral: String, written: String) { #expect(JSONNumeral.withoutSignOfZero(numeral) == written) }
}
