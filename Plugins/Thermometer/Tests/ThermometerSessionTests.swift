import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct ThermometerSessionTests {
  let handles: [(handle: UInt16, properties: UInt16, id: UInt16)] = [(20, 0x20, 0x2a1c), (23, 0x10, 0x2a1e)]
  let reading: [UInt8] = [4, 0x53, 0x0d, 0, 0xfe, 9]

  func measuring(_ host: TestHost) throws -> TestSession {
    let session = try host.open()
    session.commit(.services(handles, service: 0x1809))
    session.commit(.subscribed(token: 1))
    session.commit(.subscribed(token: 2))
    return session
  }

  @Test func readyComesWhenBothSubscriptionsAreInPlace() throws {
    let host = try TestHost(bundle: "thermometer")
    let session = try host.open()
    #expect(session.commit(.services(handles, service: 0x1809)).actions.map(\.handle) == [20, 23])
    #expect(session.commit(.subscribed(token: 1)).actions.isEmpty)
    let ready = session.commit(.subscribed(token: 2, status: 3))
    #expect(ready.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER])
    #expect(ready.actions[1].argument == 120_000_000_000)
  }

  @Test func finishesWhenTheMeterFallsSilent() throws {
    let host = try TestHost(bundle: "thermometer")
    let session = try measuring(host)
    let unit = session.commit(.indication(20, reading))
    #expect(unit.records.map { $0.values[0].value } == [34.11])
    #expect(unit.actions == [TestAction(kind: MH_DO_TIMER, token: 3, argument: 3_000_000_000)])
    #expect(session.commit(.indication(20, reading)).records.count == 1)
    #expect(session.commit(.timer(3)).actions.map(\.kind) == [MH_DO_FINISH])
    #expect(session.commit(.indication(20, reading)) == TestUnit())
  }

  @Test func provisionalValuesAreProgress() throws {
    let host = try TestHost(bundle: "thermometer")
    let session = try measuring(host)
    let unit = session.commit(.notification(23, [0, 0x6c, 1, 0, 0xff]))
    #expect(unit.records.map(\.flags) == [MH_REC_PROVISIONAL])
    #expect(unit.actions.map(\.argument) == [120_000_000_000])
    #expect(session.commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
  }

  @Test func noReadingFailsAndSaysSo() throws {
    let host = try TestHost(bundle: "thermometer")
    let session = try measuring(host)
    let unit = session.commit(.indication(20, [0, 0xff, 0xff, 0x7f, 0]))
    #expect(unit.records.isEmpty && unit.status == MH_OK)
    #expect(host.state.log.contains { $0.contains("no reading") })
    #expect(session.commit(.indication(20, [2, 1, 2])).status == MH_E_PROTOCOL)
    let end = session.commit(.timer(3))
    #expect(end.actions.map(\.code) == [MH_FAIL_NO_READING] && !end.actions[0].text.isEmpty)
  }

  @Test func aDisconnectAfterAReadingIsSuccess() throws {
    let host = try TestHost(bundle: "thermometer")
    let session = try measuring(host)
    session.commit(.indication(20, reading))
    #expect(session.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func aReadingBeforeTheLastSubscriptionCounts() throws {
    let host = try TestHost(bundle: "thermometer")
    let session = try host.open()
    session.commit(.services(handles, service: 0x1809))
    session.commit(.subscribed(token: 1))
    #expect(session.commit(.indication(20, reading)).records.count == 1)
    #expect(session.commit(.subscribed(token: 2)).actions.map(\.argument) == [0, 3_000_000_000])
  }

  @Test func aMeterWithoutTheCharacteristicIsRefused() throws {
    let host = try TestHost(bundle: "thermometer")
    let wrong = try host.open()
    #expect(
      wrong.commit(.services([(20, 0x20, 0x2a1d)], service: 0x1809)).actions.map(\.code)
        == [MH_FAIL_UNSUPPORTED_METER])
    let refusing = try host.open()
    refusing.commit(.services([(20, 0x20, 0x2a1c)], service: 0x1809))
    #expect(refusing.commit(.subscribed(token: 1, status: 5)).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    #expect(host.openStatus(TestOpening(purpose: 99)) == MH_E_UNSUPPORTED)
  }

  @Test func pairingReadsNothing() throws {
    let host = try TestHost(bundle: "thermometer")
    let session = try host.open(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR), security: 1))
    #expect(session.commit(.services(handles, service: 0x1809)).actions.map(\.kind) == [MH_DO_PAIR])
    #expect(session.commit(.encrypted(2)).actions.map(\.kind) == [MH_DO_FINISH])
  }

  /// A sink without any room at first: the record comes with the next round, once.
  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "thermometer")
    let ample = try measuring(host)
    let tiny = try measuring(host)
    tiny.capacities = Capacities(records: 1, values: 2, arena: 11, actionsPerRound: 1)
    for event in [
      TestEvent.indication(20, reading), .indication(20, [2, 0x68, 1, 0, 0xff, 0xe2, 7, 3, 10, 21, 52, 0]),
    ] {
      let (wide, narrow) = (ample.commit(event), tiny.commit(event))
      #expect(wide.records == narrow.records && wide.actions == narrow.actions)
    }
    let none = try measuring(host)
    none.capacities = Capacities(records: 0, values: 0, arena: 0, actionsPerRound: 0)
    let sink = TestSink(none.capacities, host.state)
    #expect(sink.sink.cap_records == 0)
    var rounds = 0
    let unit = none.send(.indication(20, reading)) {
      rounds += 1
      if rounds == 3 { none.capacities = .ample }
    }
    #expect(unit.records.count == 1 && unit.actions.map(\.kind) == [MH_DO_TIMER] && unit.rounds == 4)
  }
}
