import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

@Suite struct MiScaleDecodeTests {
  @Test func theVectorsAreThere() { #expect(Vector.load("MiScale").count == 26) }

  @Test func digitsAndIdentityAreTheScales() throws {
    let host = try TestHost(bundle: "mi-scale")
    func record(_ id: String) throws -> TestRecord {
      let vector = try #require(Vector.load("MiScale").first { $0.id == id })
      return try #require(
        host.decode([(vector.uuid, vector.bytes)], flags: UInt16(MH_SLICE_SERVICE_DATA))[0].records.first)
    }
    let stored = try record("mi-v1-stable")
    #expect(stored.identityClass == UInt16(MH_IDENT_STORED))
    #expect(stored.identity == [0xe5, 7, 4, 11, 16, 19, 1, 0x9e, 0x43])
    #expect(stored.values[0].raw == 86550 && stored.values[0].exponent == -3)
    // The same measurement whatever the control bits say.
    #expect(try record("mi-v1-spec-jin").identity == stored.identity)
    let live = try record("mi-v2-imp")
    #expect(live.identityClass == UInt16(MH_IDENT_LIVE) && live.identity.isEmpty && live.flags == 0)
    let pounds = try record("mi-v2-theengs-lb")
    #expect(pounds.values[0].raw == 14065 && pounds.values[0].exponent == -2)
  }

  @Test func aCharacteristicOfTheSameNumberIsNotAnAdvertisement() throws {
    let host = try TestHost(bundle: "mi-scale")
    for vector in Vector.load("MiScale") {
      let outcome = host.decode([(vector.uuid, vector.bytes)])[0]
      #expect(outcome == TestOutcome(status: MH_E_UNSUPPORTED, records: []))
    }
  }

  @Test func randomAndMutatedBytesNeverBreakTheContract() throws {
    let host = try TestHost(bundle: "mi-scale")
    var generator = SeededGenerator(seed: 181)
    let vectors = Vector.load("MiScale")
    for _ in 0..<200 {
      let batch = (0..<64).map { _ -> (characteristic: UInt16, bytes: [UInt8]) in
        guard Bool.random(using: &generator), let vector = vectors.randomElement(using: &generator) else {
          let bytes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
          }
          return ([0x181d, 0x181b, 0x181c].randomElement(using: &generator) ?? 0, bytes)
        }
        var bytes = vector.bytes
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        return (vector.uuid, bytes)
      }
      let outcomes = host.decode(batch, flags: UInt16(MH_SLICE_SERVICE_DATA))
      #expect(outcomes == host.decode(batch, TestOpening(), .tiny, flags: UInt16(MH_SLICE_SERVICE_DATA)))
      for outcome in outcomes {
        #expect([MH_OK, MH_E_NO_VALUE, MH_E_PROTOCOL, MH_E_UNSUPPORTED].contains(outcome.status))
        #expect(outcome.records.isEmpty == (outcome.status != MH_OK))
        for record in outcome.records {
          #expect(record.values[0].raw > 0 && record.values[0].value <= 655.35)
          #expect(record.values.dropFirst().allSatisfy { (1..<3000).contains($0.raw) })
        }
      }
    }
  }
}
