import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

@Suite struct OximeterSessionTests {
  static let both: [(handle: UInt16, properties: UInt16, id: UInt16)] = [(20, 0x20, 0x2a5e), (23, 0x10, 0x2a5f)]
  static let continuous: [(handle: UInt16, properties: UInt16, id: UInt16)] = [(23, 0x10, 0x2a5f)]
  static let second: UInt64 = 1_000_000_000

  func measuring(_ host: TestHost) throws -> TestSession {
    let session = try host.open()
    session.commit(.services(Self.both, service: 0x1822))
    session.commit(.subscribed(token: 1))
    session.commit(.subscribed(token: 2))
    return session
  }

  func watching(_ host: TestHost) throws -> TestSession {
    let session = try host.open()
    session.commit(.services(Self.continuous, service: 0x1822))
    session.commit(.subscribed(token: 2))
    return session
  }

  func value(_ spo2: UInt8, _ pulse: UInt8, status: UInt16? = nil) -> [UInt8] {
    let words = status.map { [UInt8($0 & 0xff), UInt8($0 >> 8)] } ?? []
    return [status == nil ? 0 : 4, spo2, 0, pulse, 0] + words
  }

  @Test func readyComesWhenBothSubscriptionsAreInPlace() throws {
    let host = try TestHost(bundle: "oximeter")
    let session = try host.open()
    #expect(session.commit(.services(Self.both, service: 0x1822)).actions.map(\.handle) == [20, 23])
    #expect(session.commit(.subscribed(token: 1)).actions.isEmpty)
    let ready = session.commit(.subscribed(token: 2, status: 3))
    #expect(ready.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER])
    #expect(ready.actions[1].argument == 120 * Self.second)
  }

  @Test func continuousValuesAreProgressBesideSpotChecks() throws {
    let host = try TestHost(bundle: "oximeter")
    let session = try measuring(host)
    for tick in 0..<30 as Range<UInt64> {
      session.monotonicNanoseconds = tick * Self.second
      let unit = session.commit(.notification(23, value(98, 70, status: 0x0180)))
      #expect(unit.records.map(\.flags) == [MH_REC_PROVISIONAL] && unit.actions.isEmpty)
    }
    let result = session.commit(.indication(20, [0, 97, 0, 71, 0]))
    #expect(result.records.map(\.flags) == [0] && result.records[0].values.map(\.raw) == [97, 71])
    #expect(result.actions == [TestAction(kind: MH_DO_TIMER, token: 3, argument: 3 * Self.second)])
    // The stream does not keep a session that has its result.
    #expect(session.commit(.notification(23, value(98, 70))).actions.isEmpty)
    #expect(session.commit(.timer(3)).actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
    #expect(session.commit(.indication(20, [0, 97, 0, 71, 0])) == TestUnit())
  }

  @Test func storedSpotChecksComeOneAfterTheOther() throws {
    let host = try TestHost(bundle: "oximeter")
    let session = try measuring(host)
    for minute in 0..<5 as Range<UInt8> {
      let unit = session.commit(.indication(20, [1, 97, 0, 71, 0, 0xe8, 7, 3, 1, 8, minute, 0]))
      #expect(unit.records.map(\.identityClass) == [UInt16(MH_IDENT_STORED)])
    }
    #expect(session.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func noReadingFailsAndSaysSo() throws {
    let host = try TestHost(bundle: "oximeter")
    let session = try measuring(host)
    let unit = session.commit(.indication(20, [0, 127, 0, 0xff, 1]))
    #expect(unit.records.isEmpty && unit.status == MH_OK && unit.actions.isEmpty)
    #expect(host.state.log.contains { $0.contains("no reading") })
    #expect(session.commit(.indication(20, [1, 97, 0])).status == MH_E_PROTOCOL)
    #expect(session.commit(.notification(23, [0x1f, 97, 0])).status == MH_E_PROTOCOL)
    #expect(session.commit(.timer(3)).actions.map(\.code) == [MH_FAIL_NO_READING])
    let gone = try measuring(host)
    gone.commit(.notification(23, value(98, 70)))
    #expect(gone.commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
  }

