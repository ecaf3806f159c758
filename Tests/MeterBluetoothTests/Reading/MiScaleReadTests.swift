import BluetoothWire
import MeterCore
import MeterDrivers
import Testing
import VirtualMeter
import TestSupport

@testable import MeterBluetooth

/// Xiaomi's scales from their advertisements in the air to the readings on disk.
@Suite("Reading the Mi scales over the virtual air", .jumpingTime, .timeLimit(.minutes(60)))
struct MiScaleReadTests {
  /// A shipped scale, and what a read of it must bring.
  struct Scale: Sendable, CustomStringConvertible {
    let script: String
    let peripheral: UInt32
    let values: [String]
    /// Different payloads of the swinging scale.
    let swings: Int

    var description: String { script }

    /// The scale, faster than a real one.
    func meter(_ change: (String) -> String = { $0 }) throws -> VirtualMeter {
      try BenchMeter.shipped(script) { text in
        change(text.replacing("\"interval_ms\": 100", with: "\"interval_ms\": 5"))
      }
    }
  }

  private static let scales = [
    Scale(script: "mi-scale-1", peripheral: 10_210, values: ["body_weight 86.55 kg"], swings: 2),
    Scale(
      script: "mi-scale-2", peripheral: 10_211, values: ["body_weight 140.65 [lb_av]", "body_impedance 503 Ohm"],
      swings: 1),
  ]
  private static let staged = Result { try StagedRegistry(drivers: ["mi-scale"]) }

  /// The scripts' measurements are years old: only who wants a meter's past gets them.
  private static func options(holdOff: Duration = .seconds(10)) -> ReadOptions {
    .holdOff(holdOff) { $0.takesHistory = true }
  }

  private func values(_ result: ReadResult) -> [[String]] {
    result.submitted.map { record in
      record.record.values.map { "\($0.metricName) \(Self.text($0.number)) \($0.ucum)" }
    }
  }

  private static func text(_ number: ReportedNumber) -> String {
    let value = Double("\(number.mantissa)e\(number.exponent)") ?? .nan
    return value == value.rounded() ? "\(Int(value))" : "\(value)"
  }

  @Test(
    "the weight that holds is delivered once, however often the scale repeats it", arguments: scales,
    [DriverHostConfiguration.Isolation.inProcess, .worker])
  func stable(scale: Scale, isolation: DriverHostConfiguration.Isolation) async throws {
    let meter = try scale.meter { $0.replacing("\"count\": 5", with: "\"count\": 40") }
    try await ReadBench.withAir([meter], staged: try Self.staged.get(), isolation: isolation) { bench, _ in
      let result = try await bench.read(scale.peripheral, Self.options())
      #expect(result.end == "completed", "\(result.error?.message ?? "")")
      #expect(values(result) == [scale.values])
      #expect(result.words.filter { $0 == "ready" }.count == 1)
      // Each payload of the swinging scale was seen once.
      #expect(result.words.filter { $0 == "provisional" }.count == scale.swings)
      #expect(result.summary.records.count == 1 && result.summary.duplicates == 0)
      #expect(try bench.readings.count == 1)
      #expect(result.submitted.map(\.record.source.deviceID) == [meter.script.address.description])
    }
    #expect(meter.counters.connections == 0)
  }

  @Test("a weight that still moves is never delivered", arguments: scales)
  func unstable(scale: Scale) async throws {
    // The control bits of a scale that never comes to rest: neither stable nor left.
    let meter = try scale.meter { text in
      text.replacing("\"229e", with: "\"029e").replacing("\"a29e", with: "\"029e").replacing("\"0324", with: "\"0304")
        .replacing("\"0326", with: "\"0304").replacing("\"03a6", with: "\"0304")
    }
    try await ReadBench.withAir([meter], staged: try Self.staged.get()) { bench, _ in
      let result = try await bench.read(scale.peripheral, Self.options(holdOff: .milliseconds(500)))
      #expect(result.end == "failed no_reading", "\(result.words)")
      #expect(result.words.contains("provisional"))
      #expect(try bench.readings.isEmpty && result.submitted.isEmpty)
    }
  }

  @Test("what the scale still shows of the last measurement is no second one", arguments: scales)
  func lastMeasurement(scale: Scale) async throws {
    try await ReadBench.withAir([], staged: try Self.staged.get()) { bench, air in
      for turn in 1...2 {
        let meter = try scale.meter()
        let running = Task { try await meter.run(in: air) }
        let result = try await bench.read(
          scale.peripheral, Self.options(holdOff: turn == 1 ? .seconds(10) : .seconds(3)))
        running.cancel()
        _ = await running.result
        #expect(result.end == "completed", "\(result.error?.message ?? "")")
        #expect(result.submitted.count == (turn == 1 ? 1 : 0))
      }
      #expect(try bench.readings.count == 1)
    }
  }

  @Test("both at once: the read is of the scale that was chosen")
  func both() async throws {
    let meters = try Self.scales.map { try $0.meter() }
    try await ReadBench.withAir(meters, staged: try Self.staged.get()) { bench, _ in
      let result = try await bench.read(10_211, Self.options())
      #expect(values(result) == [Self.scales[1].values])
      #expect(result.words.filter { $0 == "connected" }.count == 1)
    }
  }

  @Test("a changed payload of the chosen scale is heard among many advertisers")
  func crowd() async throws {
    let crowd = try (0..<60).map { number in
      let address = "00:00:00:00:10:\(number < 10 ? "0" : "")\(number)"
      return VirtualMeter(
        script: try MeterScript.parse(
          json: #"""
            {"name": "crowd", "manufacturer": "crowd", "address": "\#(address)", "services": [],
             "advertisement": {"interval_ms": 1, "connectable": false, "services": ["181D"]},
             "behaviour": {"kind": "advertise", "repeat": true, "steps": [
               {"service_data": {"uuid": "181D", "data": "00"}}, {"service_data": {"uuid": "181D", "data": "01"}}]}}
            """#), clock: .ofTest)
    }
    try await ReadBench.withAir(crowd + [try Self.scales[1].meter()], staged: try Self.staged.get()) { bench, _ in
      let result = try await bench.read(10_211, Self.options(holdOff: .seconds(10)))
      #expect(values(result) == [Self.scales[1].values], "\(result.words)")
      #expect(result.words.filter { $0 == "provisional" }.count == 1)
    }
  }
}
