import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct SoehnleTests {
  static let history: [UInt8] = [
    0x09, 0x01, 0x07, 0xe8, 0x0a, 0x1e, 0x0c, 0x22, 0x32, 0x02, 0xee, 0x01, 0xc2, 0x01, 0x90,
  ]

  static func uuid(_ number: UInt8) -> mh_uuid {
    mh_uuid(
      b: (0x35, 0x2e, 0x30, number, 0x28, 0xe9, 0x40, 0xb8, 0xa3, 0x61, 0x6d, 0xb4, 0xcc, 0xa4, 0x14, 0x7c))
  }

  static func services(_ properties: UInt16 = 0x08) -> TestEvent {
    let list: [(handle: UInt16, properties: UInt16, uuid: mh_uuid)] = [
      (16, 0x10, uuid(1)), (19, properties, uuid(2)), (22, 0x10, uuid(4)),
    ]
    return .vendorServices(list, service: uuid(0))
  }

  func reading(_ host: TestHost, _ opening: TestOpening = TestOpening()) throws -> TestSession {
    let session = try host.open(opening)
    session.commit(Self.services())
    session.commit(.subscribed(token: 1))
    return session
  }

  /// What a session that was asked everything ends with.
  func end(_ session: TestSession) -> [TestAction] {
    for _ in 1...7 { session.commit(.wrote(token: 3)) }
    return session.commit(.timer(4)).actions
  }

  @Test func everyUserIsAskedForAndNothingElseIsWritten() throws {
    let host = try TestHost(bundle: "soehnle")
    let session = try host.open()
    #expect(session.commit(Self.services()).actions.map(\.handle) == [0, 16])
    var written: [[UInt8]] = []
    var actions = session.commit(.subscribed(token: 1)).actions
    while let write = actions.first(where: { $0.kind == MH_DO_WRITE }) {
      #expect(write.handle == 19)
      written.append(write.value)
      let frame = [0x09, write.value[1]] + Self.history.dropFirst(2).dropLast() + [write.value[1]]
      #expect(session.commit(.notification(16, frame)).records.map(\.deviceUser) == [UInt16(write.value[1])])
      actions = session.commit(.wrote(token: 3)).actions
    }
    #expect(written == (1...7).map { [0x09, $0] } && actions.map(\.argument) == [3_000_000_000])
    #expect(session.commit(.timer(4)).actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func theSameWeighingIsTheSameReading() throws {
    let host = try TestHost(bundle: "soehnle")
    let (one, two) = (try reading(host), try reading(host))
    let records = one.commit(.notification(16, Self.history)).records
    #expect(records.count == 1 && records == two.commit(.notification(16, Self.history)).records)
    #expect(records[0].value(MH_METRIC_BODY_WEIGHT)?.value == 75)
    #expect(records[0].value(MH_METRIC_BODY_IMPEDANCE)?.raw == 400)
    // Another user is no other reading.
    let other = two.commit(.notification(16, [0x09, 0x02] + Self.history.dropFirst(2))).records
    #expect(other.map(\.identity) == [records[0].identity] && other[0].deviceUser == 2)
  }

  @Test func aScaleWithoutAClockIsReadAllTheSame() throws {
    let host = try TestHost(bundle: "soehnle")
    let session = try host.open(
      TestOpening(parameters: [UInt32(MH_PARAM_SET_CLOCK): 1], clockTrust: UInt32(MH_CLOCK_SYNCHRONISED)))
    session.unixMicroseconds = 1_709_247_599_000_000
    session.commit(Self.services())
    let actions = session.commit(.subscribed(token: 1)).actions
    #expect(actions.filter { $0.kind == MH_DO_WRITE }.map(\.value) == [[0x09, 0x01]])
  }

  @Test func whatCannotBeIsToldAtTheEnd() throws {
    let host = try TestHost(bundle: "soehnle")
    let session = try reading(host)
    #expect(session.commit(.notification(16, Array(Self.history.dropLast()))).status == MH_E_PROTOCOL)
    #expect(session.commit(.notification(16, Self.history)).records.count == 1)
    #expect(session.commit(.notification(16, [0x0c, 1, 1, 39, 1, 0, 197, 5, 83, 2])).records.isEmpty)
    #expect(end(session).map(\.code) == [MH_FAIL_METER_ERROR])
  }

  @Test func otherEndings() throws {
    let host = try TestHost(bundle: "soehnle")
    #expect(end(try reading(host)).map(\.code) == [MH_FAIL_NO_READING])
    #expect(try reading(host).commit(.timer(4)).actions.map(\.code) == [MH_FAIL_TIMEOUT])
    #expect(try reading(host).commit(.timer(5)).actions.map(\.code) == [MH_FAIL_TIMEOUT])
    #expect(try reading(host).commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    #expect(try reading(host).commit(.cancel).actions.map(\.kind) == [MH_DO_FINISH])
    #expect(try reading(host).commit(.wrote(token: 3, status: 3)).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    #expect(try host.open().commit(Self.services(0x02)).actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    let open = try host.open(TestOpening(security: 1))
    open.commit(Self.services())
    open.commit(.subscribed(token: 1))
    #expect(open.commit(.wrote(token: 3, status: 15)).actions.last?.kind == MH_DO_PAIR)
    open.commit(.encrypted(2))
    open.commit(.subscribed(token: 1))
    #expect(open.commit(.wrote(token: 3, status: 15)).actions.map(\.code) == [MH_FAIL_NOT_PAIRED])
    #expect(host.openStatus(TestOpening(purpose: UInt32(MH_PURPOSE_CLOCK))) == MH_E_UNSUPPORTED)
  }

  /// However small the host's arrays are, the same comes out.
  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "soehnle")
    let (ample, tiny) = (try reading(host), try reading(host))
    tiny.capacities = Capacities(records: 1, values: 2, arena: 13, actionsPerRound: 1)
    for bytes in [Self.history, Array(Self.history.reversed()), Self.history] {
      let (wide, narrow) = (ample.commit(.notification(16, bytes)), tiny.commit(.notification(16, bytes)))
      #expect(wide.records == narrow.records && wide.actions == narrow.actions)
    }
  }
}
