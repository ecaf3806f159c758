import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct EtekcitySessionTests {
  enum Token {
    static let subscribe: UInt64 = 1
    static let more: UInt64 = 2
    static let silence: UInt64 = 3
    static let limit: UInt64 = 4
    static let begin: UInt64 = 5
  }

  static let start: Int64 = 1_700_000_000

  /// A frame of FFF1 with its checksum.
  static func frame(_ operation: UInt16, _ payload: [UInt8]) -> [UInt8] {
    let body = [1, UInt8(operation & 255), UInt8(operation >> 8), 0] + payload
    var frame = [0xa5, 2, 7, UInt8(body.count), 0, 0] + body
    frame[5] = 0xff - frame.reduce(0, &+)
    return frame
  }

  static func weight(_ grams: Int, impedance: Int = 0, isSettling: Bool = false) -> [UInt8] {
    frame(
      0xa161,
      [UInt8(grams & 255), UInt8(grams >> 8 & 255), UInt8(grams >> 16), UInt8(impedance & 255), UInt8(impedance >> 8)]
        + [1, 2, 3, 4, isSettling ? 0 : 1, 1, 0])
  }

  static func result(_ grams: Int, impedance: Int = 0, rate: UInt8 = 0) -> [UInt8] {
    frame(
      0x413c,
      [UInt8](repeating: 0x5f, count: 20) + [0, 0, UInt8(grams & 255), UInt8(grams >> 8 & 255), UInt8(grams >> 16)]
        + [UInt8(impedance & 255), UInt8(impedance >> 8), 1, 2, 3, 4, 1, 1, 1, rate])
  }

  static func advertisement(_ grams: Int, impedance: Int = 0, isSettling: Bool = false) -> TestEvent {
    let data: [UInt8] =
      [1, 0x63, 0xa0, 0xed, 0x5d, 0x89, 0xa9, 0xc0, 0xa9, 1, UInt8(grams & 255), UInt8(grams >> 8 & 255)]
      + [UInt8(grams >> 16), UInt8(impedance & 255), UInt8(impedance >> 8), isSettling ? 0 : 1, 0, 2, 3, 0]
    return .advertisement([2, 1, 6, UInt8(data.count + 3), 0xff, 0xd0, 0x06] + data)
  }

  func open(_ host: TestHost, passive: Bool = false, after seconds: Int64 = 0, setsClock: Bool = false) throws
    -> TestSession
  {
    var opening = TestOpening(purpose: UInt32(passive ? MH_PURPOSE_PASSIVE : MH_PURPOSE_READ))
    if setsClock {
      opening.parameters = [UInt32(MH_PARAM_SET_CLOCK): 1]
      opening.clockTrust = UInt32(MH_CLOCK_SYNCHRONISED)
    }
    let session = try host.open(opening)
    session.unixMicroseconds = (Self.start + seconds) * 1_000_000
    return session
  }

  func listening(_ host: TestHost, after seconds: Int64 = 0) throws -> TestSession {
    let session = try open(host, after: seconds)
    session.commit(.services([(16, 0x10, 0xfff1), (18, 0x04, 0xfff2)], service: 0xfff0))
    session.commit(.subscribed(token: Token.subscribe))
    return session
  }

  func listening37(_ host: TestHost, setsClock: Bool = false) throws -> (TestSession, TestUnit) {
    let session = try open(host, setsClock: setsClock)
    session.commit(.services([(16, 0x10, 0x2c12), (18, 0x04, 0x2c11)], service: 0x1910))
    return (session, session.commit(.subscribed(token: Token.subscribe)))
  }

  func weights(_ unit: TestUnit) -> [Double] { unit.records.filter { $0.flags == 0 }.map { $0.values[0].value } }

  @Test func aWeighingIsReadWithoutAWordToTheScale() throws {
    let host = try TestHost(bundle: "etekcity")
    let session = try open(host)
    let first = session.commit(.services([(16, 0x10, 0xfff1), (18, 0x04, 0xfff2)], service: 0xfff0))
    #expect(first.actions.map(\.kind) == [MH_DO_MTU, MH_DO_SUBSCRIBE] && first.actions[1].handle == 16)
    #expect(
      session.commit(.subscribed(token: Token.subscribe)).actions.map(\.kind) == [
        MH_DO_READY, MH_DO_TIMER, MH_DO_TIMER,
      ])
    let swing = session.commit(.notification(16, Self.weight(71_400, isSettling: true)))
    #expect(swing.records.map(\.flags) == [MH_REC_PROVISIONAL] && swing.writes.isEmpty)
    let final = session.commit(.notification(16, Self.weight(72_530, impedance: 531)))
    #expect(final.records.map { $0.values.map(\.value) } == [[72.53, 531]])
    #expect(final.records[0].identityClass == UInt16(MH_IDENT_LIVE) && final.records[0].timeKind == 0)
    #expect(final.writes["meter/last"]?.count == 15 && final.actions.map(\.kind) == [MH_DO_FINISH])
    #expect(session.commit(.notification(16, Self.weight(72_530, impedance: 531))) == TestUnit())
  }

  /// With shoes on no impedance comes: the weight waits for it, and goes alone.
  @Test(arguments: ["timer", "stepping off", "cancel", "disconnected", "silence", "limit"])
  func withoutImpedanceTheWeightGoesAlone(end: String) throws {
    let host = try TestHost(bundle: "etekcity")
    let session = try listening(host)
    let waits = session.commit(.notification(16, Self.weight(72_460)))
    #expect(waits.records.isEmpty && waits.actions.map(\.token) == [Token.more])
    // Who moves while more is measured takes nothing back.
    #expect(session.commit(.notification(16, Self.weight(72_300, isSettling: true))).records.isEmpty)
    let events: [String: TestEvent] = [
      "timer": .timer(Token.more), "stepping off": .notification(16, Self.weight(0, isSettling: true)),
      "cancel": .cancel, "disconnected": .disconnected, "silence": .timer(Token.silence), "limit": .timer(Token.limit),
    ]
    let unit = session.commit(events[end]!)
    #expect(weights(unit) == [72.46] && unit.actions.last?.kind == MH_DO_FINISH)
    #expect(unit.records[0].values.count == 1 && unit.writes.count == 1)
  }

  @Test func theHeartRateIsWaitedFor() throws {
    let host = try TestHost(bundle: "etekcity")
    let session = try listening(host)
    #expect(session.commit(.notification(16, Self.result(136_450))).records.isEmpty)
    #expect(session.commit(.notification(16, Self.result(136_450, impedance: 239))).records.isEmpty)
    let unit = session.commit(.notification(16, Self.result(136_450, impedance: 239, rate: 98)))
    #expect(unit.records.map { $0.values.map(\.value) } == [[136.45, 239, 98]])
    #expect(unit.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
  }

  /// A result is longer than a notification: it comes in fragments, which begin with any byte.
  @Test(arguments: [20, 7, 5])
  func fragmentsAreOneFrame(length: Int) throws {
    let host = try TestHost(bundle: "etekcity")
    let session = try listening(host)
    let frame = Self.result(0xa5a5, impedance: 0x1a5, rate: 98)
    var units: [TestUnit] = []
    for at in stride(from: 0, to: frame.count, by: length) {
      units.append(session.commit(.notification(16, Array(frame[at..<min(at + length, frame.count)]))))
    }
    #expect(units.dropLast().allSatisfy { $0 == TestUnit() })
    #expect(units.last?.records.map { $0.values.map(\.value) } == [[42.405, 421, 98]])
  }

  @Test func aLostFragmentCostsItsFrameAlone() throws {
    let host = try TestHost(bundle: "etekcity")
    let session = try listening(host)
    session.commit(.notification(16, Array(Self.result(80_000, impedance: 400, rate: 60)[0..<20])))
    let unit = session.commit(.notification(16, Self.weight(72_530, impedance: 531)))
    #expect(weights(unit) == [72.53])
  }

  @Test func anEncryptedScaleIsSaidToBeOne() throws {
    let host = try TestHost(bundle: "etekcity")
    let session = try listening(host)
    let end = session.commit(.notification(16, Self.frame(0x4201, [0, 0, 0, 0, 6, 1, 2, 3, 4, 5, 6, 7, 8])))
    #expect(end.actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER] && end.actions[0].text.contains("encrypts"))
  }

  @Test func brokenFramesAreRefused() throws {
    let host = try TestHost(bundle: "etekcity")
    let session = try listening(host)
    var wrong = Self.weight(72_530, impedance: 531)
    wrong[11] ^= 1
    for value in [
      wrong, [], [0xa5], [0x5a, 1, 2, 3, 4, 5], [0xa5, 2, 0, 0xff, 0xff, 0] + [UInt8](repeating: 0, count: 500),
    ] {
      let unit = session.commit(.notification(16, value))
      #expect(unit.status == MH_E_PROTOCOL && unit.records.isEmpty)
    }
    #expect(session.commit(.notification(17, Self.weight(72_530, impedance: 531))) == TestUnit())
    #expect(session.commit(.timer(Token.silence)).actions.map(\.code) == [MH_FAIL_NO_READING])
  }

  /// The scale says its last number as long as somebody stands there, to the next session too.
  @Test func theSameStandIsOneReading() throws {
    let host = try TestHost(bundle: "etekcity")
    #expect(weights(try listening(host).commit(.notification(16, Self.weight(72_530, impedance: 531)))) == [72.53])
    let second = try listening(host, after: 20)
    #expect(second.commit(.notification(16, Self.weight(72_500, impedance: 540))).records.isEmpty)
    #expect(second.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
    // After somebody was seen to step off, and after two minutes, it is another weighing.
    let third = try listening(host, after: 40)
    third.commit(.notification(16, Self.weight(3000, isSettling: true)))
    #expect(weights(third.commit(.notification(16, Self.weight(72_530, impedance: 531)))) == [])
    #expect(weights(third.commit(.notification(16, Self.weight(72_500, impedance: 529)))) == [72.5])
    #expect(
      weights(try listening(host, after: 200).commit(.notification(16, Self.weight(72_530, impedance: 531)))) == [72.53]
    )
  }

  @Test func anotherPersonIsAnotherReading() throws {
    let host = try TestHost(bundle: "etekcity")
    #expect(weights(try listening(host).commit(.notification(16, Self.weight(72_530, impedance: 531)))) == [72.53])
    #expect(
      weights(try listening(host, after: 10).commit(.notification(16, Self.weight(61_200, impedance: 498)))) == [61.2])
  }

  @Test func aFit8SIsReadFromWhatItCallsOut() throws {
    let host = try TestHost(bundle: "etekcity")
    let session = try open(host)
    let swing = session.commit(Self.advertisement(64_300, isSettling: true))
    #expect(
      swing.records.map(\.flags) == [MH_REC_PROVISIONAL]
        && swing.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER, MH_DO_TIMER])
    #expect(session.commit(Self.advertisement(81_020)).records.isEmpty)
    let unit = session.commit(Self.advertisement(81_020, impedance: 537))
    #expect(unit.records.map { $0.values.map(\.value) } == [[81.02, 537]] && unit.actions.last?.kind == MH_DO_FINISH)
    // It goes on calling: the next session knows it.
    let next = try open(host, passive: true, after: 15)
    #expect(next.commit(Self.advertisement(81_020, impedance: 537)).records.isEmpty)
    #expect(next.commit(.timer(Token.silence)).actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func whatIsNoFit8SIsNoReading() throws {
    let host = try TestHost(bundle: "etekcity")
    let session = try open(host)
    #expect(session.commit(.advertisement([2, 1, 6, 5, 0xff, 0x4c, 0, 1, 2])) == TestUnit())
    // An air purifier of the same maker.
    let purifier: [UInt8] = [15, 0xff, 0xd0, 0x06, 1, 0x8e, 0x31, 0xe5, 0x51, 0x91, 0x40, 0xc6, 0x23, 2, 2, 2]
    #expect(session.commit(.advertisement(purifier)).records.isEmpty)
    #expect(session.commit(Self.advertisement(0)).records.isEmpty)
    #expect(session.commit(.timer(Token.silence)).actions.map(\.code) == [MH_FAIL_NO_READING])
  }

  @Test func anESF37IsAskedOnlyWhenItIsSilent() throws {
    let host = try TestHost(bundle: "etekcity")
    let (session, ready) = try listening37(host)
    #expect(ready.actions.map(\.kind) == [MH_DO_TIMER, MH_DO_READY, MH_DO_TIMER, MH_DO_TIMER])
    let asked = session.commit(.timer(Token.begin))
    #expect(asked.actions.map(\.value) == [[0xfe, 0xef, 0xc0, 0xa3, 0xc0, 1, 2, 0xc3]])
    let unit = session.commit(
      .notification(16, [0xfe, 0xef, 0xc0, 0xa3, 0xd0, 8, 0x19, 0x28, 0x37, 0x78, 1, 2, 0, 0, 0xcb]))
    #expect(weights(unit) == [64.4] && unit.actions.map(\.kind) == [MH_DO_FINISH])
    let (heard, _) = try listening37(host)
    heard.commit(.notification(16, [0xfe, 0xef, 0xc0, 0xa3, 0xd0, 8, 0x19, 0x28, 0x37, 0x78, 0, 2, 0, 0, 0xca]))
    #expect(heard.commit(.timer(Token.begin)) == TestUnit())
  }

  @Test func itsClockIsSetOnWish() throws {
    let host = try TestHost(bundle: "etekcity")
    let (_, ready) = try listening37(host, setsClock: true)
    #expect(ready.actions[0].value == [0xfe, 0xef, 0xc0, 0xa3, 0xc6, 4, 0x65, 0x53, 0xf1, 0, 0x73])
  }

  /// What an ESF-37 kept may have been delivered live: a person decides, and the identity is the same at every read.
  @Test func storedReadingsAreHeld() throws {
    let host = try TestHost(bundle: "etekcity")
    let frame: [UInt8] = [
      0xfe, 0xef, 0xc0, 0xa3, 0xd4, 13, 3, 0, 0, 0, 0, 0, 2, 0x58, 0x48, 0x6a, 0x80, 0x9b, 0x8d, 0x98,
    ]
    let records = try (0..<2).map { _ in try listening37(host).0.commit(.notification(16, frame)).records }
    #expect(records[0] == records[1] && records[0].map(\.flags) == [MH_REC_HELD])
    #expect(
      records[0][0].identity == [0x8d, 0x9b, 0x80, 0x6a, 0x48, 0x58, 0, 0]
        && records[0][0].time == 1_786_813_325_000_000)
  }

  func listening24(_ host: TestHost, unit: Int64? = nil, setsClock: Bool = true) throws -> TestSession {
    var opening = TestOpening(purpose: UInt32(MH_PURPOSE_READ))
    if setsClock { opening.parameters[UInt32(MH_PARAM_SET_CLOCK)] = 1 }
    if let unit { opening.parameters[0x8000] = unit }
    opening.clockTrust = UInt32(MH_CLOCK_SYNCHRONISED)
    let session = try host.open(opening)
    session.unixMicroseconds = Self.start * 1_000_000
    session.commit(.services([(16, 0x10, 0xfff1), (18, 0x04, 0xfff2)], service: 0xfff0))
    session.commit(.subscribed(token: Token.subscribe))
    return session
  }

  static let wantsUnit: [UInt8] = [0x12, 15, 0x15] + [UInt8](repeating: 0, count: 12)
  static let wantsTime: [UInt8] = [0x14, 11, 0x15] + [UInt8](repeating: 0, count: 8)

  @Test func anESF24IsAnsweredOnceAndThanked() throws {
    let host = try TestHost(bundle: "etekcity")
    let session = try listening24(host)
    #expect(
      session.commit(.notification(16, Self.wantsUnit)).actions.map(\.value) == [
        [0x13, 9, 0x15, 1, 0x10, 0x28, 0x37, 0, 0xa1]
      ])
    #expect(session.commit(.notification(16, Self.wantsUnit)) == TestUnit())
    let time = session.commit(.notification(16, Self.wantsTime)).actions.map(\.value)
    #expect(time == [[0x20, 8, 0x15, 0, 0x1e, 0xe7, 0x2c, 0x6e]])
    #expect(session.commit(.notification(16, Self.wantsTime)) == TestUnit())
    #expect(session.commit(.notification(16, [0x21, 5, 0x15, 1, 0x3c])) == TestUnit())
    let unit = session.commit(.notification(16, [0x10, 0x0b, 0x15, 0x2b, 0x48, 1, 1, 0x6b, 1, 0x34, 0x45]))
    #expect(unit.records.map { $0.values.map(\.value) } == [[110.8, 363]])
    #expect(unit.actions.map(\.kind) == [MH_DO_WRITE_NO_RESPONSE, MH_DO_FINISH])
    #expect(unit.actions[0].value == [0x1f, 5, 0x15, 0x10, 0x49])
    let pounds = try listening24(host, unit: 2).commit(.notification(16, Self.wantsUnit))
    #expect(pounds.actions.map(\.value) == [[0x13, 9, 0x15, 2, 0x10, 0x28, 0x37, 0, 0xa2]])
  }

  /// Nothing is written to it then.
  @Test(arguments: [wantsUnit, wantsTime]) func anESF24IsNotReadWithoutSettingItsClock(question: [UInt8]) throws {
    let host = try TestHost(bundle: "etekcity")
    let session = try listening24(host, setsClock: false)
    let end = session.commit(.notification(16, question)).actions
    #expect(end.map(\.code) == [MH_FAIL_NO_READING] && end[0].text.contains("clock"))
  }

  @Test func otherEndings() throws {
    let host = try TestHost(bundle: "etekcity")
    let refusing = try open(host)
    refusing.commit(.services([(16, 0x10, 0xfff1)], service: 0xfff0))
    #expect(refusing.commit(.subscribed(token: 1, status: 5)).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    let gone = try open(host)
    gone.commit(.services([(16, 0x10, 0xfff1)], service: 0xfff0))
    #expect(gone.commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    for list in [[(handle: UInt16(16), properties: UInt16(0x02), id: UInt16(0xfff1))], [(16, 0x10, 0x2c12)], []] {
      let other = try open(host).commit(.services(list, service: 0xfff0))
      #expect(other.actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    }
    #expect(host.openStatus(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR))) == MH_E_UNSUPPORTED)
  }

  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "etekcity")
    let session = try listening(host)
    session.capacities = Capacities(records: 1, values: 3, arena: 8, actionsPerRound: 1)
    session.commit(.notification(16, Self.weight(72_460)))
    // Somebody else stands there before the first one's impedance came: two readings in one unit.
    let unit = session.commit(.notification(16, Self.weight(61_200, impedance: 498)))
    #expect(weights(unit) == [72.46, 61.2] && unit.actions.last?.kind == MH_DO_FINISH)
  }
}
