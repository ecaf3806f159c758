import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

@Suite struct YunmaiSessionTests {
  enum Token {
    static let resistance: UInt64 = 1
    static let patience: UInt64 = 2
    static let measurement: UInt64 = 3
  }

  let services: [(handle: UInt16, properties: UInt16, id: UInt16)] = [(16, 0x10, 0xffe4)]
  let mini2: [UInt8] = [
    0x0d, 0x1f, 0x14, 2, 0, 0x5b, 0x7a, 0xa7, 0xa2, 0x23, 0xd8, 0x82, 0xea, 0x1e, 1, 1, 0xbb, 5, 0x28, 0x36,
  ]

  static func frame(_ content: [UInt8]) -> [UInt8] {
    let body = [0x1f, UInt8(content.count + 4)] + content
    return [0x0d] + body + [body.reduce(0) { $0 ^ $1 }]
  }

  static func two(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xff)] }

  static func swinging(_ hundredths: UInt16) -> [UInt8] { frame([1, 0x5b, 0x7a, 0xa7, 0xa0] + two(hundredths)) }

  static func finished(
    _ hundredths: UInt16, resistance: UInt16 = 443, second: UInt8 = 0xa2, isSet: Bool = true, history: UInt8 = 0,
    user: UInt8 = 7
  ) -> [UInt8] {
    let time: [UInt8] = isSet ? [0x5b, 0x7a, 0xa7, second] : [0, 0, 0, second]
    return frame([2, history] + time + [0, 0, 0, user] + two(hundredths) + two(resistance) + two(1320))
  }

  static func x(_ state: UInt8, _ hundredths: UInt16, resistance: UInt16 = 0, counter: UInt8 = 4) -> TestEvent {
    let content = [counter, state] + two(hundredths) + two(resistance)
    let sum = content.reduce(0) { $0 ^ $1 }
    return .advertisement(
      [2, 1, 6, 3, 2, 0x20, 0x13, 17, 0xff, 0x56, 0x34, 0x12, 0xee, 0xff, 0xc0, 0x0b, 0x74, 0x17] + content + [sum])
  }

  func listening(_ host: TestHost, passive: Bool = false, at unixSeconds: Int64 = 1_700_000_000) throws -> TestSession {
    let session = try host.open(TestOpening(purpose: UInt32(passive ? MH_PURPOSE_PASSIVE : MH_PURPOSE_READ)))
    session.unixMicroseconds = unixSeconds * 1_000_000
    session.commit(.services(services, service: 0xffe0))
    session.commit(.subscribed(token: Token.measurement))
    return session
  }

  @Test func nothingIsWrittenAndTheFirstWeighingEndsTheReading() throws {
    let host = try TestHost(bundle: "yunmai")
    let session = try host.open()
    #expect(session.commit(.services(services, service: 0xffe0)).actions.map(\.kind) == [MH_DO_SUBSCRIBE])
    let ready = session.commit(.subscribed(token: Token.measurement))
    #expect(ready.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER])
    #expect(session.commit(.notification(16, Self.swinging(5608))).records.map(\.flags) == [MH_REC_PROVISIONAL])
    let unit = session.commit(.notification(16, mini2))
    #expect(unit.records.count == 1 && unit.actions.map(\.kind) == [MH_DO_FINISH])
    let record = try #require(unit.records.first)
    #expect(record.values.map(\.value) == [76.81, 443, 13.2])
    #expect(record.identityClass == UInt16(MH_IDENT_STORED) && record.identity == Array(mini2[5..<19]))
    #expect(record.timeKind == UInt16(MH_TIME_UTC) && record.flags == 0)
  }

  @Test func theSameMomentHasTheSameNameInEveryReading() throws {
    let host = try TestHost(bundle: "yunmai")
    var identities: Set<[UInt8]> = []
    for seconds in [Int64(0), 2, 90] {
      let unit = try listening(host, at: 1_700_000_000 + seconds).commit(.notification(16, mini2))
      identities.formUnion(unit.records.map(\.identity))
      #expect(unit.records.count == 1)
    }
    #expect(identities.count == 1)
  }

  /// A scale says the weight again each second, with the time of that second: it is one weighing.
  @Test(arguments: [true, false])
  func whoGoesOnStandingIsWeighedOnce(isSet: Bool) throws {
    let host = try TestHost(bundle: "yunmai")
    #expect(try listening(host).commit(.notification(16, Self.finished(7681, isSet: isSet))).records.count == 1)
    for seconds in [Int64(1), 9, 40] {
      let session = try listening(host, at: 1_700_000_000 + seconds)
      #expect(session.commit(.notification(16, Self.swinging(7690))).records.isEmpty)
      let again = Self.finished(7690, second: 0xa2 + UInt8(seconds), isSet: isSet)
      #expect(session.commit(.notification(16, again)).records.isEmpty)
      #expect(session.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
    }
    // They step off, and somebody of nearly the same weight steps on.
    let next = try listening(host, at: 1_700_000_045)
    next.commit(.notification(16, Self.swinging(3000)))
    let other = Self.finished(7690, second: 0xd0, isSet: isSet)
    #expect(next.commit(.notification(16, other)).records.map { $0.values[0].raw } == [7690])
  }

  @Test func aWeightWaitsForItsResistance() throws {
    let host = try TestHost(bundle: "yunmai")
    let session = try listening(host)
    let first = session.commit(.notification(16, Self.finished(7681, resistance: 0)))
    #expect(first.records.isEmpty && first.actions.map(\.kind) == [MH_DO_TIMER])
    let unit = session.commit(.notification(16, Self.finished(7683, second: 0xa5)))
    #expect(unit.records.map { $0.values.map(\.raw) } == [[7683, 443, 1320]])
    #expect(unit.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
  }

  @Test(arguments: [TestEvent.timer(1), .timer(2), .cancel, .disconnected])
  func withShoesOnTheWeightGoesAlone(end: TestEvent) throws {
    let host = try TestHost(bundle: "yunmai")
    let session = try listening(host)
    session.commit(.notification(16, Self.finished(7681, resistance: 0)))
    // The first says when it stood.
    session.commit(.notification(16, Self.finished(7681, resistance: 0, second: 0xa4)))
    let unit = session.commit(end)
    #expect(unit.records.map { $0.identity[3] } == [0xa2] && unit.records[0].value(MH_METRIC_BODY_IMPEDANCE) == nil)
    #expect(unit.actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func anotherPersonDoesNotTakeTheWaitingWeightsPlace() throws {
    let host = try TestHost(bundle: "yunmai")
    let session = try listening(host, passive: true)
    session.commit(.notification(16, Self.finished(7681, resistance: 0)))
    let unit = session.commit(.notification(16, Self.finished(5500, second: 0xb0)))
    #expect(unit.records.map { $0.values[0].raw } == [7681, 5500])
  }

  @Test func theMemorysReadingsAreOfTheirUsers() throws {
    let host = try TestHost(bundle: "yunmai")
    let session = try listening(host)
    let unit = session.commit(.notification(16, Self.finished(7681, history: 1)))
    #expect(unit.records.map(\.deviceUser) == [7] && unit.records[0].flags == 0 && unit.actions.isEmpty)
    let now = session.commit(.notification(16, Self.finished(5500, second: 0xb0)))
    #expect(now.records.count == 1 && now.actions.map(\.kind).last == MH_DO_FINISH)
  }

  @Test func refusalsAndSilence() throws {
    let host = try TestHost(bundle: "yunmai")
    let refusing = try host.open()
    refusing.commit(.services(services, service: 0xffe0))
    let refused = refusing.commit(.subscribed(token: Token.measurement, status: 5))
    #expect(refused.actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    #expect(
      try host.open().commit(.services(services, service: 0xfff0)).actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    for end in [TestEvent.timer(Token.patience), .disconnected, .cancel] {
      let session = try listening(host)
      session.commit(.notification(16, Self.swinging(7681)))
      #expect(session.commit(end).actions.map(\.code) == [MH_FAIL_NO_READING])
    }
    #expect(host.openStatus(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR))) == MH_E_UNSUPPORTED)
  }

  @Test func brokenBytesAreRefusedAndTheSessionGoesOn() throws {
    let host = try TestHost(bundle: "yunmai")
    let session = try listening(host)
    for index in mini2.indices {
      var broken = mini2
      broken[index] ^= 0x10
      #expect(session.commit(.notification(16, broken)).status == MH_E_PROTOCOL)
      #expect(session.commit(.notification(16, Array(mini2[..<index]))).status == MH_E_PROTOCOL)
    }
    #expect(session.commit(.notification(17, mini2)) == TestUnit())
    #expect(session.commit(.notification(16, mini2)).records.count == 1)
  }

  @Test func theXIsReadOutOfTheAir() throws {
    let host = try TestHost(bundle: "yunmai")
    let session = try host.open()
    #expect(session.commit(Self.x(1, 7955)).records.map(\.flags) == [MH_REC_PROVISIONAL])
    #expect(session.commit(Self.x(2, 8000)).records.isEmpty)
    let unit = session.commit(Self.x(3, 8000, resistance: 500))
    #expect(unit.records.map { $0.values.map(\.raw) } == [[8000, 500]])
    #expect(unit.records[0].identityClass == UInt16(MH_IDENT_LIVE))
    let again = try host.open()
    #expect(again.commit(Self.x(3, 8000, resistance: 500)).records.isEmpty)
    again.unixMicroseconds += 60_000_000
    #expect(again.commit(Self.x(3, 8000, resistance: 500, counter: 5)).records.count == 1)
  }

  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "yunmai")
    let session = try listening(host, passive: true)
    session.capacities = Capacities(records: 1, values: 3, arena: 16, actionsPerRound: 1)
    session.commit(.notification(16, Self.finished(7681, resistance: 0)))
    let unit = session.commit(.notification(16, Self.finished(5500, second: 0xb0)))
    #expect(unit.records.map { $0.values[0].raw } == [7681, 5500])
  }
}
