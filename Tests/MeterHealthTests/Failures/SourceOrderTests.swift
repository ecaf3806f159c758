import DriverContract
import TestSupport
import Testing

@testable import MeterHealth

/// Which source counts, from one export to the next.
@Suite("The order of sources over several exports") struct SourceOrderTests {
  private static let day = "2026-03-01"

  private static func three(_ change: @escaping (inout HealthOptions) -> Void = { _ in }) -> HealthResult {
    var export = Export(change: change)
    for (name, steps) in [("App", "1200"), ("iPhone", "1100"), ("Kim\u{2019}s Watch", "1000")] {
      export.add(.steps, name, "01 10:00", "01 10:10", steps)
    }
    return export.result
  }

  @Test("the owner's order comes before that of devices, and a source that is off counts never")
  func configured() {
    #expect(Self.three().value(Self.day, "steps") == "1000")
    #expect(Self.three { $0.configured = [.init("App")] }.value(Self.day, "steps") == "1200")
    #expect(Self.three { $0.configured = [.init("iPhone"), .init("App")] }.value(Self.day, "steps") == "1100")
    #expect(Self.three { $0.configured = [.init("Kim's Watch", isOff: true)] }.value(Self.day, "steps") == "1100")
    let all = ["App", "iPhone", "Kim's Watch"].map { SourceRanking.Configured($0, isOff: true) }
    #expect(Self.three { $0.configured = all }.value(Self.day, "steps") == "-")
  }

  @Test("two apps keep the order in which they were found, also when the other one records more later")
  func firstSeen() {
    func result(_ longer: String, _ known: [SourceRanking.Known]) -> HealthResult {
      var export = Export { $0.known = known }
      export.add(.steps, "A", "01 10:00", "01 10:10", "100")
      export.add(.steps, "B", "01 10:00", "01 10:10", "200")
      export.add(.steps, longer, "04 10:00", "04 18:00", "7")
      return export.result
    }
    let first = result("A", [])
    #expect(first.value(Self.day, "steps") == "100")
    #expect(result("B", first.knownSources).days[0] == first.days[0])
    // Without what the first import found the day would be another one.
    #expect(result("B", []).value(Self.day, "steps") == "200")
  }

  @Test(
    "a new watch changes no day before its first sample, and counts from then on", arguments: 0..<6 as Range<UInt64>)
  func newWatch(seed: UInt64) {
    func result(_ hasWatch: Bool, _ known: [SourceRanking.Known]) -> HealthResult {
      var generator = SeededGenerator(seed: seed)
      var export = Export { $0.known = known }
      for _ in 0..<300 {
        let start = Int64.random(in: 0..<20 * 86_400, using: &generator)
        let name = ["iPhone", "Old Watch", "App", "Other"].randomElement(using: &generator) ?? ""
        let (length, steps) = (
          Int64.random(in: 0...7_200, using: &generator), Int.random(in: 0...900, using: &generator)
        )
        export.add(.steps, name, "01 00:00", nil, "\(steps)") {
          $0.start += start * 1_000_000
          $0.end = $0.start + length * 1_000_000
        }
      }
      if hasWatch { export.add(.steps, "New Watch", "11 00:00", "12 00:00", "77") }
      return export.result
    }
    let first = result(false, [])
    let second = result(true, first.knownSources)
    #expect(first.days.prefix { $0.day.text < "2026-03-11" } == second.days.prefix { $0.day.text < "2026-03-11" })
    // The old one was found first, so it still counts where it has recorded.
    #expect(second.knownSources.prefix(first.knownSources.count) == first.knownSources[...])
    #expect(first.value("2026-03-11", "steps") != second.value("2026-03-11", "steps"))
  }
}
