import Testing

@testable import MeterBluetooth

@Suite("A simulated week", .timeLimit(.minutes(15)))
struct SimulatedWeekTests {
  @Test("a thousand meters and three adapters for a week: no rule is broken and every reading is read")
  func week() {
    var air = SimulatedAir(meters: 1000, days: 7, slots: [3, 5, 1], seed: 1)
    let report = air.run()
    print(report.summary)
    print(report.missed.prefix(5))
  }
}
extension SimulationReport {
  var summary: String {
    "made \(made) read \(read) unread \(unread) visits \(visits) missed \(missed.count) heard \(heard) starts \(starts) wakes \(wakes) "
    + "interactive \(interactive) handed over \(handedOver) expired \(expired) "
    + "latency \(Self.percentile(0.5, of: latencies)) \(Self.percentile(0.95, of: latencies)) \(Self.percentile(0.99, of: latencies)) \(Self.percentile(1, of: latencies)) "
    + "waits \(Self.percentile(0.5, of: personWaits)) \(Self.percentile(0.99, of: personWaits)) \(Self.percentile(1, of: personWaits)) \n\(violations)"
  }
}
