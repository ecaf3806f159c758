import BluetoothWire
import Foundation
import Testing
import VirtualMeter

@testable import MeterBluetooth
import TestSupport

/// The same reads over the virtual air: advertisements and links through sockets in a folder.
@Suite("Reading over the virtual air", .jumpingTime, .timeLimit(.minutes(60)))
struct VirtualAirReadTests {
  @Test("finds the meter that fits among others, reads it, and finds it again")
  func finds() async throws {
    let meters = [
      try BenchMeter.shipped("pyle-thermometer"), try BenchMeter.shipped("contour-next-one"),
      try BenchMeter.thermometer(),
    ]
    try await ReadBench.withAir(meters) { bench, _ in
      let first = try await bench.read(1000)
      #expect(first.end == "completed" && first.submitted.count == 2, "\(first.words)")
      #expect(first.summary.advertisementToCommit != nil)
      let second = try await bench.read(1000)
      #expect(second.end == "completed" && second.submitted.isEmpty)
    }
    #expect(meters[0].counters.connections == 0 && meters[1].counters.connections == 2)
  }

  @Test("hears a meter that is switched on later, past files that nobody listens behind")
  func appears() async throws {
    let meter = try BenchMeter.glucose()
    try await ReadBench.withAir([]) { bench, air in
      let name = try air.advertisingPath(of: meter.script.address)
      for path in [name + ".adv", air.folder + "/000000000009.adv"] { try Data().write(to: URL(filePath: path)) }
      let started = Gate()
      let running = Task {
        await started.pass()
        try await meter.run(in: air)
      }
      let result = try await bench.read(1000) { event in
        if case .started = event { started.open() }
      }
      running.cancel()
      _ = await running.result
      #expect(result.end == "completed" && result.submitted.count == 5, "\(result.words)")
    }
  }

  @Test("a folder that is not there is silence")
  func noAir() async throws {
    let bench = try ReadBench(VirtualRadio(air: VirtualAir(folder: "/nowhere/air"), clock: .ofTest))
    let result = try await bench.read(1000, .with { $0.connectionTimeout = .milliseconds(50) })
    #expect(result.error?.code == .connectionTimeout)
  }
}
