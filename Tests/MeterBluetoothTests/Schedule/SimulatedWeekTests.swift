import Testing

@testable import MeterBluetooth

@Suite("Simulated time", .timeLimit(.minutes(60)))
struct SimulatedWeekTests {
  @Test("a thousand meters on three adapters for a week: no rule is broken, and every reading is read in its time")
  func week() {
    var air = SimulatedAir(meters: 1000, days: 7, slots: [4, 5, 3], seed: 1)
    let report = air.run()
    #expect(report.violations == [])
    #expect(report.made > 15_000 && report.read == report.made && report.unread == 0)
    #expect(report.missed == [], "who advertised for ten seconds, with nothing in the way, was read")
    #expect(report.handedOver > 20 && report.expired < report.interactive / 3)
    // A session takes a second to ten; whoever waits longer was on a meter that failed or had to give way.
    #expect(SimulationReport.percentile(0.5, of: report.latencies) < 8)
    #expect(SimulationReport.percentile(0.99, of: report.latencies) < 25)
    #expect(SimulationReport.percentile(0.9, of: report.personWaits) < 3)
    #expect(report.wakes < report.starts, "it wakes for a reason")
  }

  @Test(
    "one adapter with one slot misses meters that come together, and loses no reading",
    arguments: 1..<4 as Range<UInt64>)
  func oneSlot(seed: UInt64) {
    var air = SimulatedAir(meters: 200, days: 2, slots: [1], seed: seed)
    let report = air.run()
    #expect(report.violations == [])
    #expect(report.made > 500 && report.read == report.made && report.unread == 0)
    #expect(report.missed.count < report.visits / 20)
  }
}
