import DriverContract
import Testing

@testable import MeterHealth

@Suite("Order of sources")
struct SourceRankingTests {
  static let sources = [HealthSource("Zeta"), HealthSource("iPhone"), HealthSource("Alpha"), HealthSource("Watch")]

  static func order(_ ranking: SourceRanking) -> [String] {
    zip(ranking.places, ranking.keys).sorted { $0.0 < $1.0 }.map(\.1)
  }

  @Test("watch, phone, then others by how long they have recorded, then by name")
  func kinds() {
    #expect(Self.order(SourceRanking(Self.sources, of: .apple)) == ["Watch", "iPhone", "Alpha", "Zeta"])
    #expect(
      Self.order(SourceRanking(Self.sources, of: .apple, coverage: [9, 1, 5, 1])) == [
        "Watch", "iPhone", "Zeta", "Alpha",
      ])
  }

  @Test("the user's order comes first, and a source that is off never counts")
  func configured() {
    let ranking = SourceRanking(
      Self.sources, of: .apple, configured: [.init("Alpha"), .init("iPhone"), .init("Watch", isOff: true)])
    #expect(Self.order(ranking) == ["Alpha", "iPhone", "Watch", "Zeta"])
    #expect(ranking.rank(of: 3, for: .steps) == nil)
    #expect(ranking.rank(of: 2, for: .steps) == 0)
  }

  @Test("an order that was found once stays over further imports")
  func known() {
    let first = SourceRanking(Self.sources, of: .apple, coverage: [9, 1, 5, 1])
    let second = SourceRanking(
      Self.sources.reversed() + [HealthSource("Second Watch"), HealthSource("Beta")], of: .apple, known: first.known,
      coverage: [1, 500, 1, 1, 99, 800])
    #expect(Self.order(second) == ["Watch", "Second Watch", "iPhone", "Zeta", "Alpha", "Beta"])
    #expect(second.known.prefix(4) == first.known[...])
    // A device that an export describes otherwise stays of its kind.
    let third = SourceRanking([HealthSource("Zeta", flags: .watch)], of: .apple, known: second.known)
    #expect(third.kinds == [.other])
  }

  @Test("a new Watch changes no day before its first sample")
  func newWatch() {
    func days(_ hasSecond: Bool, _ known: [SourceRanking.Known]) -> HealthResult {
      var export = Export { $0.known = known }
      export.add(.steps, "Watch", "01 10:00", "01 11:00", "1000")
      export.add(.steps, "iPhone", "01 10:00", "01 12:00", "1800")
      if hasSecond { export.add(.steps, "New Watch", "05 10:00", "05 11:00", "300") }
      return export.result
    }
    let first = days(false, [])
    let second = days(true, first.knownSources)
    #expect(first.days[0] == second.days[0])
    #expect(second.value("2026-03-05", "steps") == "300")
  }

  @Test("the phone's own packages are one source of Health Connect")
  func phone() {
    let sources = ["android", "com.android.healthconnect.phone.steps", "com.example"].map { HealthSource($0) }
    #expect(SourceRanking(sources, of: .healthConnect).keys == ["android", "android", "com.example"])
  }

  @Test("an app that its owner has left out of a category does not count there")
  func leftOut() {
    let sources = [
      HealthSource("a", priorities: [.activity: .leftOut, .sleep: .place(1)]),
      HealthSource("b", priorities: [.activity: .place(2)]), HealthSource("c", priorities: [.activity: .place(1)]),
    ]
    let ranking = SourceRanking(sources, of: .healthConnect)
    #expect(ranking.rank(of: 0, for: .steps) == nil)
    #expect(ranking.rank(of: 0, for: .sleep) != nil)
    #expect(ranking.rank(of: 1, for: .sleep) == nil)
    let places = [1, 2].map { ranking.rank(of: $0, for: .steps) ?? 0 }
    #expect(places[1] < places[0])
  }
}
