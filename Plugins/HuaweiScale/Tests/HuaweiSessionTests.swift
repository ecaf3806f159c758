import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

@Suite struct HuaweiSessionTests {
  enum Token {
    static let notify: UInt64 = 1
    static let answer: UInt64 = 2
    static let patience: UInt64 = 3
    static let write: UInt64 = 4
    static let bind: UInt64 = 5
  }

  /// The scale whose frames these are: 5C:CA:D3:14:2B:B3.
  static let address: [UInt32: Int64] = [0x8000: 0x5cca, 0x8001: 0xd314, 0x8002: 0x2bb3]
  static let awake: [UInt8] = [0xbd, 2, 0, 0x5c]
  static let letIn: [UInt8] = [0xbd, 2, 0x26, 0x5d]
  static let refused: [UInt8] = [0xbd, 2, 0x26, 0x5c]
  static let wantsPerson: [UInt8] = [0xbd, 1, 0x20, 0x21]
  static let bound: [UInt8] = [0xbd, 1, 0x27]
  static let measured: [UInt8] = [
    0xbc, 0x11, 0x0e, 0xab, 0xf7, 0x86, 0x78, 0x30, 0x3b, 0xa4, 0x62, 0xfc, 0x93, 0xd1, 0xdb, 0x4b, 0x34, 0x88, 0x61,
  ]
  let services: [(handle: UInt16, properties: UInt16, id: UInt16)] = [(16, 0x08, 0xfaa1), (18, 0x12, 0xfaa2)]

  func open(
    _ host: TestHost, passive: Bool = false, parameters: [UInt32: Int64] = [:], trust: UInt32 = UInt32(MH_CLOCK_UNKNOWN)
  ) throws -> TestSession {
    var opening = TestOpening(purpose: UInt32(passive ? MH_PURPOSE_PASSIVE : MH_PURPOSE_READ))
    opening.parameters = Self.address.merging(parameters) { $1 }
    opening.clockTrust = trust
    return try host.open(opening)
  }

  @discardableResult
  func say(_ session: TestSession, _ bytes: [UInt8]) -> TestUnit { session.commit(.notification(18, bytes)) }

  /// A session that the scale has let in.
  func listening(_ host: TestHost, passive: Bool = false) throws -> TestSession {
    let session = try open(host, passive: passive)
    session.commit(.services(services, service: 0xfaa0))
    session.commit(.subscribed(token: Token.notify))
    say(session, Self.awake)
    say(session, Self.letIn)
    return session
  }

  func writes(_ unit: TestUnit) -> [[UInt8]] { unit.actions.filter { $0.kind == MH_DO_WRITE }.map(\.value) }

  @Test func theWholeWayToAWeight() throws {
    let host = try TestHost(bundle: "huawei-scale")
    let session = try open(host)
    #expect(session.commit(.services(services, service: 0xfaa0)).actions.map(\.kind) == [MH_DO_SUBSCRIBE])
    #expect(session.commit(.subscribed(token: Token.notify)).actions.map(\.kind) == [MH_DO_TIMER])
    let hello = say(session, Self.awake)
    #expect(writes(hello) == [[0xdb, 8, 0x24, 0x4d, 0xe8, 0xe0, 0x50, 0x7e, 0xa3, 0x5d]])
    let ready = say(session, Self.letIn)
    #expect(writes(ready).map { Array($0[..<3]) } == [[0xdc, 14, 9]])
    #expect(ready.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_WRITE, MH_DO_READY, MH_DO_TIMER])
    let unit = say(session, Self.measured)
    let record = try #require(unit.records.first)
    #expect(record.values.map(\.value) == [126.6, 306] && record.value(MH_METRIC_BODY_FAT) == nil)
    #expect(record.identityClass == UInt16(MH_IDENT_STORED) && record.deviceUser == nil && record.flags == 0)
    #expect(record.identity == [1, 0xf2, 4, 0xea, 7, 8, 10, 10, 1, 38, 0x32, 1])
    // The scale hears that it came behind the record.
    #expect(writes(unit) == [[0xdb, 2, 0x13, 0x5c]] && unit.actions.map(\.kind).last == MH_DO_FINISH)
    #expect(say(session, Self.measured) == TestUnit())
  }

