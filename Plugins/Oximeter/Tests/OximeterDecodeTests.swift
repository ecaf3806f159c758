import CMeterDriver
@testable import DriverTestBench
import Foundation
import TestSupport
import Testing

@Suite struct OximeterDecodeTests {
  static let vectors = Vector.load("Oximeter")
  static let noClock: Set<String> = ["plx-choicemmed-spot-no-clock"]

  func opening(_ id: String) -> TestOpening {
    TestOpening(parameters: Self.noClock.contains(id) ? [MH_PARAM_NO_CLOCK: 1] : [:])
  }

  @Test func everyVectorDecodesToItsValues() throws {
    let host = try TestHost(bundle: "oximeter")
    let dictionary = try MetricNames.load()
    #expect(Self.vectors.count >= 27)
    for vector in Self.vectors {
      let outcome = host.decode([(vector.uuid, vector.bytes)], opening(vector.id))[0]
      let expected = vector.records ?? []
      #expect(outcome.status == vector.status, "\(vector)")
      #expect(outcome.records.count == expected.count, "\(vector)")
      for (record, wanted) in zip(outcome.records, expected) {
        #expect(dictionary.values(record) == wanted.values, "\(vector)")
        #expect(timestamp(record) == wanted.timestamp, "\(vector)")
        #expect((record.flags & MH_REC_PROVISIONAL != 0) == (vector.uuid == 0x2a5f), "\(vector)")
        #expect(record.kind == MH_KIND_MEASUREMENT && record.sequence == mh_seq_none(), "\(vector)")
      }
    }
  }

  func record(_ id: String) throws -> TestRecord {
    let host = try TestHost(bundle: "oximeter")
    let vector = try #require(Self.vectors.first { $0.id == id })
    return try #require(host.decode([(vector.uuid, vector.bytes)], opening(id))[0].records.first)
  }

  @Test func clocksThatAreNotSetGiveNoTime() throws {
    let unset = try record("plx-choicemmed-spot")
    #expect(unset.flags == MH_REC_CLOCK_SUSPECT && unset.timeKind == UInt16(MH_TIME_NONE) && unset.identity.isEmpty)
    #expect(unset.identityClass == UInt16(MH_IDENT_LIVE))
    #expect(try record("plx-choicemmed-spot-no-clock").flags == 0)
    #expect(try record("plx-spec-spot-zero-time").flags == MH_REC_CLOCK_SUSPECT)
    #expect(try record("plx-spec-storage-no-time").flags == MH_REC_CLOCK_SUSPECT)
    #expect(try record("plx-spec-spot-min").flags == 0)
  }

  @Test func aTimeThatIsSetMakesAnIdentity() throws {
    let stored = try record("plx-spec-spot-time")
    #expect(stored.identityClass == UInt16(MH_IDENT_STORED) && stored.flags == 0)
    #expect(stored.identity == [0xe8, 7, 12, 31, 23, 59, 58, 98, 0, 72, 0])
    let tenths = try record("plx-spec-spot-min").values[0]
    #expect(tenths.raw == 980 && tenths.exponent == -1)
  }

  @Test func cutPacketsGiveNothing() throws {
    let host = try TestHost(bundle: "oximeter")
    for vector in Self.vectors where vector.error == nil && vector.id != "plx-spec-reserved-flags" {
      for length in 0..<vector.bytes.count {
        let outcome = host.decode([(vector.uuid, Array(vector.bytes.prefix(length)))])[0]
        #expect(outcome.status == MH_E_PROTOCOL && outcome.records.isEmpty, "\(vector) cut to \(length)")
      }
    }
    #expect(host.decode([(0x2a18, [0, 98, 0, 72, 0])])[0].status == MH_E_UNSUPPORTED)
  }

  @Test(arguments: [0x2a5e, 0x2a5f] as [UInt16])
  func mutatedBytesNeverGiveAnImpossibleRecord(characteristic: UInt16) throws {
    let host = try TestHost(bundle: "oximeter")
    var generator = SeededGenerator(seed: UInt64(characteristic))
    var found = 0
    for _ in 0..<100 {
      let batch = (0..<64).map { _ -> (characteristic: UInt16, bytes: [UInt8]) in
        var bytes = Self.vectors.randomElement(using: &generator)?.bytes ?? []
        if Bool.random(using: &generator) { return (characteristic, generator.bytes(0...24)) }
        for _ in 0..<3 {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        return (characteristic, bytes)
      }
      let outcomes = host.decode(batch)
      #expect(outcomes == host.decode(batch, TestOpening(), .tiny))
      for outcome in outcomes {
        #expect([MH_OK, MH_E_NO_VALUE, MH_E_PROTOCOL].contains(outcome.status))
        #expect(outcome.records.isEmpty == (outcome.status != MH_OK))
        for record in outcome.records {
          found += 1
          let spo2 = try #require(record.value(MH_METRIC_SPO2)).value
          let pulse = try #require(record.value(MH_METRIC_PULSE)).value
          #expect(spo2 >= 1 && spo2 <= 100 && pulse >= 1 && pulse <= 510)
        }
      }
    }
    #expect(found > 100)
  }
}
