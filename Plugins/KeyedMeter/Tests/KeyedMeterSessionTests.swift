import CMeterDriver
import Testing

@testable import DriverTestBench

@Suite struct KeyedMeterSessionTests {
  static func uuid(_ number: UInt8) -> mh_uuid {
    mh_uuid(b: (0xf0, 0xd4, 0, number, 0x6d, 0x68, 0x4b, 0x65, 0x89, 0x64, 0x4d, 0x65, 0x74, 0x65, 0x72, 0))
  }

  static let services = TestEvent.vendorServices(
    [(16, 0x28, uuid(2)), (20, 0x10, uuid(3)), (24, 0x02, uuid(4))], service: uuid(1))

  @Test func aHostWithoutCryptographyCannotReadIt() throws {
    let host = try TestHost(bundle: "keyed-meter")
    #expect(host.openStatus(TestOpening()) == MH_E_UNSUPPORTED)
  }

  @Test func readingNeedsALicence() throws {
    let host = try TestHost(bundle: "keyed-meter")
    host.state.keys = [:]
    let end = try host.open().commit(Self.services).actions
    #expect(end.map(\.kind) == [MH_DO_TIMER, MH_DO_FAIL] && end[1].code == MH_FAIL_LICENCE)
  }

  @Test func anotherMetersServicesAreRefused() throws {
    let host = try TestHost(bundle: "keyed-meter")
    host.state.keys = [:]
    let end = try host.open().commit(.services([(16, 0x28, 0x2a18)], service: 0x1808)).actions
    #expect(end.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
  }
}
