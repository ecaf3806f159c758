import DriverContract
import Foundation
import Testing

@testable import MeterHealth

/// Days that came out too high or too low.
@Suite("Sums that were wrong elsewhere", .timeLimit(.minutes(60))) struct SumFailureTests {
  private static let day = "2026-03-01"

  @Test("steps that a phone and a watch counted together are not added up") func double() async throws {
    var file = AppleDocument()
    file.record("StepCount", "iPhone", "01 10:00", "01 10:10", "1000", unit: "count")
    file.record("StepCount", "Watch", "01 10:00", "01 10:10", "1100", unit: "count")
    #expect(try await file.read().value("steps", on: Self.day) == "1100")
  }

  @Test("steps of six sources at one time are those of one") func sixSources() async throws {
    var file = AppleDocument()
    for (index, name) in ["iPhone", "Watch", "Ring", "Scale", "App", "Other app"].enumerated() {
      file.record("StepCount", name, "01 10:00", "01 10:10", "\(1000 + index)", unit: "count")
    }
    #expect(try await file.read().value("steps", on: Self.day) == "1001")
  }

  @Test("time that the best source did not record is taken from the next one") func gaps() async throws {
    var file = AppleDocument()
    file.record("StepCount", "Watch", "01 10:00", "01 10:10", "1000", unit: "count")
    file.record("StepCount", "iPhone", "01 15:00", "01 15:10", "700", unit: "count")
    #expect(try await file.read().value("steps", on: Self.day) == "1700")
  }

  @Test("addresses of objects in device texts do not make sources of one phone") func addresses() async throws {
    var file = AppleDocument()
    for index in 0..<73 {
      let minute = index < 60 ? "10:\(index < 10 ? "0" : "")\(index)" : "11:\(index < 70 ? "0" : "")\(index - 60)"
      file.record(
        "StepCount", "Kim", "01 \(minute)", "01 \(minute):59", "100", unit: "count",
        device: "&lt;&lt;HKDevice: 0x\(String(0xb0f5 + index, radix: 16))&gt;, name:iPhone, software:17.\(index)&gt;")
    }
    let result = try await file.read()
    #expect(result.value("steps", on: Self.day) == "7300")
    #expect(result.knownSources == [.init(key: "Kim", kind: .phone)])
  }

  @Test("one watch whose name has another blank and another apostrophe is one source") func spellings() async throws {
    var file = AppleDocument()
    // Both samples of one source count; of two sources that are open at once only one would.
    file.record("StepCount", "Riley's\u{a0}Watch", "01 10:00", "01 10:10", "100", unit: "count")
    file.record("StepCount", "Riley\u{2019}s Watch", "01 10:05", "01 10:15", "100", unit: "count")
    let result = try await file.read()
    #expect(result.value("steps", on: Self.day) == "200")
    #expect(result.knownSources.map(\.key) == ["Riley's Watch"])
    #expect(result.sources.map(\.name).contains("Riley\u{2019}s Watch"))
  }

  @Test("a line that is in the file twice counts once, and is reported") func twice() async throws {
    var file = AppleDocument()
    for created in ["01 10:10", "01 12:00"] {
      file.record("StepCount", "iPhone", "01 10:00", "01 10:10", "1000", unit: "count", created: created)
      file.record("BodyMass", "Scale", "01 08:00", nil, "80", unit: "kg", created: created)
    }
    let result = try await file.read()
    #expect(result.value("steps", on: Self.day) == "1000" && result.measured("body_weight") == ["80"])
    #expect(result.refused(.duplicate) == 2)
  }

  @Test(
    "a day has as many hours as its clocks went through", arguments: [("2026-03-29", "2300"), ("2025-10-26", "2500")])
  func hours(day: String, steps: String) async throws {
    var file = AppleDocument()
    let midnight = Export.time("\(day) 00:00:00")
    for hour in -4..<30 as Range<Int64> {
      func time(_ hour: Int64) -> String {
        CivilText.of(midnight + hour * 3_600_000_000)
      }
      file.record("StepCount", "iPhone", time(hour), time(hour + 1), "100", unit: "count")
    }
    #expect(try await file.read().value("steps", on: day) == steps)
  }

  @Test("hours that somebody stood are counted by their words, not added up as minutes") func standHours() async throws
  {
    var file = AppleDocument()
    for hour in 6..<22 {
      let times = ("01 \(hour < 10 ? "0" : "")\(hour):00", "01 \(hour < 9 ? "0" : "")\(hour + 1):00")
      file.record("AppleStandHour", "Watch", times.0, times.1, hour < 20 ? "Stood" : "Idle")
      file.record("AppleStandTime", "Watch", times.0, times.1, "3", unit: "min")
    }
    let result = try await file.read()
    #expect(result.value("stand_hours_count", on: Self.day) == "14")
    #expect(result.value("idle_hours_count", on: Self.day) == "2")
  }

  @Test("minutes of half a step are added up before they are rounded") func halves() async throws {
    let rows = (10..<20).map { #"{"date":"2026-03-01 10:\#($0):00 +0100","qty":0.5,"source":"Watch"}"# }
    let body =
      #"{"data":{"metrics":[{"name":"step_count","units":"count","data":["#
      + rows.joined(separator: ",") + "]}]}}"
    let found = try await ImportStage.shared.get().read(Array(body.utf8))
    #expect(found.result.value("steps", on: Self.day) == "5")
  }

  @Test(
    "a day has its hours' sums where clocks go by half and three quarter hours, and where a day is skipped",
    arguments: [
      ("Asia/Kathmandu", "2026-03-01", "2400"), ("Australia/Lord_Howe", "2026-04-05", "2450"),
      ("Australia/Lord_Howe", "2026-10-04", "2350"), ("Pacific/Chatham", "2026-04-05", "2500"),
      ("Pacific/Chatham", "2026-09-27", "2300"), ("America/St_Johns", "2026-03-08", "2300"),
      ("Pacific/Apia", "2011-12-29", "2400"), ("Pacific/Apia", "2011-12-30", "-"),
      ("Pacific/Apia", "2011-12-31", "2400"),
    ])
  func zones(zone: String, day: String, steps: String) {
    var export = Export(zone: zone, days: (day, day))
    let midnight = Export.time("\(day) 00:00:00")
    for hour in -30..<40 as Range<Int64> {
      export.add(.steps, "Watch", "01 00:00", nil, "100") {
        $0.start = midnight + hour * 3_600_000_000
        $0.end = $0.start + 3_600_000_000
      }
    }
    #expect(export.result.value(day, "steps") == steps)
  }
}
