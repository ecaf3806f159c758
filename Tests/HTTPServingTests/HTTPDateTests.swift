import Testing

@testable import HTTPServing

/// The form of dates in fields of HTTP.
@Suite struct HTTPDateTests {
  /// RFC 9110 has the first; the others are of date(1).
  @Test(
    arguments: [
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_772_323_199, "Sat, 28 Feb 2026 23:59:59 GMT"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    ] as [(Int64, String)])
  func datesHaveTheFormOfTheStandard(_ seconds: Int64, _ text: String) {
    #expect(HTTPDate(unixSeconds: seconds).text == text)
  }
}
