import DriverContract
import Foundation
import TestSupport
import Testing

@testable import MeterHealth

@Suite("Nights")
struct SleepTests {
  @Test("time in bed, sleep without a stage and stages of one night count once")
  func once() throws {
    var export = Export()
    export.sleep(.inBed, "Watch", "01 23:00", "02 07:00")
    export.sleep(.asleep, "Watch", "01 23:10", "02 06:50")
    export.sleep(.core, "Watch", "01 23:10", "02 03:00")
    export.sleep(.deep, "Watch", "02 03:00", "02 06:50")
    let night = try #require(export.result.sleep.first)
    #expect(export.result.sleep.count == 1)
    #expect(night.metrics["sleep_duration"] == "27600")
    #expect(night.metrics["light_sleep"] == "13800")
    #expect(night.metrics["deep_sleep"] == "13800")
    #expect(night.metrics["in_bed_duration"] == "28800")
    #expect(night.metrics["time_to_fall_asleep"] == "600")
    #expect(night.metrics["awake_count"] == "0")
  }

  @Test("stages alone are a night, with the time from the first to the last in bed")
  func stagesOnly() throws {
    var export = Export()
    export.sleep(.core, "Watch", "01 23:00", "02 01:00")
    export.sleep(.awake, "Watch", "02 01:00", "02 01:05")
    export.sleep(.rem, "Watch", "02 01:05", "02 02:00")
    export.sleep(.awake, "Watch", "02 02:00", "02 02:10")
    let night = try #require(export.result.sleep.first)
    #expect(night.metrics["sleep_duration"] == "10500")
    #expect(night.metrics["awake_duration"] == "900")
    // Lying awake after the last sleep is not waking up.
    #expect(night.metrics["awake_count"] == "1")
    #expect(night.metrics["in_bed_duration"] == "11400")
    #expect(night.metrics["time_to_fall_asleep"] == "-")
  }

  @Test("time in bed alone is no sleep")
  func inBedOnly() throws {
    var export = Export()
    export.sleep(.inBed, "iPhone", "01 23:00", "02 07:00")
    #expect(
      try #require(export.result.sleep.first).metrics == [HealthMetric("in_bed_duration", HealthDecimal(28_800), "s")])
  }

  @Test("a night over midnight is one record of the day on which it ends")
  func wakeDay() throws {
    var export = Export()
    export.sleep(.core, "Watch", "01 23:00", "02 01:00")
    export.sleep(.deep, "Watch", "02 01:00", "02 06:00")
    let sleep = export.result.sleep
    #expect(sleep.map(\.day) == ["2026-03-02"])
    #expect(sleep.map(\.isMain) == [true])
  }

  @Test("a nap is a record of its own and no part of the night")
  func nap() {
    var export = Export()
    export.sleep(.core, "Watch", "01 23:00", "02 07:00")
    export.sleep(.core, "Watch", "02 14:00", "02 14:40")
    let sleep = export.result.sleep
    #expect(sleep.map(\.day) == ["2026-03-02", "2026-03-02"])
    #expect(sleep.map(\.isMain) == [true, false])
    #expect(sleep[0].identity == .day("2026-03-02", kind: "sleep", of: .apple))
    #expect(sleep[0].identity != sleep[1].identity)
  }

  @Test("samples an hour apart are one session, and further apart two", arguments: [("03:00", 1), ("03:01", 2)])
  func gap(start: String, count: Int) {
    var export = Export()
    export.sleep(.core, "Watch", "01 23:00", "02 02:00")
    export.sleep(.core, "Watch", "02 \(start)", "02 06:00")
    #expect(export.result.sleep.count == count)
  }

  @Test("a night that is corrected by a second export keeps its name")
  func corrected() throws {
    func night(_ more: Bool) throws -> SleepSession {
      var export = Export()
      if more { export.sleep(.core, "Watch", "01 22:10", "01 22:40") }
      export.sleep(.core, "Watch", "01 23:00", "02 06:00")
      return try #require(export.result.sleep.first)
    }
    #expect(try night(false).identity == night(true).identity)
    #expect(try night(false).metrics != night(true).metrics)
  }

  @Test("of sessions of one program that grew only the longest is left, with its stages")
  func grown() throws {
    var export = Export(.healthConnect)
    for (end, stage) in [("02 00:05", SleepStage.rem), ("02 01:18", .deep), ("02 06:00", .core)] {
      export.add(.sleep, "app", "01 23:00", end) { session in
        session.stage = .session
        session.id = "session \(end)"
        var part = HealthSample(.sleep, start: session.start, end: session.end)
        part.stage = stage
        session.parts = [part]
      }
    }
    let sleep = export.result.sleep
    #expect(sleep.count == 1)
    #expect(sleep[0].metrics["light_sleep"] == "25200")
    #expect(sleep[0].metrics["rem_sleep"] == "0")
  }

  @Test("a stage that has the name of its session goes with it")
  func namedStages() throws {
    var export = Export(.healthConnect)
    for (id, end, stage) in [("aa", "02 01:00", SleepStage.rem), ("bb", "02 06:00", .deep)] {
      export.add(.sleep, "app", "01 23:00", end) { ($0.stage, $0.id) = (.session, id) }
      export.add(.sleep, "app", "01 23:30", "02 00:30") { ($0.stage, $0.id) = (stage, "\(id)-0") }
    }
    let night = try #require(export.result.sleep.first)
    #expect(export.result.sleep.count == 1)
    #expect(night.metrics["deep_sleep"] == "3600")
    #expect(night.metrics["rem_sleep"] == "0")
    #expect(night.metrics["sleep_duration"] == "25200")
  }

