import MeterCore
import Testing
import VirtualMeter

@testable import MeterBluetooth
import TestSupport

/// Blood pressure monitors and heart-rate sensors through the whole host.
@Suite("Reading monitors and straps", .jumpingTime, .timeLimit(.minutes(60)))
struct MonitorReadTests {
  /// Ends the virtual meter's connection when it has sent everything, so that no test waits for silence.
  private func monitor(_ name: String, faults: String = "", resets: Bool = true) throws -> VirtualMeter {
    try BenchMeter.shipped(name) { text in
      var text = text
      if resets, !text.contains("disconnect_after_procedure") {
        text = text.replacing("\"records\":", with: "\"disconnect_after_procedure\": true, \"records\":")
      }
      return text.replacing("\"records\":", with: "\"faults\": [\(faults)], \"records\":")
    }
  }

  private func times(_ bench: ReadBench) throws -> [String] {
    try bench.readings.map { "\($0.value) \($0.civilTime ?? "-")" }.sorted()
  }

  @Test("a memory that is sent at every connection is stored once, and a failed measurement never")
  func memory() async throws {
    let bench = try ReadBench(try monitor("blood-pressure-memory"))
    let first = try await bench.read(3000)
    #expect(first.end == "completed", "\(first.words) \(first.error?.message ?? "")")
    #expect(first.words.contains("provisional"))
    let expected = ["102.0 2020-06-01T17:51:29", "124.0 2024-06-15T17:17:27", "127.0 2020-01-20T08:43:00"]
    #expect(try times(bench) == expected)
    let second = try await bench.read(3000)
    #expect(second.end == "completed" && second.submitted.isEmpty && second.summary.duplicates == 3)
    #expect(try times(bench) == expected)
  }

  @Test("a BM85's users are told apart, and its pulse is the one on the display", arguments: [3000, 10100] as [UInt32])
  func users(peripheral: UInt32) async throws {
    let bench = try ReadBench(try monitor("beurer-bm85"))
    let read = try await bench.read(peripheral)
    #expect(read.end == "completed", "\(read.words) \(read.error?.message ?? "")")
    let records = try bench.store.queueSnapshot().compactMap(\.record)
      .sorted { $0.time.startMicroseconds < $1.time.startMicroseconds }
    #expect(records.map(\.deviceUser) == [0, 0, 1, 1])
    #expect(records.map { $0.values.first { $0.metricName == "pulse" }?.number.mantissa } == [63, 60, 65, 87])
    #expect(records.allSatisfy { !$0.values.contains { $0.metricName == "mean_arterial_pressure" } })
  }

  /// The confirmation deletes: whatever PDU is the last of the first connection, both readings are kept.
  @Test("a monitor that deletes what is confirmed loses nothing, wherever the link breaks", arguments: 1...40)
  func deletion(pdus: Int) async throws {
    let meter = try monitor(
      "omron-x4-smart", faults: #"{"kind": "disconnect-after-pdu", "count": \#(pdus), "only_connection": 1}"#)
    let bench = try ReadBench(meter)
    _ = try await bench.read(10101)
    if meter.recordsLeft > 0 { _ = try await bench.read(10101) }
    #expect(meter.recordsLeft == 0)
    #expect(try times(bench) == ["118.0 2024-06-16T07:05:00", "124.0 2024-06-15T17:17:27"], "broken after \(pdus)")
  }

  @Test("a monitor whose clock is unset keeps its readings, flagged")
  func unsetClock() async throws {
    let bench = try ReadBench(try monitor("omron-x4-smart", faults: #"{"kind": "unset-clock"}"#))
    let read = try await bench.read(10101)
    #expect(read.end == "completed", "\(read.words) \(read.error?.message ?? "")")
    let records = try bench.store.queueSnapshot().compactMap(\.record)
    #expect(records.count == 2 && records.allSatisfy { $0.flags.contains(.clockSuspect) })
  }

  @Test("a strap's stream becomes one reading")
  func strap() async throws {
    let bench = try ReadBench(try BenchMeter.shipped("polar-h7"))
    let read = try await bench.read(6000)
    #expect(read.end == "completed", "\(read.words) \(read.error?.message ?? "")")
    // One a second for ten seconds; a busy machine brings several at once.
    #expect(read.words.contains("provisional"))
    #expect(try bench.readings.map { "\($0.metric) \($0.unit)" } == ["heart_rate /min"])
    #expect([77, 79].contains(try #require(try bench.readings.first).value))
  }
}
