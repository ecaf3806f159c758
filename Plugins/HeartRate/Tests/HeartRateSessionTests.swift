import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct HeartRateSessionTests {
  let services: [(handle: UInt16, properties: UInt16, id: UInt16)] = [(16, 0x10, 0x2a37)]
  let off: [UInt8] = [0x04, 72]

  /// A session that listens, at second 0 of the event clock.
  func listening(_ host: TestHost) throws -> TestSession {
    let session = try host.open()
    session.monotonicNanoseconds = 0
    session.commit(.services(services, service: 0x180d))
    session.commit(.subscribed(token: 1))
    return session
  }

  func notify(_ session: TestSession, at second: Double, _ value: [UInt8]) -> TestUnit {
    session.monotonicNanoseconds = UInt64(second * 1e9)
    return session.commit(.notification(16, value))
  }

  func rate(_ beats: UInt8) -> [UInt8] { [0x06, beats] }

  @Test func readyComesWithTheSubscription() throws {
    let host = try TestHost(bundle: "heart-rate")
    let session = try host.open()
    #expect(session.commit(.services(services, service: 0x180d)).actions.map(\.handle) == [16])
    let ready = session.commit(.subscribed(token: 1))
    #expect(ready.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER])
    #expect(ready.actions[1].argument == 120_000_000_000)
  }

  @Test func theLastValueIsTheReadingOnceTenSecondsHavePassed() throws {
    let host = try TestHost(bundle: "heart-rate")
    let session = try listening(host)
    for second in 1...10 {
      let unit = notify(session, at: Double(second), rate(UInt8(60 + second)))
      #expect(unit.records.map(\.flags) == [MH_REC_PROVISIONAL] && unit.actions.isEmpty)
    }
    let unit = notify(session, at: 11, [0x16, 75, 0x16, 3])
    #expect(unit.records.map(\.flags) == [MH_REC_PROVISIONAL, 0])
    #expect(unit.records[0].values == unit.records[1].values)
    #expect(unit.records[1].value(MH_METRIC_HEART_RATE)?.raw == 75)
    #expect(unit.records[1].identityClass == UInt16(MH_IDENT_LIVE) && unit.records[1].timeKind == 0)
    #expect(unit.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
    #expect(notify(session, at: 12, rate(80)) == TestUnit())
  }

  /// What starts the ten seconds again: lost contact, a filler, a gap of more than five seconds.
  @Test(
    arguments: [([0x04, 72], 6.0), ([0x06, 0], 6.0), ([0x00, 255], 6.0), ([0x06, 255], 6.0), ([], 10.5)]
      as [([UInt8], Double)])
  func aBrokenRunStartsAgain(breaks: [UInt8], at second: Double) throws {
    let host = try TestHost(bundle: "heart-rate")
    let session = try listening(host)
    for second in 1...5 { _ = notify(session, at: Double(second), rate(70)) }
    if !breaks.isEmpty {
      let unit = notify(session, at: second, breaks)
      #expect(unit.records.isEmpty && unit.actions.isEmpty && unit.status == MH_OK)
    }
    let start = second + 0.5
    for step in 0..<10 {
      #expect(notify(session, at: start + Double(step), rate(71)).records.map(\.flags) == [MH_REC_PROVISIONAL])
    }
    #expect(notify(session, at: start + 10, rate(72)).records.map(\.flags) == [MH_REC_PROVISIONAL, 0])
  }

  @Test func aGapOfFiveSecondsIsNoBreak() throws {
    let host = try TestHost(bundle: "heart-rate")
    let session = try listening(host)
    _ = notify(session, at: 1, rate(70))
    _ = notify(session, at: 6, rate(70))
    #expect(notify(session, at: 11, rate(72)).actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
  }

  @Test func aStrapOnTheTableIsNoReading() throws {
    let host = try TestHost(bundle: "heart-rate")
    let session = try listening(host)
    for second in 1...119 { #expect(notify(session, at: Double(second), off) == TestUnit()) }
    let end = session.commit(.timer(2)).actions
    #expect(end.map(\.code) == [MH_FAIL_NO_READING] && end[0].text.contains("moisten"))
  }

  @Test func otherEndings() throws {
    let host = try TestHost(bundle: "heart-rate")
    let gone = try listening(host)
    _ = notify(gone, at: 1, rate(70))
    #expect(gone.commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    #expect(try listening(host).commit(.cancel).actions.map(\.kind) == [MH_DO_FINISH])
    #expect(try listening(host).commit(.timer(9)) == TestUnit())
    let refusing = try host.open()
    refusing.commit(.services(services, service: 0x180d))
    #expect(refusing.commit(.subscribed(token: 1, status: 5)).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    for (list, service) in [
      ([(handle: UInt16(16), properties: UInt16(0x10), id: UInt16(0x2a38))], UInt16(0x180d)),
      ([(16, 0x02, 0x2a37)], 0x180d), ([(16, 0x10, 0x2a37)], 0x1810),
    ] {
      #expect(
        try host.open().commit(.services(list, service: service)).actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    }
    #expect(host.openStatus(TestOpening(purpose: UInt32(MH_PURPOSE_CLOCK))) == MH_E_UNSUPPORTED)
  }

  @Test func shortAndLongPacketsAreRefused() throws {
    let host = try TestHost(bundle: "heart-rate")
    let session = try listening(host)
    let beyond = [0x16, 72] + [UInt8](repeating: 3, count: 124)
    for packet in [[], [0x06], [0x01, 72], beyond, [UInt8](repeating: 0x16, count: 513)] {
      let unit = notify(session, at: 1, packet)
      #expect(unit.status == MH_E_PROTOCOL && unit.records.isEmpty)
    }
    // As many intervals as every host has room for, with energy: a record that fills the smallest sink.
    session.capacities = Capacities(records: 1, values: 64, arena: 0, actionsPerRound: 8)
    let longest = notify(session, at: 2, [0x1e, 72, 1, 0] + [UInt8](repeating: 3, count: 122))
    #expect(longest.records.map(\.values.count) == [64])
  }

  @Test func changedServicesStartAgain() throws {
    let host = try TestHost(bundle: "heart-rate")
    let session = try listening(host)
    _ = notify(session, at: 1, rate(70))
    #expect(session.commit(.servicesChanged).actions.map(\.kind) == [MH_DO_CANCEL_TIMER])
    #expect(notify(session, at: 2, rate(70)) == TestUnit())
    #expect(session.commit(.services([(30, 0x10, 0x2a37)], service: 0x180d)).actions.map(\.handle) == [30])
    session.commit(.subscribed(token: 1))
    session.monotonicNanoseconds = 12_000_000_000
    #expect(session.commit(.notification(30, rate(70))).records.map(\.flags) == [MH_REC_PROVISIONAL])
  }

  @Test func pairingReadsNothing() throws {
    let host = try TestHost(bundle: "heart-rate")
    let session = try host.open(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR), security: 1))
    #expect(session.commit(.services(services, service: 0x180d)).actions.map(\.kind) == [MH_DO_PAIR])
    #expect(session.commit(.encrypted(2)).actions.map(\.kind) == [MH_DO_FINISH])
  }

  /// The result and the progress of the same packet come once each, however small the host's arrays are.
  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "heart-rate")
    let (ample, tiny) = (try listening(host), try listening(host))
    tiny.capacities = Capacities(records: 1, values: 3, arena: 0, actionsPerRound: 1)
    for second in stride(from: 1.0, through: 11, by: 2) {
      let value: [UInt8] = [0x16, 70, UInt8(second), 3]
      let (wide, narrow) = (notify(ample, at: second, value), notify(tiny, at: second, value))
      #expect(wide.records == narrow.records && wide.actions == narrow.actions)
      #expect(wide.records.count == (second == 11 ? 2 : 1))
    }
  }

  /// 1/1024 s has ten decimals, and nothing of them is lost.
  @Test func intervalsAreExact() throws {
    let host = try TestHost(bundle: "heart-rate")
    for raw in [1, 33, 790, 1023, 1024, 65534] {
      let outcome = host.decode([(0x2a37, [0x16, 60, UInt8(raw & 255), UInt8(raw >> 8)])])[0]
      let value = try #require(outcome.records.first?.value(MH_METRIC_RR_INTERVAL))
      #expect(value.raw == Int64(raw) * 9_765_625 && value.exponent == -10 && value.value == Double(raw) / 1024)
      #expect(value.value == Double(value.raw) / 1e10)
    }
  }
}
