import BluetoothWire
import Foundation
import HostPrimitives
import MeterCore
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth

/// A person does not wait for a meter that nobody knows: any device can say that it is one, and keep its link.
@Suite("A person and an unknown meter that is being read", .jumpingTime, .timeLimit(.minutes(60)))
struct StrangerGivesWayTests {
  /// More than a minute for all of its records, on its first link.
  private static let slow = #"{"kind": "delay", "milliseconds": 4000, "on": "notification", "only_connection": 1}"#

  private func know(_ serial: String, _ meter: VirtualMeter, _ bench: ReadBench) throws {
    try bench.store.noteMeter(
      MeterSighting(
        MeterIdentity(serial: serial, model: nil, systemID: nil, address: ""), peripheral: 1000,
        address: meter.script.address.description, addressKind: nil, isRead: true))
  }

  /// Waits until the meter has sent so many notifications and indications.
  private func sends(_ count: Int, _ meter: VirtualMeter) -> Task<Void, Never> {
    let events = meter.events()
    return Task {
      var sent = 0
      for await event in events {
        guard case .pdu(_, .out, let bytes) = event, bytes.first == 0x1B || bytes.first == 0x1D else { continue }
        sent += 1
        if sent == count { return }
      }
    }
  }

  @Test("it is broken off, and everything is there once in the end", arguments: [true, false])
  func givesWay(isKnown: Bool) async throws {
    let stranger = try BenchMeter.glucose(records: 20, faults: Self.slow)
    let own = VirtualMeter(
      script: try MeterScript.parse(
        json: BenchMeter.glucoseText(address: "03").replacingOccurrences(of: "B-1", with: "B-3")), clock: .ofTest)
    try await ReadBench.withAir([stranger]) { bench, air in
      if isKnown { try know("B-3", own, bench) }
      let (hasSent, waits) = (sends(5, stranger), Gate())
      let passive = bench.passive()
      try passive.choose([1000])
      await hasSent.value
      let running = Task {
        await waits.pass()
        try await own.run(in: air)
      }
      let start = JumpingClock.ofTest.now
      let read = try await bench.read(1000) { event in if case .started = event { waits.open() } }
      #expect(read.end == "completed" && !read.submitted.isEmpty, "\(read.words) \(read.error?.message ?? "")")
      #expect(JumpingClock.ofTest.now - start < .seconds(10))
      // Whichever was not the person's has its turn now.
      while try bench.readings.count < 25 { try await JumpingClock.ofTest.sleep(for: .seconds(1)) }
      try await JumpingClock.ofTest.sleep(for: .seconds(60))
      #expect(try bench.readings.count == 25)
      #expect(try Set(bench.readings) == Set(BenchMeter.glucoseReadings(20)))
      passive.stop()
      running.cancel()
      _ = await running.result
    }
  }

  @Test("one that is the person's own is read for the person, to the end and once")
  func personsOwn() async throws {
    let meter = try BenchMeter.glucose(records: 20, faults: Self.slow)
    try await ReadBench.withAir([meter]) { bench, _ in
      let hasSent = sends(5, meter)
      let passive = bench.passive()
      try passive.choose([1000])
      await hasSent.value
      let start = JumpingClock.ofTest.now
      let read = try await bench.read(1000)
      #expect(read.end == "completed", "\(read.words) \(read.error?.message ?? "")")
      #expect(JumpingClock.ofTest.now - start < .seconds(10))
      #expect(try bench.readings.count == 20)
      #expect(try Set(bench.readings) == Set(BenchMeter.glucoseReadings(20)))
      passive.stop()
    }
  }

  @Test("a value without a time of its own that has come is the person's, and not read twice")
  func liveValue() async throws {
    let meter = try BenchMeter.thermometer(
      hasClock: false, records: 3, faults: #"{"kind": "delay", "milliseconds": 4000, "on": "indication"}"#)
    try await ReadBench.withAir([meter]) { bench, _ in
      let hasSent = sends(2, meter)
      let passive = bench.passive()
      try passive.choose([4000])
      await hasSent.value
      let read = try await bench.read(4000, .with { $0.takesHistory = false })
      #expect(read.end == "already delivered", "\(read.words) \(read.error?.message ?? "")")
      let values = try bench.readings.map(\.value)
      #expect(!values.isEmpty && Set(values).count == values.count, "\(values)")
      passive.stop()
    }
  }
}
