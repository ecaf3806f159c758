import Foundation
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth

/// What SDK/meters/demo/expected-readings.json says, written from the vectors.
struct ExpectedReadings: Decodable {
  struct Entry: Decodable {
    var meter: String
    var metric: String
    var value: Double
    var unit: String
    var civil_time: String?
  }

  var meters: [String]
  var readings: [Entry]

  static func load() throws -> ExpectedReadings {
    let file = BuildProducts.meterScript("demo/expected-readings")
    return try JSONDecoder().decode(ExpectedReadings.self, from: Data(contentsOf: file))
  }

  func of(_ meter: String) -> [Reading] {
    readings.filter { $0.meter == meter }
      .map { Reading(metric: $0.metric, value: $0.value, unit: $0.unit, civilTime: $0.civil_time) }
  }
}

@Suite("Every shipped meter", .jumpingTime, .timeLimit(.minutes(60)))
struct ShippedMeterTests {
  static let peripherals: [(script: String, id: UInt32)] = [
    ("contour-next-one", 1000), ("accu-chek-guide", 1000), ("glucose-molar", 1000), ("ketone-filler", 1000),
    ("caresens-dual", 1000), ("thermometer-with-clock", 4000), ("pyle-thermometer", 1),
    ("contour-next-one", 10000), ("accu-chek-guide", 10001), ("pyle-thermometer", 4000),
  ]

  /// A monitor's record has several values, and a scale that advertises is not connected to: they have tests of their own.
  @Test("is in this list")
  func complete() throws {
    let expected = try ExpectedReadings.load().meters.map { String($0.dropLast(5)) }
    #expect(Set(expected) == Set(Self.peripherals.map(\.script) + ["omron-x4-smart", "mi-scale-2"]))
  }

  @Test("reads to the vectors' values, and a second read delivers nothing", arguments: peripherals)
  func reads(script: String, id: UInt32) async throws {
    let meter = try BenchMeter.shipped(script)
    let bench = try ReadBench(meter)
    let expected = Set(try ExpectedReadings.load().of(meter.script.name))
    #expect(!expected.isEmpty)
    let first = try await bench.read(id)
    #expect(first.end == "completed", "\(first.words) \(first.error?.message ?? "")")
    #expect(!first.summary.usedCache)
    let stored = try bench.readings
    #expect(Set(stored) == expected && stored.count == expected.count)
    #expect(first.submitted.count == expected.count)
    // A meter with a memory may send before the last subscription is in place: the order is the meter's.
    #expect(first.words.contains("ready"))

    // The Pyle forgets what was confirmed and waits for a measurement: the rest is in the test of that.
    guard meter.recordsLeft > 0 else { return }
    let second = try await bench.read(id)
    #expect(second.end == "completed", "\(second.words) \(second.error?.message ?? "")")
    #expect(second.submitted.isEmpty && second.summary.records.isEmpty && second.summary.usedCache)
    #expect(try bench.readings == stored)
  }
}
