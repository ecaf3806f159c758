import CMeterDriver
@testable import DriverTestBench
import Foundation
import TestSupport
import Testing

@Suite struct OneTouchDecodeTests {
  static let vectors = Vector.load("OneTouch")

  /// The driver's own metrics, as its registry entry names them.
  static func ownMetrics() throws -> [UInt16: String] {
    struct Registry: Decodable { let drivers: [Driver] }
    struct Driver: Decodable { let id: String, metrics: [Metric] }
    struct Metric: Decodable { let code: UInt16, name: String }
    let data = try Data(contentsOf: packageFolder().appendingPathComponent("registry.json"))
    let drivers = try JSONDecoder().decode(Registry.self, from: data).drivers
    let driver = try #require(drivers.first { $0.id == "org.meterhost.onetouch" })
    return Dictionary(uniqueKeysWithValues: driver.metrics.map { ($0.code, $0.name) })
  }

  @Test func vectorsAreThere() { #expect(Self.vectors.count == 28) }

  @Test(arguments: vectors)
  func vector(_ vector: Vector) throws {
    let host = try TestHost(bundle: "onetouch")
    let outcome = try #require(host.decode([(vector.uuid, vector.bytes)]).first)
    #expect(outcome.status == vector.status)
    let (names, own) = (try MetricNames.load(), try Self.ownMetrics())
    let expected = vector.records ?? []
    try #require(outcome.records.count == expected.count)
    for (record, wanted) in zip(outcome.records, expected) {
      #expect(record.kind == (wanted.kind == "measurement" ? MH_KIND_MEASUREMENT : MH_KIND_DIAGNOSTIC))
      #expect(timestamp(record) == wanted.timestamp && record.sequence == mh_seq_none())
      let values = zip(record.values, names.values(record)).map { value, named in
        Vector.Value(
          metric: own[value.metric] ?? named.metric, value: named.value, unit: named.unit, qualifier: named.qualifier)
      }
      #expect(values == wanted.values)
      #expect((record.flags & MH_REC_CONTROL != 0) == (wanted.values[0].metric == "control_solution_glucose"))
    }
  }

  @Test func smallArraysGiveTheSameRecords() throws {
    let host = try TestHost(bundle: "onetouch")
    let values = Self.vectors.map { ($0.uuid, $0.bytes) }
    #expect(host.decode(values) == host.decode(values, TestOpening(), .tiny))
  }

  @Test(arguments: [0x2a18, 0x7fff, 0x8002] as [UInt16])
  func otherCharacteristicsAreNotKnown(characteristic: UInt16) throws {
    let host = try TestHost(bundle: "onetouch")
    #expect(host.decode([(characteristic, [0x81])]).first?.status == MH_E_UNSUPPORTED)
  }

  /// Random and mutated bytes: no crash, and nothing that is no reading of the meter's range.
  @Test func noiseGivesNoImplausibleReading() throws {
    let host = try TestHost(bundle: "onetouch")
    var generator = SeededGenerator(seed: 0x40)
    var values: [(characteristic: UInt16, bytes: [UInt8])] = []
    for _ in 0..<4_000 {
      let vector = Self.vectors.randomElement(using: &generator)
      var bytes = vector?.bytes ?? []
      for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) { bytes = Array(bytes.prefix(Int.random(in: 0...24, using: &generator))) }
      values.append((UInt16(0x8000 + Int.random(in: 0...1, using: &generator)), bytes))
    }
    for outcome in host.decode(values) {
      #expect([MH_OK, MH_E_NO_VALUE, MH_E_PROTOCOL].contains(outcome.status))
      for record in outcome.records where record.kind == MH_KIND_MEASUREMENT {
        #expect(record.values.count == 1 && (20...600).contains(record.values[0].raw))
      }
    }
  }
}
