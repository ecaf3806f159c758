import DriverContract
import Foundation
import Testing

@testable import MeterHealth

/// Durations follow the owner's order of sources as counts do: sessions of the higher priority count, and their pauses are pauses.
@Suite("Durations of Health Connect")
struct ConnectDurationTests {
  private static func sources(_ category: HealthCategory, _ names: [String]) -> [HealthSource] {
    names.enumerated().map { HealthSource($0.element, priorities: [category: .place(UInt32($0.offset + 1))]) }
  }

  private static func minute(_ minute: Int64) -> Int64 { minute * 60_000_000 }

  /// A session of `[start, end]` minutes, with pauses.
  private static func session(
    _ interval: [Int64], source: Int, modified: Int64 = 0, pauses: [[Int64]] = []
  ) -> HealthSample {
    var session = HealthSample(.workout, start: minute(interval[0]), end: minute(interval[1]), source: source)
    (session.text, session.modified) = ("running", modified)
    session.parts = pauses.map {
      var pause = HealthSample(.workout, start: minute($0[0]), end: minute($0[1]))
      pause.text = "pause"
      return pause
    }
    return session
  }

  private static func minutes(_ sessions: [HealthSample], _ ranking: SourceRanking) -> [Int64] {
    let sums = MergedSums(ExerciseTime.store(of: sessions), ranking)
    return sums.bins([10, 20, 30, 40].map(minute)).map { ($0.value?.mantissa ?? -60) / 60 }
  }

  /// The intervals of Android's example: 15 to 27 of the lower priority, 22 to 35 of the higher one, groups of ten.
  @Test(
    "a pause of the session that counts is no exercise, also where another app has none there",
    arguments: [
      ([], [], [5, 10, 5]), ([[24, 29]], [], [5, 5, 5]), ([], [[16, 18], [23, 26]], [3, 10, 5]),
      ([[20, 24], [22, 23], [34, 40]], [[15, 27]], [0, 6, 4]),
    ] as [([[Int64]], [[Int64]], [Int64])])
  func pauses(higher: [[Int64]], lower: [[Int64]], expected: [Int64]) {
    let ranking = SourceRanking(Self.sources(.activity, ["higher", "lower"]), of: .healthConnect)
    let sessions = [
      Self.session([15, 27], source: 1, modified: 9, pauses: lower),
      Self.session([22, 35], source: 0, modified: 1, pauses: higher),
    ]
    #expect(Self.minutes(sessions, ranking) == expected)
    #expect(Self.minutes(sessions.reversed(), ranking) == expected)
  }

  @Test("without an order the session that was changed last counts, with its pauses")
  func noOrder() {
    let ranking = SourceRanking([HealthSource("a"), HealthSource("b")], of: .healthConnect)
    let first = Self.session([10, 20], source: 0, modified: 10, pauses: [[12, 14]])
    #expect(Self.minutes([first, Self.session([10, 20], source: 1, modified: 20)], ranking) == [10, -1, -1])
    #expect(Self.minutes([first, Self.session([10, 20], source: 1, modified: 5)], ranking) == [8, -1, -1])
  }

  @Test("the day's time of exercise is that of the workouts, and of Apple's exports only what they say themselves")
  func day() {
    for (family, expected) in [(HealthFamily.healthConnect, "2400"), (.apple, "-")] {
      var export = Export(family)
      export.add(.workout, "app", "01 10:00", "01 10:30") { $0.text = "running" }
      export.add(.workout, "other", "01 10:20", "01 10:40") { $0.text = "yoga" }
      export.collector.noteQuantity(.workout)
      #expect(export.result.value("2026-03-01", "active_duration") == expected)
      #expect(export.result.quantities.contains(.exercise) == (family == .healthConnect))
    }
  }

  @Test("mindful time of an app that is not in the owner's order does not count")
  func mindful() {
    var export = Export(.healthConnect)
    _ = export.source(HealthSource("calm", priorities: [.wellness: .place(1)]))
    export.add(.mindful, "calm", "01 10:00", "01 10:10")
    export.add(.mindful, "noise", "01 10:05", "01 10:40")
    #expect(export.result.value("2026-03-01", "mindful_duration") == "600")
    // An order of another category says nothing of it.
    var other = Export(.healthConnect)
    _ = other.source(HealthSource("calm", priorities: [.sleep: .place(1)]))
    other.add(.mindful, "calm", "01 10:00", "01 10:10")
    other.add(.mindful, "noise", "01 10:05", "01 10:40")
    #expect(other.result.value("2026-03-01", "mindful_duration") == "2400")
  }

  @Test("of two programs' nights the one counts that the owner put first, without an order the one with stages")
  func night() {
    func slept(_ priorities: [HealthCategory: HealthSource.Priority]) -> String {
      var export = Export(.healthConnect)
      _ = export.source(HealthSource("phone", priorities: priorities))
      _ = export.source(
        HealthSource("band", priorities: priorities.isEmpty ? [:] : [.sleep: .place(2)]))
      export.add(.sleep, "phone", "01 23:00", "02 06:00") { $0.stage = .asleep }
      export.add(.sleep, "band", "01 23:30", "02 05:30") { $0.stage = .core }
      return export.result.sleep.first?.metrics["sleep_duration"] ?? "-"
    }
    #expect(slept([.sleep: .place(1)]) == "25200")
    #expect(slept([:]) == "21600")
  }

  @Test("of a workout that two programs have, without an order the one that was changed last is there")
  func mirror() {
    for later in ["a", "b"] {
      var export = Export(.healthConnect)
      for (name, end) in [("a", "01 11:00"), ("b", "01 10:58")] {
        export.add(.workout, name, "01 10:00", end) {
          ($0.text, $0.id, $0.modified) = ("running", name, name == later ? 2 : 1)
        }
      }
      #expect(export.result.workouts.map(\.identity) == [.named(later, "workout", of: .healthConnect)])
    }
  }
}
