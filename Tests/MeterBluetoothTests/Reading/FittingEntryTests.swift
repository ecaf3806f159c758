import MeterCore
import MeterDrivers
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth

/// Several models advertise alike; which one a meter is stands in its Device Information.
@Suite("The entry that fits best", .jumpingTime, .timeLimit(.minutes(60)))
struct FittingEntryTests {
  @Test("a meter that says another model is left alone, and the right one is read", arguments: [false, true])
  func bothInTheAir(otherFirst: Bool) async throws {
    let meters = [try BenchMeter.shipped("verio-flex"), try BenchMeter.shipped("select-plus-flex")]
    let bench = try ReadBench(BenchRadio(otherFirst ? meters.reversed() : meters), isolation: .inProcess)
    let read = try await bench.read(10400, .with { $0.pairs = true })
    #expect(read.end == "completed", "\(read.words) \(read.error?.message ?? "")")
    let models = try bench.store.queueSnapshot().compactMap { $0.record?.source.model }
    #expect(!models.isEmpty && models.allSatisfy { $0.contains("Verio Flex") }, "\(models)")
  }

  @Test("a meter of another model alone is named")
  func onlyTheOther() async throws {
    let bench = try ReadBench(try BenchMeter.shipped("select-plus-flex"), isolation: .inProcess)
    let read = try await bench.read(10400, .with { $0.pairs = true })
    #expect(read.error?.code == .connectionTimeout && read.submitted.isEmpty)
    #expect(read.error?.message.contains("10402") == true, "\(read.error?.message ?? "")")
  }

  @Test("a scale that advertises another protocol's weights is not read by the profile, under no name either")
  func otherProtocolUnderTheProfile() async throws {
    let scale = try MeterScript.parse(
      json: """
        {"name": "Scale", "manufacturer": "Xiaomi", "address": "7C:01:0A:5C:A1:E4",
         "advertisement": {"interval_ms": 100, "raw": "02010603021d180d161d18029e43e507040b101301"},
         "services": [{"uuid": "181D", "characteristics": [{"uuid": "2A9D", "properties": ["notify"]}]}],
         "behaviour": {"kind": "stream", "characteristic": "2A9D", "period_ms": 300, "at_end": "stop",
          "values": ["021027ea070b1a0a0101", "22004bea070b1a0a0103", "a2004bea070b1a0a0104"]}}
        """)
    let bench = try ReadBench(VirtualMeter(script: scale, clock: .ofTest), isolation: .inProcess)
    let read = try await bench.read(5000)
    #expect(read.submitted.isEmpty, "\(read.words)")
    #expect(read.error?.message.contains("10210") == true, "\(read.error?.message ?? read.end)")
  }
}
