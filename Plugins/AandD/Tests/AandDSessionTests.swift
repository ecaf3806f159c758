import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct AandDSessionTests {
  let monitor: [TestService] = [
    TestService(id: 0x1810, characteristics: [(16, 0x20, 0x2a35), (19, 0x0a, 0x2a08)])
  ]
  let first = hex("167c0056006100e807060f11111b33000000")
  let second = hex("16760051005d00e807061007050036000400")
  let failed = hex("16ff07ff07ff07e80706170e230aff070000")

  /// A session that listens to a blood pressure monitor.
  func listening(_ host: TestHost, _ opening: TestOpening = TestOpening()) throws -> TestSession {
    let session = try host.open(opening)
    session.commit(.database(monitor))
    session.commit(.subscribed(token: 1))
    return session
  }

  @Test func aMeterThatIsLeftAloneIsOnlySubscribedTo() throws {
    let host = try TestHost(bundle: "aandd")
    let session = try host.open()
    let start = session.commit(.database(monitor))
    #expect(start.actions.map(\.kind) == [MH_DO_SUBSCRIBE, MH_DO_TIMER] && start.actions[0].handle == 16)
    #expect(session.commit(.subscribed(token: 1)).actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER])
    #expect(session.commit(.indication(16, first)).records.map { $0.values[0].raw } == [124])
    #expect(session.commit(.indication(16, second)).records.map { $0.values[0].raw } == [118])
    #expect(session.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
  }

  /// A meter forgets what was confirmed, and may send it again when the confirmation was lost: it has the same name.
  @Test func theSameReadingHasTheSameName() throws {
    let host = try TestHost(bundle: "aandd")
    let names = try (0..<2).map { _ in try listening(host).commit(.indication(16, first)).records.map(\.identity) }
    #expect(names[0] == names[1] && names[0][0].count == 13)
    #expect(try listening(host).commit(.indication(16, second)).records.map(\.identity) != names[0])
  }

  @Test func theClockIsSetBeforeAnythingIsAskedFor() throws {
    let host = try TestHost(bundle: "aandd")
    let opening = TestOpening(
      parameters: [UInt32(MH_PARAM_SET_CLOCK): 1], clockTrust: UInt32(MH_CLOCK_SYNCHRONISED), utcOffsetSeconds: 7200)
    let session = try host.open(opening)
    // 2024-06-15T16:30:05Z
    session.unixMicroseconds = 1_718_469_005_000_000
    #expect(session.commit(.database(monitor)).actions.map(\.kind) == [MH_DO_READ, MH_DO_TIMER])
    let told = session.commit(.read(token: 3, hex("e807060f121d05")))
    #expect(told.records.map(\.kind) == [MH_KIND_DEVICE_INFO])
    #expect(told.records[0].value(MH_METRIC_CLOCK_OFFSET)?.raw == -60)
    #expect(told.actions.map(\.kind) == [MH_DO_WRITE, MH_DO_TIMER])
    #expect(told.actions[0].handle == 19 && told.actions[0].value == hex("e807060f121e05"))
    #expect(session.commit(.wrote(token: 4)).actions.map(\.kind) == [MH_DO_SUBSCRIBE, MH_DO_TIMER])
  }

  /// Without leave, or a host that does not know the time, nothing is written; a refusal is no end.
  @Test func theClockIsLeftAlone() throws {
    let host = try TestHost(bundle: "aandd")
    let unsure = TestOpening(parameters: [UInt32(MH_PARAM_SET_CLOCK): 1])
    #expect(try host.open(unsure).commit(.database(monitor)).actions[0].kind == MH_DO_SUBSCRIBE)
    let sure = TestOpening(
      parameters: [UInt32(MH_PARAM_SET_CLOCK): 1], clockTrust: UInt32(MH_CLOCK_SYNCHRONISED))
    let session = try host.open(sure)
    session.unixMicroseconds = 1_718_469_005_000_000
    session.commit(.database(monitor))
    let unreadable = session.commit(.read(token: 3, [], status: 2))
    #expect(unreadable.records.isEmpty && unreadable.actions[0].kind == MH_DO_WRITE)
    #expect(session.commit(.wrote(token: 4, status: 3)).actions[0].kind == MH_DO_SUBSCRIBE)
  }

  @Test func endings() throws {
    let host = try TestHost(bundle: "aandd")
    #expect(try listening(host).commit(.timer(2)).actions.map(\.code) == [MH_FAIL_NO_READING])
    #expect(try listening(host).commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    #expect(try listening(host).commit(.cancel).actions.map(\.kind) == [MH_DO_FINISH])
    let stranger = try host.open()
    stranger.commit(.database(monitor))
    #expect(stranger.commit(.subscribed(token: 1, status: 15)).actions.map(\.code) == [MH_FAIL_NOT_PAIRED])
    let other = TestService(id: 0x180d, characteristics: [(16, 0x10, 0x2a37)])
    #expect(try host.open().commit(.database([other])).actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    let pairing = try host.open(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR), security: 1))
    #expect(pairing.commit(.database(monitor)).actions.map(\.kind) == [MH_DO_PAIR])
    #expect(pairing.commit(.encrypted(2)).actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func aFailedMeasurementIsNoReading() throws {
    let host = try TestHost(bundle: "aandd")
    let session = try listening(host)
    let unit = session.commit(.indication(16, failed))
    #expect(unit.records.isEmpty && unit.status == MH_OK)
    #expect(session.commit(.timer(2)).actions.map(\.code) == [MH_FAIL_NO_READING])
    for bytes in [[], [0x16], Array(first.prefix(17))] as [[UInt8]] {
      #expect(try listening(host).commit(.indication(16, bytes)).status == MH_E_PROTOCOL)
    }
  }

  /// The maker's own characteristic has steps of 0.1, the profile's of 0.005: a weight of the one read as the other is a twentieth.
  @Test func eachCharacteristicHasItsOwnSteps() throws {
    let host = try TestHost(bundle: "aandd")
    let values = host.decode([(0x2a9d, hex("02083ee807060f11111b")), (0x8000, hex("021a03e807060f11111b"))])
    #expect(values.map { $0.records.first?.values[0].value } == [79.4, 79.4])
    let services = [(handle: UInt16(20), properties: UInt16(0x20), uuid: vendor(0x01))]
    let session = try host.open()
    session.commit(.vendorServices(services, service: vendor(0x00)))
    session.commit(.subscribed(token: 1))
    #expect(session.commit(.indication(20, hex("021a03e807060f11111b"))).records[0].values[0].value == 79.4)
  }

  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "aandd")
    let (ample, tiny) = (try listening(host), try listening(host))
    tiny.capacities = Capacities(records: 1, values: 5, arena: 16, actionsPerRound: 1)
    for packet in [first, second] {
      let (wide, narrow) = (ample.commit(.indication(16, packet)), tiny.commit(.indication(16, packet)))
      #expect(wide.records == narrow.records && wide.actions == narrow.actions && wide.records.count == 1)
    }
  }

  func vendor(_ last: UInt8) -> mh_uuid {
    mh_uuid(b: (0x23, 0x43, 0x41, last, 0x1f, 0xe4, 0x1e, 0xff, 0x80, 0xcb, 0x00, 0xff, 0x78, 0x29, 0x7d, 0x8b))
  }
}

func hex(_ digits: String) -> [UInt8] {
  let text = Array(digits.utf8.filter { $0 != 0x20 })
  return stride(from: 0, to: text.count - 1, by: 2).compactMap {
    UInt8(String(decoding: text[$0...$0 + 1], as: UTF8.self), radix: 16)
  }
}
