import CMeterDriver
import TestSupport
import Testing

@testable import DriverTestBench

/// What a later minor may bring must not hurt a bundle of today (rule R4).
@Suite("R4 bundles and what they do not know") struct GrowthTests {
  /// TaiDoc's driver asks which of its meters it reads; the others pass the parameter over or have another use for it.
  static let opening = TestOpening(parameters: [MH_PARAM_VENDOR: 1])

  private func host(_ bundle: String) throws -> TestHost {
    let host = try TestHost(bundle: bundle)
    host.state.keys = [:]
    return host
  }

  @Test(arguments: BuildProducts.registeredBundles)
  func anEventOfALaterMinorChangesNothing(bundle: String) throws {
    let session = try host(bundle).open(Self.opening)
    for event in [TestEvent.other(99), .other(16), .other(.max)] {
      var unit = session.send(event)
      #expect([MH_OK, MH_E_UNSUPPORTED].contains(unit.status))
      unit.status = MH_OK
      #expect(unit == TestUnit())
    }
    #expect(session.send(.disconnected).status == MH_OK, "the session goes on")
  }

  @Test(arguments: BuildProducts.registeredBundles)
  func aPurposeOfALaterMinorIsNotServed(bundle: String) throws {
    for purpose in [6, 7, 99, .max] as [UInt32] {
      var opening = Self.opening
      opening.purpose = purpose
      #expect(try host(bundle).openStatus(opening) == MH_E_UNSUPPORTED)
    }
  }

  @Test(arguments: Plugin.all)
  func slicesWithFlagsOfALaterMinorAreNotDecoded(plugin: Plugin) throws {
    let host = try host(plugin.bundle)
    let codes = try DriverCodes.load(driver: text(host.driver.id))
    for vector in plugin.vectors where vector.records?.isEmpty == false {
      let opening = try codes.opening(vector)
      for flags in [2, 3, 0x8000, 0x8001] as [UInt16] {
        let outcome = host.decode(vector, opening, flags: flags)
        #expect(outcome == TestOutcome(status: MH_E_UNSUPPORTED, records: []), "\(vector) \(flags)")
      }
      // Neither is a characteristic's value service data, nor the other way round.
      let other = vector.flags ^ UInt16(MH_SLICE_SERVICE_DATA)
      #expect(host.decode(vector, opening, flags: other).status == MH_E_UNSUPPORTED, "\(vector)")
    }
  }

  @Test(arguments: Plugin.all)
  func aSliceOutsideOfTheArenaIsRefused(plugin: Plugin) throws {
    let host = try host(plugin.bundle)
    let sink = TestSink(.ample, host.state, actions: false)
    for (offset, length) in [(5, 0), (0, 5), (.max, .max), (4, 1)] as [(UInt32, UInt32)] {
      var slice = mh_slice()
      (slice.off, slice.len, slice.characteristic) = (offset, length, plugin.vectors[0].uuid)
      var done: UInt64 = 0
      let status = Self.opening.withTable { opening in
        [1, 2, 3, 4].withUnsafeBufferPointer {
          host.bluetooth.decode(opening, mh_bytes(p: $0.baseAddress, n: 4), &slice, 1, &sink.sink, &done)
        }
      }
      #expect(status == MH_E_ARG && sink.take().isEmpty)
    }
  }
}
