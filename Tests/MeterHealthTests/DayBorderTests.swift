import DriverContract
import Foundation
import HostPrimitives
import Testing

@testable import MeterHealth

@Suite("Local days")
struct DayBorderTests {
  static func borders(_ zone: String, _ first: String, _ last: String, zones: [(String, String)] = []) throws
    -> DayBorders
  {
    let entries = try zones.map {
      ZoneTable.Entry(try #require(TimeZone(identifier: $0.0)), from: CivilDate(text: $0.1.utf8))
    }
    return DayBorders(
      from: try #require(CivilDate(text: first.utf8)), through: try #require(CivilDate(text: last.utf8)),
      in: ZoneTable(try #require(TimeZone(identifier: zone)), entries: entries))
  }

  static func hours(_ borders: DayBorders) -> [Double] {
    borders.days.map { Double($0.end - $0.start) / 3_600_000_000 }
  }

  @Test(
    "have as many hours as the clocks went through",
    arguments: [
      ("Europe/Berlin", "2026-03-28", "2026-03-30", [24, 23, 24]),
      ("Europe/Berlin", "2026-10-24", "2026-10-26", [24, 25, 24]),
      // The clocks are put forward at midnight: the day begins at one o'clock.
      ("America/Sao_Paulo", "2018-11-03", "2018-11-05", [24, 23, 24]),
      ("America/Sao_Paulo", "2018-02-16", "2018-02-18", [24, 25, 24]),
      // Midnight comes twice: one o'clock is put back to it.
      ("America/Havana", "2025-11-01", "2025-11-03", [24, 25, 24]),
      // Half an hour of daylight saving.
      ("Australia/Lord_Howe", "2026-04-04", "2026-04-06", [24, 24.5, 24]),
      ("Asia/Kathmandu", "2026-01-01", "2026-01-02", [24, 24]),
      ("Pacific/Chatham", "2026-04-04", "2026-04-06", [24, 25, 24]),
    ] as [(String, String, String, [Double])])
  func lengths(zone: String, first: String, last: String, expected: [Double]) throws {
    #expect(Self.hours(try Self.borders(zone, first, last)) == expected)
  }

  @Test("the day that Apia skipped is not there")
  func apia() throws {
    let borders = try Self.borders("Pacific/Apia", "2011-12-29", "2011-12-31")
    #expect(borders.days.map(\.text) == ["2011-12-29", "2011-12-31"])
    #expect(Self.hours(borders) == [24, 24])
    #expect(borders.index(ofDay: 15_338) == nil)
  }

  @Test("follow each other without a gap where the user travels")
  func travel() throws {
    let west = try Self.borders(
      "Europe/Berlin", "2026-01-09", "2026-01-12", zones: [("America/New_York", "2026-01-11")])
    #expect(Self.hours(west) == [24, 30, 24, 24])
    let east = try Self.borders(
      "America/New_York", "2026-01-09", "2026-01-12", zones: [("Europe/Berlin", "2026-01-11")])
    #expect(Self.hours(east) == [24, 18, 24, 24])
    // Westward over the date line a day is lost.
    let line = try Self.borders(
      "Pacific/Pago_Pago", "2026-01-09", "2026-01-12", zones: [("Pacific/Kiritimati", "2026-01-11")])
    #expect(line.days.map(\.text) == ["2026-01-09", "2026-01-11", "2026-01-12"])
    #expect(line.borders == [line.days[0].start] + line.days.map(\.end))
  }

  @Test("the index of a moment is that of the day which has it")
  func index() throws {
    let borders = try Self.borders("Europe/Berlin", "2026-03-01", "2026-04-01")
    for (index, day) in borders.days.enumerated() {
      #expect(borders.index(of: day.start) == index)
      #expect(borders.index(of: day.end - 1) == index)
    }
    #expect(borders.index(of: borders.start - 1) == nil)
    #expect(borders.index(of: borders.end) == nil)
    #expect(borders.utcOffset(at: borders.start) == 3600)
    #expect(borders.utcOffset(at: borders.end) == 7200)
    #expect(try Self.borders("UTC", "2026-03-02", "2026-03-01").days.isEmpty)
  }

  @Test(
    "100 steps in each hour of a day of 23 and of 25 hours",
    arguments: [("2026-03-29", "2300"), ("2026-10-25", "2500")])
  func hourly(day: String, expected: String) throws {
    let borders = try Self.borders("Europe/Berlin", day, day)
    var export = Export(zone: "Europe/Berlin", days: (day, day))
    let source = export.source(HealthSource("Watch"))
    for start in stride(from: borders.start - 3 * 3_600_000_000, to: borders.end + 3 * 3_600_000_000, by: 3_600_000_000)
    {
      export.collector.add(
        HealthSample(.steps, start: start, end: start + 3_600_000_000, value: Fraction(100), source: source))
    }
    #expect(export.result.value(day, "steps") == expected)
  }

  @Test("an interval over midnight of the change is split by its true lengths")
  func overMidnight() {
    var export = Export(zone: "Europe/Berlin", days: ("2026-10-24", "2026-10-25"))
    // 22:00 to 04:00 in UTC+2 and later UTC+1: 2 hours of the 24th and 5 of the 25th.
    export.add(.steps, "Watch", "2026-10-24 20:00:00", "2026-10-25 03:00:00", "700")
    #expect(export.result.value("2026-10-24", "steps") == "200")
    #expect(export.result.value("2026-10-25", "steps") == "500")
  }
}
