import Foundation
import HostPrimitives
import Testing

@testable import MeterHealth

@Suite("Days of a historical fetch")
struct HistoryWindowTests {
  /// 2026-03-31.
  private static let today = CivilDate(text: "2026-03-31".utf8)?.daysSince1970 ?? 0

  private static func window(_ names: [String], _ from: String, _ to: String? = nil) throws -> HistoryWindow {
    try HistoryWindow(names, from: from, through: to, today: today)
  }

  @Test("What is asked for, with intraday beside the routine set")
  func parts() throws {
    let both = try Self.window(["fitness", "routine"], "2025-10-03")
    #expect(both.sets == [.routine, .fitness] && !both.processesIntraday)
    #expect(both.from == "2025-10-03" && both.to == "2026-03-31")
    let intraday = try Self.window(["intraday"], "2026-03-25")
    #expect(intraday.sets == [.routine] && intraday.processesIntraday)
    #expect(try Self.window(["fitness"], "2026-03-31", "2026-03-31").sets == [.fitness])
  }

  @Test(
    "Days that are none, or in no order, are refused",
    arguments: [
      ("2026-02-29", nil), ("yesterday", nil), ("2026-03-01T10:00", nil), ("2026-03-02", "2026-03-01"),
      ("2026-03-01", "2026-04-01"), ("2026-04-01", nil), ("2026-03-01", ""),
    ] as [(String, String?)])
  func wrong(from: String, to: String?) {
    let error = #expect(throws: HealthImportError.self) { try Self.window(["routine"], from, to) }
    #expect(error?.code == .historyDays)
  }

  @Test(
    "No further back than 179 days, and 7 of parts of five minutes",
    arguments: [
      (["routine"], "2025-10-02", nil), (["fitness"], "0001-01-01", "2026-03-01"), (["intraday"], "2026-03-23", nil),
      (["intraday"], "2026-03-23", "2026-03-24"), (["routine", "intraday"], "2025-12-01", nil),
      // Eight days, of which the first one would be left out without a word.
      (["intraday"], "2026-03-24", nil),
    ] as [([String], String, String?)])
  func tooFar(names: [String], from: String, to: String?) {
    let error = #expect(throws: HealthImportError.self) { try Self.window(names, from, to) }
    #expect(error?.code == .historyLimit)
  }

  @Test("The days at the limits are taken")
  func limits() throws {
    #expect(try Self.window(["routine"], "2025-10-03").from == "2025-10-03")
    #expect(try Self.window(["intraday"], "2026-03-24", "2026-03-30").to == "2026-03-30")
  }

  @Test("Today is the person's", arguments: [("Asia/Tokyo", "2026-03-31"), ("America/New_York", "2026-03-30")])
  func zones(zone: String, day: String) throws {
    // 2026-03-30T20:00Z.
    let now = Date(timeIntervalSince1970: Double(Self.today * 86_400 - 4 * 3600))
    let today = HistoryWindow.today(in: try #require(TimeZone(identifier: zone)), at: now)
    #expect(CivilDate(daysSince1970: today).text == day)
  }

  @Test("There is a history of three things", arguments: [["sleep"], ["routine", "weight"], []])
  func unknown(names: [String]) {
    let error = #expect(throws: HealthImportError.self) { try Self.window(names, "2026-03-30") }
    #expect(error?.code == .unknownType)
    #expect(error?.hint?.contains("intraday") == true)
  }
}