  @Test("a total without stages is sleep of no stage")
  func total() throws {
    var export = Export()
    export.add(.sleep, "Watch", "01 23:00", "02 07:00") {
      ($0.stage, $0.attributes) = (.session, [HealthAttribute("total", Fraction(25_000))])
    }
    #expect(try #require(export.result.sleep.first).metrics["sleep_duration"] == "25000")
  }

  @Test("a session is asleep where no stage says otherwise")
  func session() throws {
    var export = Export(.healthConnect)
    export.add(.sleep, "app", "01 23:00", "02 07:00") { session in
      session.stage = .session
      var part = HealthSample(.sleep, start: session.start + 3_600_000_000, end: session.start + 5_400_000_000)
      part.stage = .awake
      session.parts = [part]
    }
    let night = try #require(export.result.sleep.first)
    #expect(night.metrics["sleep_duration"] == "27000")
    #expect(night.metrics["awake_duration"] == "1800")
    #expect(night.metrics["in_bed_duration"] == "28800")
  }

  @Test("a session that is told in sums has them")
  func told() throws {
    var export = Export()
    export.add(.sleep, "Watch", "01 23:00", "02 07:00") {
      $0.stage = .session
      $0.attributes = [
        HealthAttribute("deep", Fraction(3600)), HealthAttribute("core", Fraction(14_400)),
        HealthAttribute("rem", Fraction(5400)), HealthAttribute("awake", Fraction(600)),
        HealthAttribute("in_bed", Fraction(27_000)),
      ]
    }
    let night = try #require(export.result.sleep.first)
    #expect(night.metrics["sleep_duration"] == "23400")
    #expect(night.metrics["light_sleep"] == "14400")
    #expect(night.metrics["deep_sleep"] == "3600")
    #expect(night.metrics["awake_duration"] == "600")
    #expect(night.metrics["in_bed_duration"] == "27000")
  }

  @Test("of two sources of a night the one with stages counts, and the other adds to the time in bed")
  func twoSources() throws {
    var export = Export()
    export.sleep(.inBed, "iPhone", "01 22:30", "02 07:30")
    export.sleep(.asleep, "Other app", "01 22:45", "02 07:00")
    export.sleep(.core, "Watch", "01 23:00", "02 03:00")
    export.sleep(.rem, "Watch", "02 03:00", "02 07:00")
    let sleep = export.result.sleep
    #expect(sleep.count == 1)
    #expect(sleep[0].metrics["sleep_duration"] == "28800")
    #expect(sleep[0].metrics["in_bed_duration"] == "32400")
    #expect(sleep[0].origin.start == Export.time("01 23:00"))
  }

  @Test("the zone in which somebody slept decides the day, and no export's offset")
  func zone() throws {
    var export = Export(zone: "Europe/Berlin")
    // 23:30 on the 1st to 00:30 on the 2nd in Berlin is 17:30 to 18:30 on the 1st in New York.
    export.sleep(.core, "Watch", "01 22:30", "01 23:30", zone: "America/New_York")
    let nap = try #require(export.result.sleep.first)
    #expect(nap.day == "2026-03-01")
    #expect(nap.origin.utcOffset == -5 * 3600)
    #expect(nap.origin.hasOwnOffset)
    var other = Export(zone: "Europe/Berlin")
    other.sleep(.core, "Watch", "01 22:30", "01 23:30")
    #expect(try #require(other.result.sleep.first).day == "2026-03-02")
  }

  @Test("of stages that overlap the one that began later counts, then the shorter one")
  func overlap() throws {
    var export = Export()
    export.sleep(.core, "Watch", "02 00:00", "02 04:00")
    export.sleep(.deep, "Watch", "02 01:00", "02 02:00")
    export.sleep(.rem, "Watch", "02 01:00", "02 03:00")
    let night = try #require(export.result.sleep.first)
    #expect(night.metrics["light_sleep"] == "7200")
    #expect(night.metrics["deep_sleep"] == "3600")
    #expect(night.metrics["rem_sleep"] == "3600")
    #expect(night.segments.map(\.stage) == [.core, .deep, .rem, .core])
  }

  @Test("a night is as long as it was where the clocks change")
  func clocks() throws {
    var export = Export(zone: "Europe/Berlin", days: ("2026-03-28", "2026-03-30"))
    export.sleep(.core, "Watch", "2026-03-28 22:00:00", "2026-03-29 05:00:00")
    let night = try #require(export.result.sleep.first)
    #expect(night.metrics["sleep_duration"] == "25200")
    #expect(night.day == "2026-03-29")
    #expect(night.origin.utcOffset == 3600)
  }

  @Test("what samples come to does not depend on their order", arguments: 0..<5 as Range<UInt64>)
  func order(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      var samples: [(SleepStage, String, Int64, Int64)] = (0..<12).map { _ in
        let start = Int64.random(in: 0..<900, using: &generator)
        let stages: [SleepStage] = [.inBed, .asleep, .awake, .core, .deep, .rem]
        return (
          stages.randomElement(using: &generator) ?? .core,
          ["Watch", "iPhone", "App"].randomElement(using: &generator) ?? "",
          start, start + .random(in: 1...200, using: &generator)
        )
      }
      func result() -> [[HealthMetric]] {
        var export = Export()
        for name in ["Watch", "iPhone", "App"] { _ = export.source(HealthSource(name)) }
        for (stage, name, start, end) in samples {
          export.add(.sleep, name, "01 20:00") {
            $0.stage = stage
            $0.start += start * 60_000_000
            $0.end += end * 60_000_000
          }
        }
        return export.result.sleep.map(\.metrics)
      }
      let expected = result()
      samples.shuffle(using: &generator)
      #expect(result() == expected)
    }
  }
}