  // MARK: Meters with continuous values only

  @Test(arguments: [0x0080, 0x0100, 0x0180] as [UInt16])
  func theValueThatTheMeterValidatedIsTheResult(status: UInt16) throws {
    let host = try TestHost(bundle: "oximeter")
    let session = try watching(host)
    for tick in 0..<20 as Range<UInt64> {
      session.monotonicNanoseconds = tick * Self.second
      #expect(session.commit(.notification(23, value(97, 70, status: 0x0020))).actions.isEmpty)
    }
    // Demonstration: nobody's value, however valid.
    #expect(session.commit(.notification(23, value(97, 70, status: status | 0x0400))).records.isEmpty)
    let unit = session.commit(.notification(23, value(96, 71, status: status)))
    #expect(unit.records.map(\.flags) == [0] && unit.records[0].values[0].raw == 96)
    #expect(unit.records[0].identityClass == UInt16(MH_IDENT_LIVE))
    #expect(unit.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
  }

  /// Values and the second at which the result is expected, nil: never.
  @Test(
    arguments: [
      ([UInt8](repeating: 97, count: 15), [UInt8](repeating: 70, count: 15), 10),
      ([97, 98, 96, 97, 98, 97, 96, 97, 98, 97, 97], [70, 73, 67, 70, 71, 72, 73, 67, 70, 70, 71], 10),
      // Two percent away after four seconds: the window starts again there.
      ([97, 97, 97, 97, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95, 95], [UInt8](repeating: 70, count: 15), 14),
      ([UInt8](repeating: 97, count: 15), [70, 70, 74] + [UInt8](repeating: 74, count: 12), 12),
      // Missing for a moment.
      ([97, 97, 97, 127] + [UInt8](repeating: 97, count: 11), [UInt8](repeating: 70, count: 15), 14),
      ((0..<40).map { 90 + $0 % 5 * 2 }, [UInt8](repeating: 70, count: 40), nil),
    ] as [([UInt8], [UInt8], Int?)])
  func theValueThatHasSettledIsTheResult(spo2: [UInt8], pulse: [UInt8], at: Int?) throws {
    let host = try TestHost(bundle: "oximeter")
    let session = try watching(host)
    var ended: Int?
    for (tick, pair) in zip(spo2, pulse).enumerated() where ended == nil {
      session.monotonicNanoseconds = 7 + UInt64(tick) * Self.second
      let unit = session.commit(.notification(23, value(pair.0, pair.1)))
      if unit.actions.contains(where: { $0.kind == MH_DO_FINISH }) {
        ended = tick
        #expect(
          unit.records.map(\.flags) == [0] && unit.records[0].values.map(\.raw) == [Int64(pair.0), Int64(pair.1)])
      } else {
        #expect(unit.records.allSatisfy { $0.flags == MH_REC_PROVISIONAL })
      }
    }
    #expect(ended == at)
  }

  @Test func aGapStartsTheWindowAgain() throws {
    let host = try TestHost(bundle: "oximeter")
    let session = try watching(host)
    for nanoseconds in [0, 5, 9, 13, 17, 21] as [UInt64] {
      session.monotonicNanoseconds = nanoseconds * Self.second
      #expect(session.commit(.notification(23, value(97, 70))).actions.isEmpty)
    }
  }

  /// PLX Features say that the meter's status has neither "validated" nor "fully qualified": steadiness decides.
  @Test(arguments: [([1, 0, 0x20, 0], true), ([1, 0, 0x80, 0], false), ([0, 0], false)] as [([UInt8], Bool)])
  func aMeterThatCannotValidateMustBeSteady(features: [UInt8], isSteady: Bool) throws {
    let host = try TestHost(bundle: "oximeter")
    let session = try host.open()
    let actions = session.commit(.services(Self.continuous + [(26, 0x02, 0x2a60)], service: 0x1822)).actions
    #expect(actions.map(\.kind) == [MH_DO_READ, MH_DO_SUBSCRIBE])
    session.commit(.read(token: 4, features))
    session.commit(.subscribed(token: 2))
    var finished = false
    for tick in 0..<15 as Range<UInt64> where !finished {
      session.monotonicNanoseconds = tick * Self.second
      let unit = session.commit(.notification(23, value(97, 70, status: 0x20)))
      finished = unit.actions.contains { $0.kind == MH_DO_FINISH }
    }
    #expect(finished == isSteady)
  }

  // MARK: The rest

  @Test func aMeterWithoutAMeasurementIsRefused() throws {
    let host = try TestHost(bundle: "oximeter")
    for list in [[(20, 0x02, 0x2a5e)], [(20, 0x20, 0x2a60)], []] as [[(handle: UInt16, properties: UInt16, id: UInt16)]]
    {
      let session = try host.open()
      #expect(session.commit(.services(list, service: 0x1822)).actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    }
    let other = try host.open()
    #expect(other.commit(.services(Self.both, service: 0x1810)).actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    for (list, token) in [(Self.both, 1), (Self.continuous, 2)] as [([(UInt16, UInt16, UInt16)], UInt64)] {
      let refusing = try host.open()
      refusing.commit(.services(list.map { ($0.0, $0.1, $0.2) }, service: 0x1822))
      #expect(refusing.commit(.subscribed(token: token, status: 5)).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    }
    #expect(host.openStatus(TestOpening(purpose: 99)) == MH_E_UNSUPPORTED)
  }

  @Test func pairingReadsNothing() throws {
    let host = try TestHost(bundle: "oximeter")
    let session = try host.open(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR), security: 1))
    #expect(session.commit(.services(Self.both, service: 0x1822)).actions.map(\.kind) == [MH_DO_PAIR])
    #expect(session.commit(.encrypted(2)).actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func changedServicesAndCancelling() throws {
    let host = try TestHost(bundle: "oximeter")
    let session = try measuring(host)
    #expect(session.commit(.servicesChanged).actions.map(\.kind) == [MH_DO_CANCEL_TIMER])
    #expect(session.commit(.indication(20, [0, 97, 0, 71, 0])).records.isEmpty)
    #expect(
      session.commit(.services(Self.both, service: 0x1822)).actions.map(\.kind) == [MH_DO_SUBSCRIBE, MH_DO_SUBSCRIBE])
    session.commit(.subscribed(token: 1))
    session.commit(.subscribed(token: 2))
    #expect(session.commit(.cancel).actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
  }

  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "oximeter")
    let ample = try measuring(host)
    let tiny = try measuring(host)
    tiny.capacities = .tiny
    for event in [
      TestEvent.notification(23, value(98, 70)), .indication(20, [1, 97, 0, 71, 0, 0xe8, 7, 3, 1, 8, 0, 0]),
      .indication(20, [0, 96, 0, 71, 0]), .timer(3),
    ] {
      let (wide, narrow) = (ample.commit(event), tiny.commit(event))
      #expect(wide.records == narrow.records && wide.actions == narrow.actions)
    }
  }

  @Test func randomSessionsKeepTheContract() throws {
    let host = try TestHost(bundle: "oximeter")
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<60 {
      let session = try Bool.random(using: &generator) ? measuring(host) : watching(host)
      for tick in 0..<60 as Range<UInt64> {
        session.monotonicNanoseconds = tick * Self.second
        let bytes = generator.bytes(0...22)
        let handle: UInt16 = Bool.random(using: &generator) ? 20 : 23
        let unit = session.commit(.notification(handle, Bool.random(using: &generator) ? bytes : value(97, 70)))
        #expect([MH_OK, MH_E_PROTOCOL].contains(unit.status))
        for record in unit.records {
          let spo2 = record.value(MH_METRIC_SPO2)?.value ?? -1
          #expect(spo2 >= 1 && spo2 <= 100)
        }
      }
    }
  }
}
