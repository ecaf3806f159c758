import Foundation
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayTools

@Suite struct DemoPlanTests {
  private let plan: DemoPlan
  private let good: [DemoReading]

  init() throws {
    plan = try DemoPlan.load(from: Installation.shared().meters.path)
    good = plan.readings.enumerated().map { number, expected in
      DemoReading(
        meter: expected.meter, metric: expected.metric, value: expected.value, unit: expected.unit,
        time: "2026-01-01T00:00:0\(number % 10)Z", civilTime: expected.civilTime ?? "2026-01-01T00:00:00",
        logID: "log-\(number)", receiverID: "id-\(number)", revision: 1)
    }
  }

  private func kinds(_ stored: [DemoReading]) -> [DemoProblem.Kind] { plan.problems(in: stored).map(\.kind) }

  @Test func whatIsExpectedHasNoProblemInWhateverOrder() {
    #expect(plan.readings.count == 18)
    #expect(plan.problems(in: good).isEmpty)
    #expect(plan.problems(in: good.reversed()).isEmpty)
  }

  @Test(arguments: 0..<11)
  func everyMissingReadingIsFound(index: Int) throws {
    var stored = good
    let gone = stored.remove(at: index)
    let problem = try #require(plan.problems(in: stored).first)
    #expect(kinds(stored) == [.missing])
    #expect(problem.message.contains(gone.meter) && problem.message.contains(plan.readings[index].vector))
  }

  @Test(arguments: 0..<11)
  func everyDoubledReadingIsFound(index: Int) {
    var twin = good[index]
    twin.logID = "twin"
    #expect(kinds(good + [twin]) == [.doubled])
    #expect(kinds([twin] + good) == [.doubled])
  }

  @Test(arguments: 0..<11)
  func everyDifferentReadingIsFound(index: Int) {
    let changes: [(inout DemoReading) -> Void] = [
      { $0.value += 0.1 }, { $0.unit = "mol/L" },
      { $0.civilTime = "1999-01-01T00:00:00" },
    ]
    for (number, change) in changes.enumerated() {
      // A meter without a clock may have any time.
      if number == 2, plan.readings[index].civilTime == nil { continue }
      var stored = good
      change(&stored[index])
      #expect(kinds(stored) == [.different])
    }
  }

  @Test func aReadingThatNobodyExpectsIsFound() {
    var stranger = good[0]
    stranger.metric = "body_mass"
    #expect(kinds(good + [stranger]) == [.unexpected])
    var other = good[0]
    other.meter = "unknown"
    #expect(kinds(good + [other]) == [.unexpected])
  }

  @Test func nothingStoredMeansEverythingMissing() {
    #expect(kinds([]) == Array(repeating: .missing, count: 18))
  }

  @Test func aReadingOfAnyTimeLeavesTheOthersTheirs() {
    let timed = ExpectedReading(
      meter: "m", metric: "x", value: 1, unit: "1", civilTime: "2020-01-01T00:00:00", vector: "a")
    var free = timed
    free.civilTime = nil
    let small = DemoPlan(meters: [], readings: [free, timed])
    let stored = ["2020-01-01T00:00:00", "2021-01-01T00:00:00"].map {
      DemoReading(
        meter: "m", metric: "x", value: 1, unit: "1", time: "t", civilTime: $0, logID: $0, receiverID: "", revision: 1)
    }
    #expect(small.problems(in: stored).isEmpty)
  }

  @Test func aDamagedOrMissingPlanSaysWhichFile() async throws {
    try await Sandbox.with { sandbox in
      let missing = #expect(throws: GatewayError.self) { try DemoPlan.load(from: sandbox.root.path) }
      #expect(missing?.code == "no_plan" && missing?.message.contains("expected-readings.json") == true)
      try FileManager.default.createDirectory(atPath: sandbox.path("demo"), withIntermediateDirectories: true)
      _ = try sandbox.file("demo/expected-readings.json", "{\"meters\": 7}")
      let damaged = #expect(throws: GatewayError.self) { try DemoPlan.load(from: sandbox.root.path) }
      #expect(damaged?.message.contains("damaged") == true)
    }
  }
}
