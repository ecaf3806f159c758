import CMeterDriver
import TestSupport
import Testing

@testable import DriverTestBench

@Suite struct MiBeaconDecodeTests {
  @Test func theVectorsAreThere() { #expect(Vector.load("MiBeacon").count == 51) }

  /// The captures are sealed in a session and here: nothing comes of them without their key, whatever is changed.
  @Test func whatIsSealedHasNoValue() throws {
    let host = try TestHost(bundle: "mibeacon")
    let sealed = Vector.load("MiBeacon").filter { $0.id.hasSuffix("-sealed") }
    #expect(sealed.count == 11)
    for outcome in host.decode(sealed.map { ($0.uuid, $0.bytes) }, flags: UInt16(MH_SLICE_SERVICE_DATA)) {
      #expect(outcome == TestOutcome(status: MH_E_NO_VALUE, records: []))
    }
  }

  @Test func randomAndMutatedBytesNeverBreakTheContract() throws {
    let host = try TestHost(bundle: "mibeacon")
    var generator = SeededGenerator(seed: 95)
    let vectors = Vector.load("MiBeacon")
    for _ in 0..<200 {
      let batch = (0..<64).map { _ -> (characteristic: UInt16, bytes: [UInt8]) in
        guard var bytes = vectors.randomElement(using: &generator)?.bytes, !bytes.isEmpty else { return (0xfe95, []) }
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        return (Bool.random(using: &generator) ? 0xfe95 : 0x181d, bytes)
      }
      let outcomes = host.decode(batch, flags: UInt16(MH_SLICE_SERVICE_DATA))
      #expect(outcomes == host.decode(batch, TestOpening(), .tiny, flags: UInt16(MH_SLICE_SERVICE_DATA)))
      for outcome in outcomes {
        #expect(outcome.records.isEmpty == (outcome.status != MH_OK))
        for record in outcome.records { #expect(record.values[0].raw > 0 && record.values[0].value <= 300) }
      }
    }
  }
}
