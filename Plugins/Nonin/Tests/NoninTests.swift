import CMeterDriver
@testable import DriverTestBench
import Foundation
import TestSupport
import Testing

@Suite struct NoninTests {
  static let second: UInt64 = 1_000_000_000
  static let vectors = Vector.load("Nonin")

  /// Nonin's UUIDs end alike.
  static func uuid(_ head: [UInt8]) -> mh_uuid {
    var uuid = mh_uuid()
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: head + [0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b]) }
    return uuid
  }

  static let service = uuid([0x46, 0xa9, 0x70, 0xe0, 0x0d, 0x5f, 0x11, 0xe2, 0x8b, 0x5e])
  static let measurement = uuid([0x0a, 0xad, 0x7e, 0xa0, 0x0d, 0x60, 0x11, 0xe2, 0x8e, 0x3c])
  static let controlPoint = uuid([0x14, 0x47, 0xaf, 0x80, 0x0d, 0x60, 0x11, 0xe2, 0x88, 0xb6])
  static let characteristics: [(handle: UInt16, properties: UInt16, uuid: mh_uuid)] = [
    (23, 0x10, measurement), (26, 0x28, controlPoint),
  ]
  /// What the registry gives to a 3230.
  static let completes = TestOpening(parameters: [MH_PARAM_VENDOR: 1])

  /// A packet with a status, a saturation and a pulse.
  static func packet(_ status: UInt8, _ spo2: UInt8, _ pulse: UInt16) -> [UInt8] {
    [10, status, 0x1e, 1, 0x32, 0, 12, spo2, UInt8(pulse >> 8), UInt8(pulse & 0xff)]
  }

  func measuring(_ host: TestHost, _ opening: TestOpening = completes) throws -> TestSession {
    let session = try host.open(opening)
    #expect(session.commit(.vendorServices(Self.characteristics, service: Self.service)).actions.map(\.handle) == [23])
    let ready = session.commit(.subscribed(token: 1))
    #expect(ready.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER] && ready.actions[1].argument == 120 * Self.second)
    return session
  }

  // MARK: Decoding

  @Test func everyVectorDecodesToItsValues() throws {
    let host = try TestHost(bundle: "nonin")
    let dictionary = try MetricNames.load()
    #expect(Self.vectors.count >= 26)
    for vector in Self.vectors where vector.error != "unsupported" {
      let outcome = host.decode([(0x8001, vector.bytes)])[0]
      let expected = vector.records ?? []
      #expect(outcome.status == vector.status, "\(vector)")
      #expect(outcome.records.map { dictionary.values($0) } == expected.map(\.values), "\(vector)")
      for record in outcome.records {
        #expect((record.flags & MH_REC_PROVISIONAL != 0) == (vector.bytes[1] & 4 == 0), "\(vector)")
        #expect(record.identityClass == UInt16(MH_IDENT_LIVE) && record.sequence == mh_seq_none(), "\(vector)")
      }
      for length in 0..<vector.bytes.count {
        #expect(
          length >= 10 || host.decode([(0x8001, vector.cut(to: length).bytes)])[0].status == MH_E_PROTOCOL, "\(vector)")
      }
    }
    #expect(host.decode([(0x8002, [0xe2, 0])]).map(\.status) == [MH_E_UNSUPPORTED])
  }

  // MARK: Sessions

  @Test func theMetersVerdictIsTheEndAndTheMeterIsToldBehindTheRecord() throws {
    let session = try measuring(try TestHost(bundle: "nonin"))
    for status in [0x01, 0x19, 0x13] as [UInt8] {
      #expect(session.commit(.notification(23, Self.packet(status, 127, 511))) == TestUnit())
    }
    // However long it is steady: the meter decides.
    for _ in 0..<30 {
      let unit = session.commit(.notification(23, Self.packet(0x11, 97, 72)))
      #expect(unit.records.map(\.flags) == [MH_REC_PROVISIONAL] && unit.actions.isEmpty)
    }
    let unit = session.commit(.notification(23, Self.packet(0x15, 98, 71)))
    #expect(unit.records.map(\.flags) == [0] && unit.records[0].values.map(\.raw) == [98, 71, 306])
    #expect(unit.actions.map(\.kind) == [MH_DO_WRITE, MH_DO_CANCEL_TIMER, MH_DO_FINISH])
    #expect(unit.actions[0].handle == 26 && unit.actions[0].value == [0x62, 0x4e, 0x4d, 0x49])
    #expect(session.commit(.notification(23, Self.packet(0x15, 98, 71))) == TestUnit())
  }

  /// Only what the registry says of a 3230 makes the driver write, and only where it can.
  @Test func nothingIsWrittenToAnotherModel() throws {
    let host = try TestHost(bundle: "nonin")
    let other = try measuring(host, TestOpening())
    let unit = other.commit(.notification(23, Self.packet(0x15, 98, 71)))
    #expect(unit.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH] && unit.records.count == 1)
    let without = try host.open(Self.completes)
    without.commit(.vendorServices([Self.characteristics[0]], service: Self.service))
    without.commit(.subscribed(token: 1))
    #expect(
      without.commit(.notification(23, Self.packet(0x15, 98, 71))).actions.map(\.kind)
        == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
  }

  @Test(arguments: [0x05, 0x1d, 0x17, 0x0c] as [UInt8])
  func aVerdictOverABadFingerIsNone(status: UInt8) throws {
    let session = try measuring(try TestHost(bundle: "nonin"))
    for _ in 0..<20 { #expect(session.commit(.notification(23, Self.packet(status, 98, 71))) == TestUnit()) }
    #expect(session.commit(.timer(2)).actions.map(\.code) == [MH_FAIL_NO_READING])
  }

  @Test func refusalsAndEndings() throws {
    let host = try TestHost(bundle: "nonin")
    let none = try host.open()
    #expect(none.commit(.vendorServices([], service: Self.service)).actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    let elsewhere = try host.open()
    #expect(
      elsewhere.commit(.vendorServices(Self.characteristics, service: mh_uuid16(0x1822))).actions.map(\.code)
        == [MH_FAIL_UNSUPPORTED_METER])
    let refusing = try host.open()
    refusing.commit(.vendorServices(Self.characteristics, service: Self.service))
    #expect(refusing.commit(.subscribed(token: 1, status: 15)).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    let gone = try measuring(host)
    gone.commit(.notification(23, Self.packet(0x11, 97, 72)))
    #expect(gone.commit(.notification(23, [10, 0x15, 0x1e])).status == MH_E_PROTOCOL)
    #expect(gone.commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    let changed = try measuring(host)
    #expect(changed.commit(.servicesChanged).actions.map(\.kind) == [MH_DO_CANCEL_TIMER])
    #expect(changed.commit(.notification(23, Self.packet(0x15, 98, 71))) == TestUnit())
    let cancelled = try measuring(host)
    #expect(cancelled.commit(.cancel).actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
    let pairing = try host.open(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR), security: 1))
    #expect(
      pairing.commit(.vendorServices(Self.characteristics, service: Self.service)).actions.map(\.kind) == [MH_DO_PAIR])
    #expect(pairing.commit(.encrypted(2)).actions.map(\.kind) == [MH_DO_FINISH])
    #expect(host.openStatus(TestOpening(purpose: 99)) == MH_E_UNSUPPORTED)
  }

  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "nonin")
    let (ample, tiny) = (try measuring(host), try measuring(host))
    tiny.capacities = .tiny
    for status in [0x11, 0x15] as [UInt8] {
      let event = TestEvent.notification(23, Self.packet(status, 98, 71))
      let (wide, narrow) = (ample.commit(event), tiny.commit(event))
      #expect(wide.records == narrow.records && wide.actions == narrow.actions && wide.records.count == 1)
    }
  }

  @Test func hostileBytesBringNoImpossibleValue() throws {
    let host = try TestHost(bundle: "nonin")
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<60 {
      let session = try measuring(host)
      for _ in 0..<60 {
        var bytes = Self.packet(.random(in: 0...255, using: &generator), 97, 72)
        bytes[Int.random(in: 0..<10, using: &generator)] = .random(in: 0...255, using: &generator)
        let unit = session.commit(
          .notification(23, Bool.random(using: &generator) ? bytes : generator.bytes(0...40)))
        #expect([MH_OK, MH_E_PROTOCOL].contains(unit.status))
        for record in unit.records {
          #expect((1...100).contains(record.values[0].raw) && (1...325).contains(record.values[1].raw))
        }
      }
    }
  }
}
