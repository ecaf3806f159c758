import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

@Suite struct OKOKSwanTests {
  enum Token {
    static let end: UInt64 = 3
    static let notify: UInt64 = 4
    static let write: UInt64 = 5
  }

  let services: [(handle: UInt16, properties: UInt16, id: UInt16)] = [(16, 0x08, 0xffb1), (18, 0x10, 0xffb2)]

  /// A weight in hundredths of a kilogram.
  static func weight(_ hundredths: UInt16, isFinal: Bool = true) -> TestEvent {
    let body: [UInt8] = [UInt8(hundredths >> 8), UInt8(hundredths & 0xff), 0, 0, isFinal ? 0xca : 0xce]
    return .notification(18, [0xac, 2] + body + [body.reduce(0) { $0 &+ $1 }])
  }

  /// A result in tenths of a kilogram, behind a date.
  static func result(_ tenths: UInt16) -> TestEvent {
    let head: [UInt8] = [0xac, 2, 0xff, 0, 2, 0x21, 26, 11, 28, 14, 30, 0]
    return .notification(18, head + [UInt8(tenths >> 8), UInt8(tenths & 0xff), 0, 0xfa, 0, 0xb4, 0, 0])
  }

  func listening(_ host: TestHost, passive: Bool = false, at unixSeconds: Int64 = 1_700_000_000) throws -> TestSession {
    let session = try host.open(TestOpening(purpose: UInt32(passive ? MH_PURPOSE_PASSIVE : MH_PURPOSE_READ)))
    session.unixMicroseconds = unixSeconds * 1_000_000
    session.commit(.services(services, service: 0xffb0))
    session.commit(.subscribed(token: Token.notify))
    return session
  }

  /// Whose fat it computes is a fixed person, in every session the same, and nothing of that is read.
  @Test func theScaleIsToldOneFixedPersonAndNothingElse() throws {
    let host = try TestHost(bundle: "okok")
    let session = try host.open()
    #expect(session.commit(.services(services, service: 0xffb0)).actions.map(\.kind) == [MH_DO_SUBSCRIBE])
    let ready = session.commit(.subscribed(token: Token.notify))
    #expect(
      ready.actions.filter { $0.kind == MH_DO_WRITE }.map(\.value) == [
        [0xac, 2, 0xf7, 0, 0, 0, 0xcc, 0xc3], [0xac, 2, 0xfa, 0, 0, 0, 0xcc, 0xc6],
        [0xac, 2, 0xfb, 1, 30, 170, 0xcc, 0x90],
      ])
    #expect(ready.actions.map(\.kind).suffix(2) == [MH_DO_READY, MH_DO_TIMER])
    #expect(session.commit(.subscribed(token: Token.notify)) == TestUnit())
    #expect(session.commit(Self.weight(9000, isFinal: false)).records.map(\.flags) == [MH_REC_PROVISIONAL])
    let unit = session.commit(Self.weight(9910))
    #expect(unit.records.map { $0.values.map(\.value) } == [[99.1]] && unit.records[0].flags == 0)
    #expect(unit.records[0].identityClass == UInt16(MH_IDENT_LIVE) && unit.actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func oneWeighingIsOneReadingHoweverOftenItIsSaid() throws {
    let host = try TestHost(bundle: "okok")
    let session = try listening(host, passive: true)
    #expect(session.commit(Self.weight(9914)).records.count == 1)
    for event in [Self.weight(9914), Self.weight(9914, isFinal: false), Self.weight(9914)] {
      session.unixMicroseconds += 1_000_000
      #expect(session.commit(event).records.isEmpty)
    }
    // The result comes seconds later, with a digit less.
    session.unixMicroseconds += 10_000_000
    #expect(session.commit(Self.result(991)).records.isEmpty)
    let again = try listening(host, at: 1_700_000_060)
    #expect(again.commit(Self.weight(9914)).records.isEmpty)
    #expect(again.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
    // Nobody stood there in between: the same digits are another weighing.
    let next = try listening(host, at: 1_700_000_120)
    next.commit(Self.weight(0, isFinal: false))
    #expect(next.commit(Self.weight(9914)).records.count == 1)
  }

  @Test func aResultAloneWaitsForAPerson() throws {
    let host = try TestHost(bundle: "okok")
    let unit = try listening(host).commit(Self.result(991))
    #expect(unit.records.map(\.flags) == [MH_REC_HELD] && unit.records[0].values.map(\.value) == [99.1])
  }

  /// What the scale calls impedance is a round number, and what it calls fat is that of the person it was told.
  @Test(
    arguments: [
      [0xac, 2, 0xfd, 1, 2, 0x58, 0xcb, 0x23], [0xac, 2, 0xfd, 0, 0, 0, 0xcb, 0xc8],
      [1, 0, 90, 0, 180, 1, 44, 2, 88, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func whatIsNotMeasuredIsNotRead(bytes: [UInt8]) throws {
    let session = try listening(try TestHost(bundle: "okok"))
    #expect(session.commit(.notification(18, bytes)) == TestUnit())
    #expect(session.commit(.timer(Token.end)).actions.map(\.code) == [MH_FAIL_NO_READING])
  }

  @Test func refusalsAreNamed() throws {
    let host = try TestHost(bundle: "okok")
    let other = try host.open().commit(.services([(16, 0x10, 0xffb2)], service: 0xffb0))
    #expect(other.actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    let foreign = try host.open().commit(.services(services, service: 0xffe0))
    #expect(foreign.actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    let session = try host.open()
    session.commit(.services(services, service: 0xffb0))
    let refused = session.commit(.subscribed(token: Token.notify, status: 5))
    #expect(refused.actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    let write = try listening(host).commit(.wrote(token: Token.write, status: 3))
    #expect(write.actions.map(\.code) == [MH_FAIL_COMMUNICATION])
  }

  @Test func hostileBytesAndOtherHandlesBringNothing() throws {
    let host = try TestHost(bundle: "okok")
    let session = try listening(host)
    for bytes in [[], [0xac], [0xac, 2, 0x26, 0xb6, 0, 0, 0xca, 0xff], [UInt8](repeating: 0xac, count: 9)] as [[UInt8]]
    {
      #expect(session.commit(.notification(18, bytes)).status == MH_E_PROTOCOL)
    }
    #expect(session.commit(.notification(16, [0xac, 2, 0x26, 0xb6, 0, 0, 0xca, 0xa6])) == TestUnit())
    #expect(session.commit(Self.weight(130)) == TestUnit())
    session.capacities = Capacities(records: 1, values: 1, arena: 0, actionsPerRound: 1)
    #expect(session.commit(Self.weight(9910)).records.count == 1)
  }
}