  @Test func theClockIsSetOnlyWhenItIsWishedAndTheHostsIsRight() throws {
    for (wish, trust, count) in [
      (Int64(1), UInt32(MH_CLOCK_SYNCHRONISED), 2), (1, UInt32(MH_CLOCK_UNKNOWN), 1),
      (0, UInt32(MH_CLOCK_SYNCHRONISED), 1),
    ] {
      let host = try TestHost(bundle: "huawei-scale")
      let session = try open(host, parameters: [UInt32(MH_PARAM_SET_CLOCK): wish], trust: trust)
      session.unixMicroseconds = 1_786_356_098_000_000
      session.commit(.services(services, service: 0xfaa0))
      session.commit(.subscribed(token: Token.notify))
      say(session, Self.awake)
      let frames = writes(say(session, Self.letIn))
      #expect(frames.count == count)
      // 2026-08-10, a Monday, 10:01:38.
      let clock: [UInt8] = [0xea ^ 0x5c, 7 ^ 0xca, 8 ^ 0xd3, 10 ^ 0x14, 10 ^ 0x2b, 1 ^ 0xb3, 38 ^ 0x5c, 1 ^ 0xca]
      if count == 2 { #expect(frames[0] == [0xdb, 9, 8] + clock) }
    }
  }

  /// A scale that is another's is bound only when somebody agrees.
  @Test func bindingIsAsked() throws {
    let host = try TestHost(bundle: "huawei-scale")
    for (status, answer, code) in [
      (Int32(0), [UInt8(2)], MH_FAIL_REFUSED), (MH_E_DENIED, [], MH_FAIL_REFUSED),
      (MH_E_UNSUPPORTED, [], MH_FAIL_NOT_PAIRED), (0, [1], 0),
    ] as [(Int32, [UInt8], Int32)] {
      let session = try open(host)
      session.commit(.services(services, service: 0xfaa0))
      session.commit(.subscribed(token: Token.notify))
      say(session, Self.awake)
      #expect(writes(say(session, Self.refused)).count == 1)
      #expect(writes(say(session, Self.refused)).count == 1)
      let question = say(session, Self.refused)
      #expect(question.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_ASK_USER])
      let unit = session.commit(.userInput(token: Token.bind, answer, status: status))
      guard code == 0 else {
        #expect(unit.actions.map(\.code) == [code] && writes(unit).isEmpty)
        continue
      }
      #expect(writes(unit).map { $0[2] } == [0x25])
      #expect(writes(say(session, Self.bound)).map { $0[2] } == [0x24])
      say(session, Self.letIn)
      #expect(say(session, Self.measured).records.count == 1)
    }
  }

  @Test func aPersonIsToldAFewTimesAndNotForEver() throws {
    let host = try TestHost(bundle: "huawei-scale")
    let session = try listening(host)
    var told = 0
    for _ in 0..<50 { told += writes(say(session, Self.wantsPerson)).count }
    #expect(told == 7)
    #expect(say(session, Self.measured).records.count == 1)
  }

  @Test func silenceAndRefusals() throws {
    let host = try TestHost(bundle: "huawei-scale")
    let other = try open(host).commit(.services([(16, 0x08, 0xfaa1)], service: 0xfaa0))
    #expect(other.actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    let refusing = try open(host)
    refusing.commit(.services(services, service: 0xfaa0))
    let answer = refusing.commit(.subscribed(token: Token.notify, status: 5))
    #expect(answer.actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    let asleep = try open(host)
    asleep.commit(.services(services, service: 0xfaa0))
    asleep.commit(.subscribed(token: Token.notify))
    #expect(asleep.commit(.timer(Token.answer)).actions.map(\.code) == [MH_FAIL_TIMEOUT])
    let mute = try open(host)
    mute.commit(.services(services, service: 0xfaa0))
    mute.commit(.subscribed(token: Token.notify))
    say(mute, Self.awake)
    #expect(writes(mute.commit(.timer(Token.answer))).count == 1)
    #expect(writes(mute.commit(.timer(Token.answer))).count == 1)
    #expect(mute.commit(.timer(Token.answer)).actions.map(\.code) == [MH_FAIL_TIMEOUT])
    for end in [TestEvent.timer(Token.patience), .disconnected, .cancel, .notification(18, [0xbd, 1, 1])] {
      #expect(try listening(host).commit(end).actions.map(\.code) == [MH_FAIL_NO_READING])
    }
    #expect(say(try listening(host), [0xbd, 1, 0x13]).actions.map(\.code) == [MH_FAIL_METER_ERROR])
    let write = try listening(host).commit(.wrote(token: Token.write, status: 3))
    #expect(write.actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    #expect(host.openStatus(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR))) == MH_E_UNSUPPORTED)
  }

  @Test func theSameMeasurementHasTheSameNameAndAnothersFramesAreRefused() throws {
    let host = try TestHost(bundle: "huawei-scale")
    let first = say(try listening(host), Self.measured), second = say(try listening(host), Self.measured)
    #expect(first.records == second.records)
    let session = try listening(host)
    for broken in [Array(Self.measured[..<18]), [0xbc, 0x11, 0x0e], [0xbc], []] {
      #expect(say(session, broken).status == MH_E_PROTOCOL)
    }
    // Under another address the same bytes mean nothing.
    var opening = TestOpening()
    opening.parameters = [0x8000: 0x5cca, 0x8001: 0xd308, 0x8002: 0x7b4f]
    let other = try host.open(opening)
    other.commit(.services(services, service: 0xfaa0))
    other.commit(.subscribed(token: Token.notify))
    say(other, Self.awake)
    say(other, [0xbd, 2, 0x26, 0x5d])
    #expect(say(other, Self.measured).status == MH_E_PROTOCOL)
  }

  @Test func beforeItIsLetInNothingIsTaken() throws {
    let host = try TestHost(bundle: "huawei-scale")
    let session = try open(host)
    session.commit(.services(services, service: 0xfaa0))
    session.commit(.subscribed(token: Token.notify))
    #expect(say(session, Self.measured).records.isEmpty)
    say(session, Self.awake)
    #expect(say(session, Self.measured).records.isEmpty)
  }

  @Test func theMemorysReadingsComeBesideTheNewOne() throws {
    let host = try TestHost(bundle: "huawei-scale")
    let session = try listening(host)
    var stored = Self.measured
    stored[2] = 0x10
    let unit = say(session, stored)
    #expect(unit.records.count == 1 && unit.actions.isEmpty)
    #expect(say(session, Self.measured).records.map(\.identity) == unit.records.map(\.identity))
  }

  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "huawei-scale")
    let session = try listening(host)
    session.capacities = Capacities(records: 1, values: 2, arena: 12, actionsPerRound: 1)
    let unit = say(session, Self.measured)
    #expect(unit.records.count == 1 && unit.actions.count == 2)
  }
}
