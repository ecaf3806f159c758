import CMeterDriver
@testable import DriverTestBench
import Foundation
import TestSupport
import Testing

@Suite struct TaiDocDecodeTests {
  /// What a vector says besides the common form: how the meter's bytes are to be read.
  struct Kind: Decodable {
    let id: String
    let parameters: [String: Int64]

    static func load() throws -> [String: Int64] {
      let file = packageFolder().appendingPathComponent("Plugins/TaiDoc/vectors.json")
      let all = try JSONDecoder().decode([Kind].self, from: Data(contentsOf: file))
      return Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.parameters["meter_kind"] ?? 0) })
    }
  }

  static let vectors = Vector.load("TaiDoc")
  static let ownMetrics: [UInt16: String] = [
    0x8000: "frame_command", 0x8001: "frame_direction", 0x8002: "frame_payload",
  ]

  func opening(_ kind: Int64?) -> TestOpening {
    TestOpening(parameters: kind.map { [MeterKind.parameter: $0] } ?? [:])
  }

  @Test func everyVectorDecodesToItsValues() throws {
    let host = try TestHost(bundle: "taidoc")
    let dictionary = try MetricNames.load()
    let kinds = try Kind.load()
    #expect(Self.vectors.count >= 37)
    for vector in Self.vectors {
      let outcome = host.decode([(vector.uuid, vector.bytes)], opening(kinds[vector.id]))[0]
      let expected = vector.records ?? []
      #expect(outcome.status == vector.status, "\(vector)")
      #expect(outcome.records.count == expected.count, "\(vector)")
      for (record, wanted) in zip(outcome.records, expected) {
        let named = zip(record.values, dictionary.values(record)).map { raw, value in
          let name = Self.ownMetrics[raw.metric] ?? value.metric
          return Vector.Value(metric: name, value: value.value, unit: value.unit, qualifier: value.qualifier)
        }
        #expect(named == wanted.values, "\(vector)")
        #expect(timestamp(record) == wanted.timestamp, "\(vector)")
        #expect(record.kind == (wanted.kind == "diagnostic" ? MH_KIND_DIAGNOSTIC : MH_KIND_MEASUREMENT), "\(vector)")
      }
    }
  }

  func record(_ id: String, _ parameters: [UInt32: Int64] = [:]) throws -> TestRecord {
    let host = try TestHost(bundle: "taidoc")
    let vector = try #require(Self.vectors.first { $0.id == id })
    var opening = opening(try Kind.load()[id])
    opening.parameters.merge(parameters) { $1 }
    return try #require(host.decode([(vector.uuid, vector.bytes)], opening)[0].records.first)
  }

  @Test func numbersKeepTheirResolution() throws {
    let exact = try record("taidoc-multi-ketone").values[0]
    #expect(exact.raw == 6 && exact.exponent == -1 && exact.flags == 0)
    let rounded = try record("taidoc-multi-ketone-rounded").values[0]
    #expect(rounded.raw == 63 && rounded.exponent == -2 && rounded.flags == MH_VALUE_ROUNDED)
    let temperature = try record("taidoc-temperature-tenths").values[0]
    #expect(temperature.raw == 366 && temperature.exponent == -1)
    let fine = try record("taidoc-temperature-hundredths").values[0]
    #expect(fine.raw == 3719 && fine.exponent == -2)
  }

  /// Time, value and analyte as they were sent; the meal, which the person may change, is none of it.
  @Test func identityLeavesTheMealOut() throws {
    let time = taidocTime(2024, 2, 29, 7, 5)
    #expect(try record("taidoc-glucose-plain").identity == time + [110, 0, 0, 0, 0])
    #expect(try record("taidoc-glucose-before-meal").identity == time + [0x2c, 1, 0, 0, 0])
    #expect(try record("taidoc-glucose-control").identity == time + [120, 0, 0, 0, 1])
    #expect(try record("taidoc-multi-ketone").identity == time + [18, 0, 0, 7 << 2, 0])
    #expect(try record("taidoc-bp").identity == time + [128, 0, 82, 71, 0])
    #expect(try record("taidoc-temperature-tenths").identity == time + [0x6e, 1, 0, 0, 0])
    #expect(try record("taidoc-glucose-plain").identityClass == UInt16(MH_IDENT_STORED))
  }

  @Test func aReadingWithoutATimeIsLive() throws {
    let unset = try record("taidoc-glucose-unset-clock")
    #expect(unset.identityClass == UInt16(MH_IDENT_LIVE) && unset.identity.isEmpty)
    #expect(unset.flags == MH_REC_CLOCK_SUSPECT && unset.timeKind == UInt16(MH_TIME_NONE))
    let clockless = try record("taidoc-glucose-plain", [MH_PARAM_NO_CLOCK: 1])
    #expect(clockless.identityClass == UInt16(MH_IDENT_LIVE) && clockless.flags == 0)
  }

  @Test func controlSolutionAndUserAreMarked() throws {
    #expect(try record("taidoc-glucose-control").flags == MH_REC_CONTROL)
    #expect(try record("taidoc-bp", [MH_PARAM_USER_SLOT: 3]).deviceUser == 3)
  }

  /// Without the kind a meter's bytes could mean anything.
  @Test(arguments: [nil, 0, 5, -1] as [Int64?])
  func withoutTheMetersKindNothingIsRead(kind: Int64?) throws {
    let host = try TestHost(bundle: "taidoc")
    let vector = try #require(Self.vectors.first { $0.id == "taidoc-glucose-plain" })
    #expect(host.decode([(vector.uuid, vector.bytes)], opening(kind))[0].status == MH_E_NO_VALUE)
    #expect(host.openStatus(opening(kind)) == MH_E_ARG)
    #expect(host.decode([(0x2a18, vector.bytes)], opening(1))[0].status == MH_E_UNSUPPORTED)
  }

  @Test(arguments: [0, 1, 2, 3, 4] as [Int64])
  func mutatedBytesNeverGiveAnImplausibleRecord(kind: Int64) throws {
    let host = try TestHost(bundle: "taidoc")
    let bounds = try PlausibleRange.load()
    var generator = SeededGenerator(seed: UInt64(40 + kind))
    for _ in 0..<60 {
      let batch = (0..<64).map { _ -> (characteristic: UInt16, bytes: [UInt8]) in
        var bytes = Self.vectors.randomElement(using: &generator)?.bytes ?? []
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes = generator.bytes(0...24)
        case 1: bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
        default:
          for _ in 0..<Int.random(in: 1...4, using: &generator) {
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
          }
          // Most mutations have the right sums, so that they come as far as the values.
          for end in stride(from: 7, to: bytes.count, by: 8) { bytes[end] = bytes[(end - 7)..<end].reduce(0, &+) }
        }
        return (0x8000, bytes)
      }
      let outcomes = host.decode(batch, opening(kind))
      #expect(outcomes == host.decode(batch, opening(kind), .tiny))
      for outcome in outcomes {
        #expect([MH_OK, MH_E_NO_VALUE, MH_E_PROTOCOL].contains(outcome.status))
        #expect(outcome.records.isEmpty == (outcome.status != MH_OK))
        for value in outcome.records.flatMap(\.values) where value.metric < 0x8000 {
          #expect(bounds.contains(value), "\(value)")
        }
      }
    }
  }
}

/// What the dictionary of registry.json calls plausible.
struct PlausibleRange: Decodable {
  struct Unit: Decodable {
    let ucum: String
    let code: UInt16
  }
  struct Metric: Decodable {
    struct Range: Decodable {
      let ucum: String
      let plausible: [Double]
    }
    let code: UInt16
    let units: [Range]
  }
  let units: [Unit]
  let metrics: [Metric]

  struct Registry: Decodable { let dictionary: PlausibleRange }

  static func load() throws -> PlausibleRange {
    let data = try Data(contentsOf: packageFolder().appendingPathComponent("registry.json"))
    return try JSONDecoder().decode(Registry.self, from: data).dictionary
  }

  func contains(_ value: TestValue) -> Bool {
    let ucum = units.first { $0.code == value.unit }?.ucum
    let range = metrics.first { $0.code == value.metric }?.units.first { $0.ucum == ucum }?.plausible ?? []
    return range.count == 2 && value.value >= range[0] && value.value <= range[1]
  }
}
