import CMeterDriver
@testable import DriverTestBench
import Foundation
import TestSupport
import Testing

@Suite struct FingerOximeterDecodeTests {
  static let vectors = Vector.load("FingerOximeter")

  static func characteristic(_ vector: Vector) -> UInt16 {
    switch vector.characteristic {
    case "49535343-1E4D-4BD9-BA61-23C647249616": 0x8001
    case "CDEACB81-5235-4C07-8846-93A37EE6B86D": 0x8002
    case "6E400003-B5A3-F393-E0A9-E50E24DCCA9E": 0x8003
    default: vector.uuid
    }
  }

  static func opening(_ vector: Vector) -> TestOpening {
    TestOpening(parameters: vector.parameters?["plain_sum"].map { [MH_PARAM_VENDOR + 1: $0] } ?? [:])
  }

  @Test func everyVectorDecodesToItsValues() throws {
    let host = try TestHost(bundle: "finger-oximeter")
    let dictionary = try MetricNames.load()
    #expect(Self.vectors.count >= 87)
    for vector in Self.vectors {
      let outcome = host.decode([(Self.characteristic(vector), vector.bytes)], Self.opening(vector))[0]
      let expected = vector.records ?? []
      #expect(outcome.status == vector.status, "\(vector)")
      #expect(outcome.records.count == expected.count, "\(vector)")
      for (record, wanted) in zip(outcome.records, expected) {
        #expect(dictionary.values(record) == wanted.values, "\(vector)")
        #expect(record.kind == MH_KIND_MEASUREMENT && record.sequence == mh_seq_none(), "\(vector)")
        #expect(record.identityClass == UInt16(MH_IDENT_LIVE) && record.timeKind == UInt16(MH_TIME_NONE), "\(vector)")
      }
    }
  }

  /// What is cut brings the same values or none.
  @Test func everyTruncationIsHarmless() throws {
    let host = try TestHost(bundle: "finger-oximeter")
    for vector in Self.vectors where vector.error != "protocol" {
      let (characteristic, opening) = (Self.characteristic(vector), Self.opening(vector))
      let whole = host.decode([(characteristic, vector.bytes)], opening)[0].records
      for length in 0..<vector.bytes.count {
        let records = host.decode([(characteristic, vector.cut(to: length).bytes)], opening)[0].records
        #expect(records.isEmpty || records.map(\.values) == whole.map(\.values), "\(vector) cut to \(length)")
      }
    }
  }

  @Test func anotherCharacteristicIsNotDecoded() throws {
    let host = try TestHost(bundle: "finger-oximeter")
    #expect(host.decode([(0x2a5f, [0, 98, 0, 72, 0])]).map(\.status) == [MH_E_UNSUPPORTED])
    #expect(host.decode([(0x8002, [0x81, 72, 97, 3])], flags: 1).map(\.status) == [MH_E_UNSUPPORTED])
  }
}
