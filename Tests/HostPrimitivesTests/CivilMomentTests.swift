import Foundation
import HostPrimitives
import TestSupport
import Testing

@Suite("Dates and times of day")
struct CivilMomentTests {
  private static func calendar() throws -> Calendar {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    return calendar
  }

  /// Years 1600 to 9999: Foundation's ISO 8601 calendar is proleptic Gregorian there.
  @Test("agrees with the system's calendar") func agreesWithFoundation() throws {
    let calendar = try Self.calendar()
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      let seconds = Int64.random(in: -11_676_096_000...253_402_300_799, using: &generator)
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(seconds)))
      let expected = String(
        format: "%04d-%02d-%02dT%02d:%02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0, parts.hour ?? 0,
        parts.minute ?? 0, parts.second ?? 0)
      #expect(CivilMoment(microseconds: seconds * 1_000_000).text(.millionths) == expected)
    }
  }

  @Test("what was written reads as the same microsecond") func roundTripsToTheMicrosecond() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<5_000 {
      let moment = Int64.random(in: -11_676_096_000_000_000...253_402_300_799_999_999, using: &generator)
      let text = CivilMoment(microseconds: moment).text(.millionths) + "Z"
      #expect(WrittenTime(text)?.utcMicroseconds == moment, "\(text)")
    }
  }

  @Test(
    "moments that people know",
    arguments: [
      (0, "1970-01-01T00:00:00"), (-1, "1969-12-31T23:59:59.999999"), (951_782_400_000_000, "2000-02-29T00:00:00"),
      (1_537_396_027_000_000, "2018-09-19T22:27:07"), (1, "1970-01-01T00:00:00.000001"),
    ])
  func knownMoments(microseconds: Int64, text: String) {
    #expect(CivilMoment(microseconds: microseconds).text(.millionths) == text)
  }

  /// Neither a random text nor a spoilt one is anything but a moment that prints as itself, or none.
  @Test("a spoilt text is itself or nothing") func spoiltTextsAreNoOtherMoment() {
    var generator = SeededGenerator(seed: 13)
    for _ in 0..<20_000 {
      var bytes = Array("2018-09-19T22:27:07.123456Z".utf8)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0x20...0x7E, using: &generator)
      }
      let text = String(decoding: bytes, as: UTF8.self)
      guard let time = WrittenTime(text), !time.hasBlank, let moment = time.utcMicroseconds else { continue }
      let plain = text.hasSuffix(".000000Z") ? text.replacing(".000000Z", with: "Z") : text
      #expect(CivilMoment(microseconds: moment).text(.millionths) + "Z" == plain)
    }
  }

  @Test("every integer has a text") func everyIntegerHasAText() {
    #expect(!CivilMoment(microseconds: .max).text(.millionths).isEmpty)
    #expect(CivilMoment(microseconds: .min).text(.millionths).hasPrefix("-"))
  }

  @Test(
    "an offset has hours and minutes",
    arguments: [
      (0, "+00:00"), (19_800, "+05:30"), (-25_200, "-07:00"), (-900, "-00:15"), (-2_147_483_648, "-596523:14"),
    ])
  func offsets(seconds: Int, text: String) {
    #expect(CivilMoment.offset(seconds) == text)
  }

  @Test(
    "a fraction is written as its format has it",
    arguments: [
      (0, "1970-01-01T00:00:00", "1970-01-01T00:00:00.000", "1970-01-01T00:00:00", "1970-01-01T00:00:00"),
      (
        1_500_000, "1970-01-01T00:00:01", "1970-01-01T00:00:01.500", "1970-01-01T00:00:01.500000",
        "1970-01-01T00:00:01.5"
      ),
      (
        -1, "1969-12-31T23:59:59", "1969-12-31T23:59:59.999", "1969-12-31T23:59:59.999999",
        "1969-12-31T23:59:59.999999"
      ),
    ])
  func fractions(microseconds: Int64, none: String, thousandths: String, millionths: String, shortest: String) {
    let moment = CivilMoment(microseconds: microseconds)
    #expect(moment.text(.none) == none)
    #expect(moment.text(.thousandths) == thousandths)
    #expect(moment.text(.millionths) == millionths)
    #expect(moment.text(.shortest) == shortest)
  }

  @Test("milliseconds are the same moment")
  func milliseconds() {
    #expect(CivilMoment(milliseconds: -1).text(.shortest) == "1969-12-31T23:59:59.999")
    #expect(!CivilMoment(milliseconds: .max).text(.shortest).isEmpty)
  }
}

@Suite("Written times")
struct WrittenTimeTests {
  @Test("what stands in the text is told apart")
  func parts() throws {
    let short = try #require(WrittenTime("2026-03-29 02:30"))
    #expect(short.hasBlank && !short.hasSeconds && short.offset == nil && short.utcMicroseconds == nil)
    let long = try #require(WrittenTime("2026-03-29T02:30:00.1234567+01:00"))
    #expect(!long.hasBlank && long.hasSeconds && long.fractionDigits == 7 && long.offset == .seconds(3600))
    #expect(long.utcMicroseconds == long.civilMicroseconds - 3_600_000_000)
    #expect(CivilMoment(microseconds: long.civilMicroseconds).text(.shortest) == "2026-03-29T02:30:00.123456")
    #expect(WrittenTime("2026-03-29T02:30:00Z")?.offset == .utc)
  }

  @Test(
    "anything else is no time",
    arguments: [
      "", "Z", "2018-09-19", "2018-13-19T22:27:07Z", "yesterdayZ", "2018-09-19T25:27:07Z", "2018-02-30T00:00:00Z",
      "2018-09-19T22:27:07.Z", "2018-09-19T22:27:07ZZ", "2019-02-29T00:00:00Z", "2018-00-10T00:00:00Z",
      "2018-09-00T00:00:00Z", "2018-09-19T22:27:60Z", "２018-09-19T22:27:07Z", "2018-09-19T22:27:07.1234567890Z",
      "2018-09-19T22:27:07+18:01", "2018-09-19T22:27:07+1:00", "2018-09-19t22:27:07z", "2018-09-19T22:27:",
      "2018-09-19T22:27:07+02:60",
    ])
  func refused(text: String) {
    #expect(WrittenTime(text) == nil)
  }
}

@Suite("HTTP dates")
struct HTTPDateTests {
  @Test("an IMF-fixdate is a number of seconds")
  func reads() {
    #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(HTTPDate.seconds("Thu, 29 Feb 2024 00:00:00 GMT") == 1_709_164_800)
  }

  @Test(
    "anything else is none",
    arguments: [
      "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 99 Nov 1994 08:49:37 GMT",
      "Thu, 29 Feb 2023 00:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
    ])
  func refuses(text: String) {
    #expect(HTTPDate.seconds(text) == nil)
  }
}
