import DriverContract
import Foundation
import Testing

@testable import MeterHealth

/// Nights that were doubled, lost, split or moved.
@Suite("Nights that were wrong elsewhere", .timeLimit(.minutes(60))) struct SleepFailureTests {
  private static func file(_ stages: [(String, String, String)], source: String = "Watch") -> AppleDocument {
    var file = AppleDocument()
    for (word, start, end) in stages { file.record("SleepAnalysis", source, start, end, word) }
    return file
  }

  @Test("time in bed, sleep and stages of one night are not added up") func once() async throws {
    let result = try await Self.file([
      ("InBed", "01 23:00", "02 07:00"), ("AsleepUnspecified", "01 23:10", "02 06:50"),
      ("AsleepCore", "01 23:10", "02 03:00"), ("AsleepDeep", "02 03:00", "02 06:50"),
    ]).read()
    #expect(result.night("sleep_duration") == "27600" && result.night("in_bed_duration") == "28800")
    #expect(result.night("light_sleep") == "13800" && result.night("deep_sleep") == "13800")
  }

  @Test("a night that a watch and an app recorded is one night") func twoApps() async throws {
    var file = Self.file([("AsleepCore", "01 23:00", "02 03:00"), ("AsleepREM", "02 03:00", "02 06:00")])
    file.record("SleepAnalysis", "Sleep App", "01 22:55", "02 06:05", "AsleepUnspecified")
    file.record("SleepAnalysis", "iPhone", "01 22:30", "02 06:30", "InBed")
    let result = try await file.read()
    #expect(result.night("sleep_duration") == "25200" && result.night("rem_sleep") == "10800")
    #expect(result.night("in_bed_duration") == "28800")
  }

  @Test(
    "stages are a night by their names and by their numbers, also where nothing says in bed",
    arguments: [["AsleepCore", "AsleepDeep", "AsleepREM", "Awake"], ["3", "4", "5", "2"]])
  func stagesAlone(words: [String]) async throws {
    let result = try await Self.file([
      (words[0], "01 23:00", "02 01:00"), (words[1], "02 01:00", "02 02:00"), (words[3], "02 02:00", "02 02:10"),
      (words[2], "02 02:10", "02 06:00"),
    ]).read()
    #expect(result.night("light_sleep") == "7200" && result.night("deep_sleep") == "3600")
    #expect(result.night("rem_sleep") == "13800" && result.night("awake_duration") == "600")
    #expect(result.night("in_bed_duration") == "25200" && result.refusedCount == 0)
  }

  @Test("the words of older phones are sleep, too", arguments: ["Asleep", "AsleepUnspecified", "1"])
  func olderWords(word: String) async throws {
    let result = try await Self.file([(word, "01 23:00", "02 06:00")]).read()
    #expect(result.night("sleep_duration") == "25200" && result.night("light_sleep") == "25200")
  }

  @Test("a night over midnight is one record of the day on which it ends") func overMidnight() async throws {
    let result = try await Self.file([
      ("AsleepCore", "01 23:00", "02 01:00"), ("AsleepDeep", "02 01:00", "02 06:00"),
    ]).read()
    #expect(result.sleep.map(\.day) == ["2026-03-02"] && result.night("sleep_duration") == "25200")
  }

  @Test("a nap neither replaces the night nor becomes longer by it") func nap() async throws {
    let result = try await Self.file([
      ("AsleepCore", "01 23:00", "02 07:00"), ("AsleepCore", "02 14:00", "02 14:40"),
    ]).read()
    #expect(result.sleep.map { $0.metrics["sleep_duration"] } == ["28800", "2400"])
    #expect(result.sleep.map(\.isMain) == [true, false] && result.sleep.map(\.day) == ["2026-03-02", "2026-03-02"])
  }

  @Test("a night that a later export has in full keeps its name, so the shorter one does not stay beside it")
  func corrected() async throws {
    let night = ("AsleepCore", "01 23:00", "02 06:00")
    let first = try await Self.file([night]).read()
    let second = try await Self.file([("AsleepCore", "01 22:10", "01 22:40"), night]).read()
    #expect(first.sleep.map(\.identity) == second.sleep.map(\.identity))
    #expect(first.night("sleep_duration") == "25200" && second.night("sleep_duration") == "27000")
  }

  @Test("states of a night that grows are one night: the longest") func growing() {
    var export = Export(.healthConnect)
    for (index, end) in ["02 00:05", "02 01:18", "02 06:00"].enumerated() {
      export.add(.sleep, "com.example", "01 23:00", end) {
        ($0.stage, $0.id, $0.modified) = (.session, "state \(index)", Int64(index))
      }
    }
    #expect(export.result.night("sleep_duration") == "25200")
  }

  @Test("sleep far from home is of the day there, and not of the export's or the owner's zone") func travel()
    async throws
  {
    var file = AppleDocument(hours: 2)
    // 00:30 to 01:30 of the 2nd in Berlin, 18:30 to 19:30 of the 1st in New York.
    file.record(
      "SleepAnalysis", "Watch", "02 00:30", "02 01:30", "AsleepCore", metadata: [("HKTimeZone", "America/New_York")])
    let result = try await file.read()
    #expect(result.sleep.map(\.day) == ["2026-03-01"])
    #expect(result.sleep.first?.origin.utcOffset == -18_000 && result.sleep.first?.origin.hasOwnOffset == true)
  }

  @Test("without a zone of its own sleep is of the owner's day, whatever offset the export was written with")
  func ownersZone() async throws {
    for hours in [1, 9] as [Int64] {
      var file = AppleDocument(hours: hours)
      file.record("SleepAnalysis", "Watch", "02 00:30", "02 01:30", "AsleepCore")
      #expect(try await file.read().sleep.map(\.day) == ["2026-03-02"])
      #expect(try await file.read(zone: "America/New_York").sleep.map(\.day) == ["2026-03-01"])
    }
  }

  @Test("a word for sleep that nobody knows is refused, and not taken for sleep") func unknownWord() async throws {
    let result = try await Self.file([
      ("Schlaf", "01 23:00", "02 06:00"), ("AsleepCore", "03 23:00", "04 06:00"),
    ]).read()
    #expect(result.sleep.map(\.day) == ["2026-03-04"] && result.refusedCount == 1)
  }
}
