import Foundation
import HostPrimitives
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import InformSink

@Suite("Times of records")
struct RecordTimeTests {
  static func zone(_ name: String) throws -> TimeZone { try #require(TimeZone(identifier: name)) }

  @Test(
    "on a clock follow the zone's rules through both changes",
    arguments: [
      // 2026-03-29 in Berlin: 02:00 becomes 03:00.
      ("Europe/Berlin", "2026-03-29T01:59:59", "2026-03-29T00:59:59Z", 3600),
      ("Europe/Berlin", "2026-03-29T03:00:00", "2026-03-29T01:00:00Z", 7200),
      // 2026-10-25: 03:00 becomes 02:00.
      ("Europe/Berlin", "2026-10-25T01:59:59", "2026-10-24T23:59:59Z", 7200),
      ("Europe/Berlin", "2026-10-25T03:00:00", "2026-10-25T02:00:00Z", 3600),
      ("America/New_York", "2026-03-08T03:00", "2026-03-08T07:00:00Z", -14_400),
      ("America/New_York", "2026-11-01T02:00", "2026-11-01T07:00:00Z", -18_000),
      // Lord Howe Island changes by half an hour.
      ("Australia/Lord_Howe", "2026-04-05T01:29", "2026-04-04T14:29:00Z", 39_600),
      ("Asia/Kathmandu", "2026-07-01 12:00", "2026-07-01T06:15:00Z", 20_700),
    ])
  func clock(zone: String, written: String, utc: String, offset: Int) throws {
    let time = try RecordTime.written(written, zone: Self.zone(zone), source: .user)
    #expect(UTCText.string(time.startMicroseconds) == utc)
    #expect(time.utcOffsetSeconds == offset)
    #expect(time.zoneSource == .user && time.kind == .civil)
  }

  @Test("across a change have the length that they had")
  func night() throws {
    for (end, seconds) in [("2026-03-29T07:00:00", 28_800), ("2026-03-29T07:00:00Z", 36_000)] as [(String, Int64)] {
      let time = try RecordTime.written("2026-03-28T22:00:00", to: end, zone: Fixture.berlin, source: .gateway)
      #expect(time.endMicroseconds - time.startMicroseconds == seconds * 1_000_000)
      #expect(time.utcOffsetSeconds == 3600 && time.zoneSource == .gateway)
    }
  }

  @Test("that a clock has not shown, or has shown twice, are asked about, wherever they stand")
  func gaps() throws {
    for (start, end, code) in [
      ("2026-03-29T02:30", nil, DraftError.Code.skippedTime), ("2026-03-28T22:00", "2026-03-29T02:59", .skippedTime),
      ("2026-10-25T02:00", nil, .repeatedTime), ("2026-10-24T22:00", "2026-10-25T02:59:59.5", .repeatedTime),
    ] {
      let error = #expect(throws: DraftError.self) {
        try RecordTime.written(start, to: end, zone: Fixture.berlin, source: .user)
      }
      #expect(error?.code == code && error?.message.contains("Europe/Berlin") == true)
    }
  }

  @Test("have an end by the rule of its own moment")
  func ends() throws {
    let start = try #require(WrittenTime("2026-10-24T23:00:00")).civilMicroseconds
    let end = try #require(WrittenTime("2026-10-25T07:00:00")).civilMicroseconds
    let night = RecordTime.local(start, to: end, zone: Fixture.berlin, source: .user)
    #expect(night.endMicroseconds - night.startMicroseconds == 9 * 3_600_000_000)
    #expect(night.civilMicroseconds == start && night.utcOffsetSeconds == 7200)
    let fixed = RecordTime.local(start, to: end, offsetSeconds: 7200, source: .user)
    #expect(fixed.endMicroseconds - fixed.startMicroseconds == 8 * 3_600_000_000)
    #expect(fixed.startMicroseconds == night.startMicroseconds && fixed.kind == .civilWithOffset)
  }

  @Test("with an offset or in UTC are what they say, and tell both hours of autumn apart")
  func offsets() throws {
    let summer = try RecordTime.written("2026-10-25T02:30:00+02:00", zone: .gmt, source: .user)
    let winter = try RecordTime.written("2026-10-25T02:30:00+01:00", zone: .gmt, source: .user)
    #expect(winter.startMicroseconds - summer.startMicroseconds == 3_600_000_000)
    #expect(winter.kind == .civilWithOffset && winter.utcOffsetSeconds == 3600)
    let utc = try RecordTime.written("2026-10-25T00:30:00.250Z", zone: Fixture.berlin, source: .user)
    #expect(utc.startMicroseconds == summer.startMicroseconds + 250_000)
    #expect(utc.kind == .utc && utc.utcOffsetSeconds == 7200)
  }

