import Foundation
import TestSupport
import Testing

@testable import MeterGateway

@Suite struct CivilTimestampTests {
  private static func calendar() throws -> Calendar {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    return calendar
  }

  /// Years 1600 to 9999: Foundation's ISO 8601 calendar is proleptic Gregorian there.
  @Test func agreesWithFoundation() throws {
    let calendar = try Self.calendar()
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      let seconds = Int64.random(in: -11_676_096_000...253_402_300_799, using: &generator)
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(seconds)))
      let expected = String(
        format: "%04d-%02d-%02dT%02d:%02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0, parts.hour ?? 0,
        parts.minute ?? 0, parts.second ?? 0)
      #expect(CivilTimestamp(microseconds: seconds * 1_000_000).text == expected)
    }
  }

  @Test func roundTripsToTheMicrosecond() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<5_000 {
      let moment = Int64.random(in: -11_676_096_000_000_000...253_402_300_799_999_999, using: &generator)
      let text = CivilTimestamp(microseconds: moment).text + "Z"
      #expect(CivilTimestamp.microseconds(ofUTC: text) == moment, "\(text)")
    }
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00"), (-1, "1969-12-31T23:59:59.999999"), (951_782_400_000_000, "2000-02-29T00:00:00"),
    (1_537_396_027_000_000, "2018-09-19T22:27:07"), (1, "1970-01-01T00:00:00.000001"),
  ])
  func knownMoments(microseconds: Int64, text: String) {
    #expect(CivilTimestamp(microseconds: microseconds).text == text)
  }

  /// Neither a random text nor a spoilt one is anything but a moment that prints as itself, or none.
  @Test func spoiltTextsAreNoOtherMoment() {
    var generator = SeededGenerator(seed: 13)
    for _ in 0..<20_000 {
      var bytes = Array("2018-09-19T22:27:07.123456Z".utf8)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0x20...0x7E, using: &generator)
      }
      let text = String(decoding: bytes, as: UTF8.self)
      guard let moment = CivilTimestamp.microseconds(ofUTC: text) else { continue }
      let plain = text.hasSuffix(".000000Z") ? text.replacing(".000000Z", with: "Z") : text
      #expect(CivilTimestamp(microseconds: moment).text + "Z" == plain)
    }
  }

  @Test func everyIntegerHasAText() {
    #expect(!CivilTimestamp(microseconds: .max).text.isEmpty)
    #expect(CivilTimestamp(microseconds: .min).text.hasPrefix("-"))
  }

  @Test(arguments: [
    (0, "+00:00"), (19_800, "+05:30"), (-25_200, "-07:00"), (-900, "-00:15"), (Int32.min, "-596523:14"),
  ])
  func offsets(seconds: Int32, text: String) {
    #expect(CivilTimestamp.offset(seconds) == text)
  }

  @Test(arguments: [
    "", "Z", "2018-09-19", "2018-09-19T22:27:07", "2018-09-19T22:27:07+00:00", "2018-13-19T22:27:07Z", "yesterdayZ",
    "2018-09-19T25:27:07Z", "2018-02-30T00:00:00Z", "2018-09-19T22:27:07.Z", "2018-09-19T22:27:07ZZ",
    "2019-02-29T00:00:00Z", "2018-00-10T00:00:00Z", "2018-09-00T00:00:00Z", "2018-09-19T22:27:60Z",
    "２018-09-19T22:27:07Z",
  ])
  func anythingElseIsNoMoment(text: String) {
    #expect(CivilTimestamp.microseconds(ofUTC: text) == nil)
  }
}
