import MeterDrivers
import TestSupport
import Testing

@testable import MeterBluetooth

/// No driver may count the meter's silence from the first question of several: a meter, or a host, that takes seconds for each
/// answer is slow and not silent.
@Suite("Every shipped meter, slow to answer", .jumpingTime, .timeLimit(.minutes(60)))
struct SlowMeterTests {
  @Test("is read to the end although each of its PDUs takes its time", arguments: MatrixMeter.all)
  func slow(subject: MatrixMeter) async throws {
    // TaiDoc's protocol grants two seconds for an answer, which may come in several values.
    let isTaiDoc = subject.script.hasPrefix("fora-")
    let delay = isTaiDoc ? 500 : 1400
    let bench = try MatrixBench(subject, faults: [#"{"kind": "delay", "milliseconds": \#(delay), "on": "all"}"#])
    let read = try await bench.read()
    #expect(read.end == "completed", "\(read.words) \(read.error?.message ?? "")")
    #expect(JumpingClock.ofTest.elapsed > .seconds(10))
    try bench.checkReadings("slow", brokenLinks: 0)
  }
}