  @Test(
    "of a day have 23, 24 or 25 hours, and begin where the zone's day begins",
    arguments: [
      ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", 23, 3600),
      ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", 25, 7200),
      ("Europe/Berlin", "2026-07-01", "2026-06-30T22:00:00Z", 24, 7200),
      // Midnight does not exist: the clock goes from 24:00 to 01:00.
      ("America/Santiago", "2024-09-08", "2024-09-08T04:00:00Z", 23, -10_800),
    ] as [(String, String, String, Int64, Int)])
  func days(zone: String, day: String, start: String, hours: Int64, offset: Int) throws {
    let time = try RecordTime.day(day, zone: Self.zone(zone), source: .gateway)
    #expect(UTCText.string(time.startMicroseconds) == start)
    #expect(time.endMicroseconds - time.startMicroseconds == (hours * 3600 - 1) * 1_000_000)
    #expect(time.utcOffsetSeconds == offset)
  }

  @Test("of days follow each other without gap and overlap, in any zone")
  func tiling() throws {
    for name in [
      "Europe/Berlin", "America/Santiago", "America/Havana", "Asia/Beirut", "Australia/Lord_Howe", "Asia/Gaza",
    ] {
      let zone = try Self.zone(name)
      var last: Int64?
      for ordinal in Int64(18_262)..<Int64(20_454) {
        let day = UTCText.string(ordinal * 86_400_000_000).prefix(10)
        let time = try RecordTime.day(String(day), zone: zone, source: .gateway)
        if let last { #expect(time.startMicroseconds == last + 1_000_000, "\(name) \(day)") }
        last = time.endMicroseconds
      }
    }
  }

  @Test(
    "that do not exist are refused",
    arguments: [
      "", "2026-03-29", "2026-02-29T00:00", "2026-13-01T00:00", "2026-01-32T00:00", "2026-01-01T24:00",
      "0000-01-01T00:00",
      "2026-01-01T23:60", "2026-01-01T23:59:60Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567Z",
      "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+18:01", "2026-01-01T00:00:00z", "2026-01-01T00:00:00Zx",
      "2026-01-01X00:00", "２０26-01-01T00:00",
    ])
  func refused(text: String) {
    #expect(throws: DraftError.self) { try RecordTime.written(text, zone: .gmt, source: .user) }
  }

  @Test("refuse a day that the zone skipped, and an end before its start")
  func skipped() throws {
    let samoa = try Self.zone("Pacific/Apia")
    #expect(throws: DraftError.self) { try RecordTime.day("2011-12-30", zone: samoa, source: .user) }
    #expect(try RecordTime.day("2011-12-31", zone: samoa, source: .user).utcOffsetSeconds == 50_400)
    #expect(throws: DraftError.self) { try RecordTime.day("2026-02-29", zone: .gmt, source: .user) }
    #expect(throws: DraftError.self) {
      try RecordTime.written("2026-01-01T00:00:01Z", to: "2026-01-01T00:00:00Z", zone: .gmt, source: .user)
    }
  }

  @Test("beyond what can be written never trap and never become a record", arguments: [Int64.min, .max])
  func extremes(moment: Int64) throws {
    for time in [
      RecordTime.utc(moment, zone: Fixture.berlin, source: .user), .local(moment, zone: Fixture.berlin, source: .user),
      .local(moment, offsetSeconds: .min, source: .user), .local(moment, offsetSeconds: .max, source: .user),
      .local(0, to: moment, zone: Fixture.berlin, source: .user),
    ] {
      var draft = RecordDraft(type: .biometrics, time: time, source: Fixture.person)
      draft.values = [.init("spo2", "97", "%")]
      let error = #expect(throws: DraftError.self) { try draft.record() }
      #expect(error?.code == .badTime)
    }
  }

  @Test("are read back from the text that they are written as")
  func roundTrip() throws {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<5000 {
      let moment = Int64.random(in: RecordTime.deliverable, using: &generator)
      let time = try RecordTime.written(UTCText.string(moment), zone: .gmt, source: .user)
      #expect(time.startMicroseconds == moment)
    }
  }

  @Test("of any bytes never trap")
  func fuzz() {
    var generator = SeededGenerator(seed: 10)
    let characters = Array("0123456789-:TZ+. ")
    for _ in 0..<20_000 {
      var text = Array("2026-03-29T02:30:00+01:00")
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<text.count, using: &generator)
        if let character = characters.randomElement(using: &generator) { text[place] = character }
      }
      text.removeLast(Int.random(in: 0..<text.count, using: &generator))
      guard let time = WrittenTime(String(text)) else { continue }
      #expect((-64_000_000_000_000_000...254_000_000_000_000_000).contains(time.civilMicroseconds))
    }
  }
}
