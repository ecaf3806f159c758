import Foundation
import HostPrimitives
import Testing

@testable import MeterHealth

/// Tables of Samsung Health whose rows were lost, moved or multiplied.
@Suite("Samsung Health's exports that were wrong elsewhere", .timeLimit(.minutes(60))) struct SamsungFailureTests {
  /// One table of an export, in the archive as the app makes it.
  private struct Table {
    var name: String
    var columns: [String]
    var rows: [[String]]
    var hasPreamble = true
    var separator = ","
    var lineEnd = "\r\n"
    var tail = ""
    var mark: [UInt8] = []

    var entry: StoredZip.Entry {
      let head = (hasPreamble ? ["\(name),6040004,2"] : []) + [columns.joined(separator: separator)]
      let lines = head + rows.map { $0.joined(separator: separator) + tail }
      let stamp = "20260331120000"
      return .init(
        name: "samsunghealth_kim_\(stamp)/\(name).\(stamp).csv",
        content: mark + Array((lines.joined(separator: lineEnd) + lineEnd).utf8))
    }
  }

  private static func read(_ tables: Table..., zone: String = "Europe/Berlin") async throws -> HealthResult {
    try await ImportStage.shared.get().read(StoredZip(tables.map(\.entry)).bytes, zone: zone).result
  }

  private static let weights = Table(
    name: "com.samsung.health.weight", columns: ["start_time", "time_offset", "comment", "weight", "datauuid"],
    rows: [
      ["2026-03-01 07:00:00.000", "UTC+0100", "", "81.6", "w-1"],
      ["2026-03-02 07:00:00.000", "UTC+0100", "", "81.4", "w-2"],
    ])

  @Test(
    "a table is read with and without its first line, with a field too many, and with other signs between fields",
    arguments: ["plain", "no preamble", "field", "semicolons", "mark", "dotted", "lines", "quotes"])
  func forms(kind: String) async throws {
    var table = Self.weights
    switch kind {
    case "no preamble": table.hasPreamble = false
    case "field": table.tail = ","
    case "semicolons": table.separator = ";"
    case "mark": table.mark = [0xEF, 0xBB, 0xBF]
    case "dotted": table.columns = table.columns.map { "com.samsung.health.weight.\($0)" }
    case "lines": table.lineEnd = "\n"
    case "quotes": table.rows = table.rows.map { [$0[0], $0[1], "\"so\nmuch, \"\"well\"\"\"", $0[3], $0[4]] }
    default: break
    }
    let result = try await Self.read(table)
    #expect(result.measured("body_weight") == ["81.6", "81.4"] && result.refusedCount == 0 && !result.isPartial)
  }

  @Test(
    "a day's steps are the merged row's, and without it those of the device with the most", arguments: [true, false])
  func days(hasMerged: Bool) async throws {
    let day = "1772323200000"
    let rows = [[day, "8123", "-2"], [day, "5000", "0"], [day, "4100", "1"]]
    let result = try await Self.read(
      Table(
        name: "com.samsung.shealth.step_daily_trend", columns: ["day_time", "count", "source_type"],
        rows: hasMerged ? rows : Array(rows.dropFirst())))
    #expect(result.value("steps", on: "2026-03-01") == (hasMerged ? "8123" : "5000"))
  }

  @Test(
    "a time is that of UTC, and its offset tells the local day: early in the morning it is no longer the day before")
  func earlyMorning() async throws {
    let result = try await Self.read(
      Table(
        name: "com.samsung.health.weight", columns: ["start_time", "time_offset", "weight", "datauuid"],
        rows: [["2026-03-28 22:10:00.000", "UTC+0900", "81.6", "w-1"]]),
      Table(
        name: "com.samsung.shealth.sleep", columns: ["start_time", "end_time", "time_offset", "datauuid"],
        rows: [["2026-03-28 15:10:00.000", "2026-03-28 22:10:00.000", "UTC+0900", "s-1"]]))
    let origin = try #require(result.measurements.first).origin
    #expect(origin.start == Export.time("28 22:10") && origin.utcOffset == 32_400 && origin.hasOwnOffset)
    #expect(
      CivilDate(daysSince1970: DayBorders.day(of: origin.start, utcOffset: origin.utcOffset)).text == "2026-03-29")
    #expect(result.sleep.map(\.day) == ["2026-03-29"])
  }

  @Test("a column of milliseconds is not read as one of minutes, nor the other way round") func durations() async throws
  {
    let result = try await Self.read(
      Table(
        name: "com.samsung.shealth.activity.day_summary", columns: ["day_time", "active_time"],
        rows: [["1772323200000", "3600000"]]),
      Table(
        name: "com.samsung.shealth.exercise",
        columns: ["start_time", "end_time", "time_offset", "exercise_type", "duration", "datauuid"],
        rows: [["2026-03-01 10:00:00.000", "2026-03-01 11:00:00.000", "UTC+0100", "1002", "3500000", "e-1"]]),
      Table(
        name: "com.samsung.shealth.sleep",
        columns: ["start_time", "end_time", "time_offset", "datauuid", "sleep_duration", "efficiency"],
        rows: [["2026-03-01 22:00:00.000", "2026-03-02 05:00:00.000", "UTC+0100", "s-1", "420", "0.0"]]))
    #expect(result.value("active_duration", on: "2026-03-01") == "3600")
    #expect(result.workout("active_duration") == "3500" && result.workouts.map(\.name) == ["Running"])
    #expect(result.night("sleep_duration") == "25200")
  }

  @Test("rows of 1970 and 2226, and more floors than a building has, are refused and counted") func faults()
    async throws
  {
    var table = Self.weights
    table.rows[1][0] = "1970-01-01 00:00:00.000"
    table.rows.append(["2226-01-01 00:00:00.000", "UTC+0100", "", "80", "w-3"])
    let result = try await Self.read(
      table,
      Table(
        name: "com.samsung.shealth.activity.day_summary", columns: ["day_time", "floor_count", "step_count"],
        rows: [["1772323200000", "17730", "8000"]]))
    #expect(result.measured("body_weight") == ["81.6"])
    #expect(
      result.value("floors_climbed", on: "2026-03-01") == nil && result.value("steps", on: "2026-03-01") == "8000")
    #expect(result.refused(.unreadableTime) == 2 && result.refused(.implausible) == 1)
  }
}
