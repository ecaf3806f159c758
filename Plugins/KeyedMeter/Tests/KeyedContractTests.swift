import CMeterDriver
import Testing

@testable import DriverTestBench

/// What the bundle says to a host before a session begins.
@Suite struct KeyedContractTests {
  @Test func aHostWithoutCryptographyIsRefused() throws {
    let host = try TestHost(bundle: "keyed-meter")
    #expect(host.openStatus(TestOpening()) == MH_E_UNSUPPORTED)
  }

  @Test func aHostWithLessCryptographyThanTheContractHasIsRefused() throws {
    let host = try TestHost(bundle: "keyed-meter")
    host.state.use(keys: [:])
    host.state.crypto.pointee.struct_size = 24
    #expect(host.openStatus(TestOpening()) == MH_E_UNSUPPORTED)
  }

  @Test(arguments: [MH_PURPOSE_CLOCK, MH_PURPOSE_TEST, 0, 6, 7, 99])
  func purposesThatItDoesNotHaveAreUnsupported(_ purpose: UInt32) throws {
    let host = try TestHost(bundle: "keyed-meter")
    host.state.use(keys: [:])
    var opening = TestOpening()
    opening.purpose = purpose
    #expect(host.openStatus(opening) == MH_E_UNSUPPORTED)
  }

  @Test(arguments: [MH_PURPOSE_READ, MH_PURPOSE_PASSIVE, MH_PURPOSE_PAIR])
  func purposesThatItHasOpen(_ purpose: UInt32) throws {
    let host = try TestHost(bundle: "keyed-meter")
    host.state.use(keys: [:])
    var opening = TestOpening()
    opening.purpose = purpose
    #expect(host.openStatus(opening) == MH_OK)
  }
}
