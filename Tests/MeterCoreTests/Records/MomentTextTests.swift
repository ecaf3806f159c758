import Foundation
import Testing

@testable import MeterCore

@Suite("Moments that a person writes") struct MomentTextTests {
  private let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  private func time(_ text: String, _ zone: TimeZone? = nil) throws -> RecordTime {
    try #require(MomentText(text)).time(in: zone ?? berlin, source: .user)
  }

  @Test(arguments: [
    ("1970-01-01T00:00Z", 0), ("1970-01-01T00:01:02Z", 62), ("2026-03-01T08:00+02:00", 1_772_344_800),
    ("2026-03-01T08:00-03:30", 1_772_364_600), ("2026-03-01", 1_772_319_600), ("2026-07-01T12:00", 1_782_900_000),
    ("2026-07-01 12:00", 1_782_900_000), ("2026-07-01T12:00:30", 1_782_900_030),
    // Both sides of the hour that daylight saving skips, and of the one that comes twice.
    ("2026-03-29T01:59", 1_774_745_940), ("2026-03-29T03:00", 1_774_746_000),
    ("2026-10-25T01:59", 1_792_886_340), ("2026-10-25T03:00", 1_792_893_600),
    ("2026-10-25T02:30+02:00", 1_792_888_200), ("2026-10-25T02:30+01:00", 1_792_891_800),
  ])
  func reads(text: String, seconds: Int64) throws {
    #expect(try time(text).startMicroseconds == seconds * 1_000_000)
  }

  @Test(
    "asks for the offset of a time that the zone's clocks have not shown, or have shown twice",
    arguments: [
      ("Europe/Berlin", "2026-03-29T02:30", DraftError.Code.skippedTime, ["2026-03-29T02:30+01:00"]),
      ("Europe/Berlin", "2026-03-29T02:00:00", .skippedTime, ["2026-03-29T02:00:00+01:00"]),
      (
        "Europe/Berlin", "2026-10-25T02:30", .repeatedTime, ["2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00"]
      ),
      (
        "America/New_York", "2026-11-01 01:00", .repeatedTime, ["2026-11-01T01:00-04:00", "2026-11-01T01:00-05:00"]
      ),
      // Lord Howe Island changes by half an hour.
      (
        "Australia/Lord_Howe", "2026-04-05T01:45", .repeatedTime,
        ["2026-04-05T01:45+11:00", "2026-04-05T01:45+10:30"]
      ),
      ("Australia/Lord_Howe", "2026-10-04T02:15", .skippedTime, ["2026-10-04T02:15+10:30"]),
      // A day without a midnight.
      ("America/Santiago", "2024-09-08", .skippedTime, ["2024-09-08T00:00-04:00"]),
    ] as [(String, String, DraftError.Code, [String])])
  func asks(zone: String, text: String, code: DraftError.Code, offers: [String]) throws {
    let zone = try #require(TimeZone(identifier: zone))
    let error = #expect(throws: DraftError.self) { try time(text, zone) }
    #expect(error?.code == code)
    for offer in offers {
      #expect(error?.message.contains(offer) == true, "\(error?.message ?? "")")
      // What is offered is taken.
      _ = try time(offer, zone)
    }
  }

  @Test func nowIsThisMoment() throws {
    let before = MeterStore.wallClockMicroseconds
    let read = try #require(MomentText("now"))
    #expect(!read.needsZone)
    let microseconds = try read.time(in: berlin, source: .user).startMicroseconds
    #expect((before...MeterStore.wallClockMicroseconds).contains(microseconds))
    #expect(read.text != "now", "it is another moment for each who reads it")
  }

  @Test(
    "knows how far local time is ahead: as written, or by the zone's season",
    arguments: [
      ("2026-01-15T08:00", 3600), ("2026-07-15T08:00", 7200), ("2026-07-15", 7200), ("2026-07-15T08:00Z", 7200),
      ("2026-07-15T08:00-03:30", -12_600),
    ])
  func offset(text: String, seconds: Int) throws { #expect(try time(text).utcOffsetSeconds == seconds) }

  @Test("travels as it was written", arguments: ["2026-03-01", "2026-03-01T08:00", "2026-03-01T08:00+02:00"])
  func coding(text: String) throws {
    let moment = try #require(MomentText(text))
    let sent = try JSONEncoder().encode(["time": moment])
    #expect(String(decoding: sent, as: UTF8.self) == #"{"time":"\#(text)"}"#)
    #expect(try JSONDecoder().decode([String: MomentText].self, from: sent) == ["time": moment])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([String: MomentText].self, from: Data(#"{"time":"soon"}"#.utf8))
    }
  }

  @Test(arguments: [
    "", "2026", "2026-3-1", "2026-13-01", "2026-02-29", "0000-01-01", "2026-03-01T", "2026-03-01T24:00",
    "2026-03-01T8:00",
    "2026-03-01T08:60", "2026-03-01T08:00:61", "2026-03-01T08:00z", "2026-03-01T08:00+2", "2026-03-01T08:00+19:00",
    "yesterday", "２０２６-03-01", "2026-03-01T08:00:00:00", "-026-03-01", "Now", "now ",
  ])
  func refuses(text: String) { #expect(MomentText(text) == nil) }
}
