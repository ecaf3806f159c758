import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

@Suite struct WeightScaleDecodeTests {
  static let weightStep = MH_PARAM_VENDOR
  static let renpho: [UInt32: Int64] = [weightStep: 50, weightStep + 2: 170, weightStep + 3: 9999]
  static let vendorPayload = MH_PARAM_VENDOR + 1

  static func opening(of vector: Vector) -> TestOpening {
    TestOpening(parameters: vector.id == "wss-eswbe28" ? renpho : [:])
  }

  @Test func theVectorsAreThere() { #expect(Vector.load("WeightScale").count == 24) }

  func record(_ host: TestHost, _ id: String) throws -> TestRecord {
    let vector = try #require(Vector.load("WeightScale").first { $0.id == id })
    return try #require(host.decode([(vector.uuid, vector.bytes)], Self.opening(of: vector))[0].records.first)
  }

  @Test func digitsUsersAndIdentityAreTheScales() throws {
    let host = try TestHost(bundle: "weight-scale")
    let beurer = try record(host, "wss-bf720")
    #expect(beurer.identityClass == UInt16(MH_IDENT_STORED) && beurer.flags == 0 && beurer.deviceUser == 1)
    #expect(beurer.identity == [0xea, 7, 5, 12, 18, 53, 54, 0, 0x78, 0x3e])
    #expect(beurer.values.map(\.raw) == [79960, 238, 1830] && beurer.values.map(\.exponent) == [-3, -1, -1])
    let renpho = try record(host, "wss-eswbe28")
    // Its user is everybody.
    #expect(renpho.values.map(\.raw) == [94900] && renpho.deviceUser == nil)
    let unset = try record(host, "wss-spec-unset-clock")
    #expect(unset.flags == MH_REC_CLOCK_SUSPECT && unset.identityClass == UInt16(MH_IDENT_LIVE))
    #expect(try record(host, "wss-spec-lb").flags == 0)
    // User 0xFF: the scale does not know who it was.
    let unknown = host.decode([(0x2a9d, [4, 0x78, 0x3e, 0xff])])[0].records.first
    #expect(unknown != nil && unknown?.deviceUser == nil)
    // Users are counted from 0.
    let first = host.decode([(0x2a9d, [4, 0x78, 0x3e, 0])])[0].records.first
    #expect(first?.deviceUser == 0)
    let clockless = TestOpening(parameters: [MH_PARAM_NO_CLOCK: 1])
    let vector = try #require(Vector.load("WeightScale").first { $0.id == "wss-bf720" })
    let live = host.decode([(vector.uuid, vector.bytes)], clockless)[0].records.first
    #expect(live?.identityClass == UInt16(MH_IDENT_LIVE) && live?.timeKind == UInt16(MH_TIME_NONE))
  }

  @Test func theConsentCodeIsInNoRecord() throws {
    let host = try TestHost(bundle: "weight-scale")
    let request = host.decode([(0x2a9f, [2, 1, 0xa8, 0x0e])])[0].records.flatMap(\.values).map(\.raw)
    #expect(request == [2, 1])
    let registration = host.decode([(0x2a9f, [1, 0xa8, 0x0e])])[0].records.flatMap(\.values).map(\.raw)
    #expect(registration == [1])
  }

  /// Trust no UUID: a Mi scale's own bytes under the profile's UUIDs are refused as a whole.
  @Test func aVendorsPayloadIsNotDecoded() throws {
    let host = try TestHost(bundle: "weight-scale")
    let quirk = TestOpening(parameters: [Self.vendorPayload: 1])
    for vector in Vector.load("WeightScale") {
      let outcome = host.decode([(vector.uuid, vector.bytes)], quirk)[0]
      #expect(outcome == TestOutcome(status: MH_E_UNSUPPORTED, records: []))
    }
    // And without the quirk no date of this century reads as a body fat.
    for year in UInt16(1970)...2100 {
      let bytes: [UInt8] = [2, 0x26, UInt8(year & 0xff), UInt8(year >> 8), 5, 4, 15, 2, 1, 0xac, 1, 0x86, 0x42]
      #expect(host.decode([(0x2a9c, bytes)])[0].records.isEmpty)
    }
    let service = host.decode([(0x2a9d, [0, 0x78, 0x3e])], flags: UInt16(MH_SLICE_SERVICE_DATA))[0]
    #expect(service.status == MH_E_UNSUPPORTED)
  }

  @Test func randomAndMutatedBytesNeverBreakTheContract() throws {
    let host = try TestHost(bundle: "weight-scale")
    var generator = SeededGenerator(seed: 0x181d)
    let vectors = Vector.load("WeightScale")
    for _ in 0..<200 {
      let batch = (0..<64).map { _ -> (characteristic: UInt16, bytes: [UInt8]) in
        guard Bool.random(using: &generator), let vector = vectors.randomElement(using: &generator) else {
          let bytes = (0..<Int.random(in: 0...32, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
          }
          return ([0x2a9d, 0x2a9c, 0x2a9f, 0x2a2b, 0x2a9e].randomElement(using: &generator) ?? 0, bytes)
        }
        var bytes = vector.bytes
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        if Bool.random(using: &generator) { bytes.removeLast() }
        return (vector.uuid, bytes)
      }
      let outcomes = host.decode(batch)
      #expect(outcomes == host.decode(batch, TestOpening(), .tiny))
      for outcome in outcomes {
        #expect([MH_OK, MH_E_NO_VALUE, MH_E_PROTOCOL, MH_E_UNSUPPORTED].contains(outcome.status))
        #expect(outcome.records.isEmpty == (outcome.status != MH_OK))
        for record in outcome.records where record.kind == UInt32(MH_KIND_MEASUREMENT) {
          #expect(record.values.allSatisfy { $0.raw > 0 && $0.value < 65535 })
          #expect((record.identityClass == UInt16(MH_IDENT_STORED)) == (record.timeKind == UInt16(MH_TIME_CIVIL)))
        }
      }
    }
  }
}
