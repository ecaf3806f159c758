import Foundation
import Testing

@testable import MeterGateway

@Suite struct MomentTextTests {
  private let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  @Test(arguments: [
    ("1970-01-01T00:00Z", 0), ("1970-01-01T00:01:02Z", 62), ("2026-03-01T08:00+02:00", 1_772_344_800),
    ("2026-03-01T08:00-03:30", 1_772_364_600), ("2026-03-01", 1_772_319_600), ("2026-07-01T12:00", 1_782_900_000),
    // The hour that daylight saving skips, and the first of the hour that comes twice.
    ("2026-03-29T02:30", 1_774_747_800), ("2026-10-25T02:30", 1_792_888_200),
  ])
  func reads(text: String, seconds: Int64) {
    #expect(MomentText(text, zone: berlin)?.microseconds == seconds * 1_000_000)
  }

  @Test func nowIsThisMoment() throws {
    let before = MomentText.now.microseconds
    let read = try #require(MomentText("now", zone: berlin))
    #expect((before...MomentText.now.microseconds).contains(read.microseconds))
  }

  @Test(
    "knows how far local time is ahead: as written, or by the zone's season",
    arguments: [
      ("2026-01-15T08:00", 3600), ("2026-07-15T08:00", 7200), ("2026-07-15", 7200), ("2026-07-15T08:00Z", 7200),
      ("2026-07-15T08:00-03:30", -12_600),
    ])
  func offset(text: String, seconds: Int) { #expect(MomentText(text, zone: berlin)?.utcOffsetSeconds == seconds) }

  @Test(arguments: [
    "", "2026", "2026-3-1", "2026-13-01", "2026-02-29", "0000-01-01", "2026-03-01T", "2026-03-01T24:00",
    "2026-03-01T8:00",
    "2026-03-01T08:60", "2026-03-01T08:00:61", "2026-03-01T08:00z", "2026-03-01T08:00+2", "2026-03-01T08:00+19:00",
    "2026-03-01 08:00", "yesterday", "２０２６-03-01", "2026-03-01T08:00:00:00", "-026-03-01",
  ])
  func refuses(text: String) { #expect(MomentText(text, zone: berlin) == nil) }
}
