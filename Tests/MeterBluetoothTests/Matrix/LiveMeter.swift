import MeterDrivers
import Testing
import VirtualMeter

@testable import MeterBluetooth
import TestSupport

/// A shipped meter that stores nothing: it sends what it measures while somebody listens, and a read waits for a result.
struct LiveMeter: Sendable, CustomTestStringConvertible {
  var meter: MatrixMeter
  /// The readings that its values can make.
  var results: [[Reading]]

  var testDescription: String { meter.testDescription }

  static let all: [LiveMeter] = [
    // The driver wants ten seconds of values, however many they are.
    LiveMeter(
      meter: MatrixMeter("polar-h7", 6000, []).but("faster", behaviour: #"{"period_ms": 500}"#),
      results: [("77", "0.771484375"), ("79", "0.751953125")].map { rate, interval in
        record(nil, "heart_rate \(rate) /min", "sensor_contact 3 1", "rr_interval \(interval) s")
      }),
    LiveMeter(
      meter: MatrixMeter("continuous-oximeter", 2000, []).but("faster", behaviour: #"{"period_ms": 10}"#),
      results: [record(nil, "spo2 97 %", "pulse 75 /min", "oximeter_measurement_status 128 1")]),
  ]
}

/// What holds for a meter without a memory: a broken link may cost the reading, and the person measures again. It never
/// doubles one, and never makes one of values that have not settled.
@Suite("Every shipped meter without a memory, dropped at every PDU", .jumpingTime, .timeLimit(.minutes(60)))
struct LiveDropTests {
  @Test("a read that completes has brought one reading, and one that breaks none", arguments: LiveMeter.all)
  func everyPDU(live: LiveMeter) async throws {
    let whole = try MatrixBench(live.meter)
    #expect(try await whole.read().end == "completed")
    try check(live, whole, completed: 1, "undisturbed")
    let total = whole.meter.counters.pdusIn + whole.meter.counters.pdusOut
    #expect(total > 12)
    // Side by side: most of the time they wait for the next value.
    await withTaskGroup(of: Void.self) { group in
      for count in 1...total {
        for isLost in [false, true] {
          group.addTask {
            do { try await broken(live, count, isLost) } catch { Issue.record("PDU \(count): \(error)") }
          }
        }
      }
    }
  }

  private func broken(_ live: LiveMeter, _ count: Int, _ isLost: Bool) async throws {
    let fault = #"{"kind": "disconnect-after-pdu", "count": \#(count), "lost": \#(isLost), "only_connection": 1}"#
    let bench = try MatrixBench(live.meter, faults: [fault], isolation: count % 8 == 0 ? .worker : .inProcess)
    let place = "\(live.testDescription), PDU \(count)\(isLost ? ", lost" : "")"
    let first = try await bench.read()
    #expect(first.end == "completed" || first.error?.isBrokenLink == true, "\(place): \(first.words)")
    let completed = first.end == "completed" ? 1 : 0
    try check(live, bench, completed: completed, place)
    let second = try await bench.read()
    #expect(second.end == "completed", "\(place): \(second.words) \(second.error?.message ?? "")")
    try check(live, bench, completed: completed + 1, place)
  }

  private func check(_ live: LiveMeter, _ bench: MatrixBench, completed: Int, _ place: String) throws {
    let records = try bench.wholeRecords
    #expect(records.count == completed, "\(place): \(records)")
    #expect(records.allSatisfy { record in live.results.contains { Set($0) == Set(record) } }, "\(place): \(records)")
    try bench.checkQueue(place)
  }
}
