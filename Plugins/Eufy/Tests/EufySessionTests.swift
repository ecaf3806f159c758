import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct EufySessionTests {
  enum Token {
    static let subscribe: UInt64 = 1
    static let more: UInt64 = 2
    static let silence: UInt64 = 3
    static let limit: UInt64 = 4
    static let answer: UInt64 = 5
  }

  static let layout: UInt32 = 0x8000

  /// A CF frame with its checksum; weight in steps of 10 g, impedance in tenths of an Ohm.
  static func frame(_ weight: Int, impedance: Int = 0, state: UInt8 = 0, date: [UInt8] = []) -> [UInt8] {
    let bytes: [UInt8] =
      [0xcf, UInt8(impedance & 255), UInt8(impedance >> 8), UInt8(weight & 255), UInt8(weight >> 8)] + [
        0, 0, 0, 0, state,
      ]
    return bytes + [bytes.reduce(0, ^)] + date
  }

  static func called(_ data: [UInt8]) -> TestEvent { .advertisement([2, 1, 6, UInt8(data.count + 1), 0xff] + data) }

  static func c1(_ weight: Int, impedance: Int = 0, state: UInt8 = 0) -> TestEvent {
    called(
      [0xcf, 0xe5, 0x0c, 0x03, 0x01, 0xec] + frame(weight, impedance: impedance, state: state) + [0x4a, 0x91, 0x46])
  }

  static func pro(_ weight: Int, rate: UInt8 = 0, flags: UInt8 = 0, state: UInt8 = 0) -> TestEvent {
    called(
      [0x48, 0xff, 0xcf, 0xe6, 3, 0x1d, 9, 0xf7, 0xcf, rate, flags, UInt8(weight & 255), UInt8(weight >> 8)]
        + [0, 0, 0, 0, state, 0, 0, 0])
  }

  static func p3(_ weight: Int, state: UInt8, rate: UInt8 = 0, impedance: Int = 0, second: UInt8 = 0x58) -> TestEvent {
    called(
      [0x5d, 0xcf, 0xe8, 7, 0x12, 0x20, 0x9d, 0, second, 0xd6, 0xf9, 0x61, state, 0, UInt8(weight & 255)]
        + [UInt8(weight >> 8), 1, rate, 0, UInt8(impedance & 255), UInt8(impedance >> 8), 0, 0, 0, 0])
  }

  func open(
    _ host: TestHost, layout: Int64? = 1, passive: Bool = false, after seconds: Int64 = 0, setsClock: Bool = false
  )
    throws -> TestSession
  {
    var opening = TestOpening(purpose: UInt32(passive ? MH_PURPOSE_PASSIVE : MH_PURPOSE_READ))
    if let layout { opening.parameters[Self.layout] = layout }
    if setsClock {
      opening.parameters[UInt32(MH_PARAM_SET_CLOCK)] = 1
      opening.clockTrust = UInt32(MH_CLOCK_SYNCHRONISED)
      opening.utcOffsetSeconds = 7200
    }
    let session = try host.open(opening)
    session.unixMicroseconds = (1_700_000_000 + seconds) * 1_000_000
    return session
  }

  /// A session with a Health Scale that has been asked for its memory.
  func connected(_ host: TestHost, setsClock: Bool = false) throws -> (TestSession, TestUnit) {
    let session = try open(host, layout: nil, setsClock: setsClock)
    session.commit(.services([(16, 0x10, 0xfff4), (18, 0x08, 0xfff1)], service: 0xfff0))
    return (session, session.commit(.subscribed(token: Token.subscribe)))
  }

  func numbers(_ unit: TestUnit) -> [[Double]] { unit.records.filter { $0.flags == 0 }.map { $0.values.map(\.value) } }

  @Test func aC1IsReadFromWhatItCallsOut() throws {
    let host = try TestHost(bundle: "eufy")
    let session = try open(host)
    let moving = session.commit(Self.c1(6120, state: 1))
    #expect(
      moving.records.map(\.flags) == [MH_REC_PROVISIONAL]
        && moving.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER, MH_DO_TIMER])
    let final = session.commit(Self.c1(9490, impedance: 4900))
    #expect(numbers(final) == [[94.9, 490]] && final.actions.map(\.kind) == [MH_DO_FINISH])
    #expect(final.records[0].identityClass == UInt16(MH_IDENT_LIVE) && final.records[0].timeKind == 0)
    #expect(final.writes["meter/last"]?.count == 15)
  }

  @Test(arguments: ["timer", "stepping off", "cancel", "disconnected", "silence"])
  func withShoesOnTheWeightGoesAlone(end: String) throws {
    let host = try TestHost(bundle: "eufy")
    let session = try open(host)
    #expect(session.commit(Self.c1(9490)).records.isEmpty)
    let events: [String: TestEvent] = [
      "timer": .timer(Token.more), "stepping off": Self.c1(0, state: 1), "cancel": .cancel,
      "disconnected": .disconnected, "silence": .timer(Token.silence),
    ]
    let unit = session.commit(events[end]!)
    #expect(numbers(unit) == [[94.9]] && unit.actions.last?.kind == MH_DO_FINISH)
  }

  @Test func theHeartRateOfAProNeedsItsFlags() throws {
    let host = try TestHost(bundle: "eufy")
    let session = try open(host, layout: 2)
    #expect(session.commit(Self.pro(8790, rate: 70, state: 1)).records.map(\.flags) == [MH_REC_PROVISIONAL])
    #expect(session.commit(Self.pro(8790, rate: 70, flags: 0x80)).records.isEmpty)
    #expect(numbers(session.commit(Self.pro(8790, rate: 76, flags: 0xc0))) == [[87.9, 76]])
    let other = try open(host, layout: 2, after: 1000)
    #expect(other.commit(Self.pro(8790, rate: 255, flags: 0xc0)).records.isEmpty)
    #expect(numbers(other.commit(.timer(Token.more))) == [[87.9]])
  }

  @Test func aP3TellsMoreAndMore() throws {
    let host = try TestHost(bundle: "eufy")
    let session = try open(host, layout: 3)
    #expect(session.commit(Self.p3(6885, state: 0x01)).records.map(\.flags) == [MH_REC_PROVISIONAL])
    // The state has no weight in it.
    #expect(session.commit(Self.p3(6885, state: 0x04)).records.isEmpty)
    #expect(session.commit(Self.p3(6855, state: 0x05)).records.isEmpty)
    // A number without its bit is none.
    #expect(session.commit(Self.p3(6855, state: 0x25, rate: 71, impedance: 3700, second: 0x60)).records.isEmpty)
    #expect(session.commit(Self.p3(6855, state: 0x65, impedance: 3600, second: 0x64)).records.isEmpty)
    let unit = session.commit(Self.p3(6855, state: 0xa5, rate: 76, impedance: 3712, second: 0x6c))
    #expect(unit.records.map { $0.values.map(\.value) } == [[68.55, 371.2, 76]])
    #expect(unit.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
  }

  /// The C20 sends less, and has a bit for its impedance.
  @Test func aC20HasItsOwnBit() throws {
    let host = try TestHost(bundle: "eufy")
    func c20(_ state: UInt8) -> TestEvent {
      Self.called([
        0x64, 0xbc, 0x0f, 0xb7, 0, 0x9c, 0x9d, 0, 0xc5, 0xc9, 0x70, 0x67, state, 0, 0x1a, 0x27, 0, 71, 0, 0x88, 0x13,
      ])
    }
    let session = try open(host, layout: 3)
    #expect(session.commit(c20(0x01)).records.map(\.flags) == [MH_REC_PROVISIONAL])
    #expect(session.commit(c20(0x05)).records.isEmpty)
    #expect(numbers(session.commit(c20(0xc5))) == [[100.1, 500, 71]])
    let early = try open(host, layout: 3, after: 1000)
    #expect(early.commit(c20(0x85)).records.isEmpty)
    #expect(numbers(early.commit(.cancel)) == [[100.1, 71]])
  }

  /// The same bytes are another scale's under another layout, and nothing under one that nobody knows.
  @Test func eachEntryHasItsLayout() throws {
    let host = try TestHost(bundle: "eufy")
    for (layout, event) in [(2, Self.c1(9490, impedance: 4900)), (1, Self.pro(8790)), (1, Self.p3(6855, state: 5))] {
      let unit = try open(host, layout: Int64(layout)).commit(event)
      #expect(unit.records.isEmpty && unit.status == MH_E_PROTOCOL)
    }
    #expect(try open(host, layout: 9).commit(Self.c1(9490, impedance: 4900)).records.isEmpty)
  }

  /// The scale calls its last number out for a while, with a clock that goes on.
  @Test func theSameStandIsOneReading() throws {
    let host = try TestHost(bundle: "eufy")
    #expect(numbers(try open(host).commit(Self.c1(9490, impedance: 4900))) == [[94.9, 490]])
    let next = try open(host, passive: true, after: 30)
    #expect(next.commit(Self.c1(9480, impedance: 4910)).records.isEmpty)
    #expect(next.commit(.timer(Token.silence)).actions.map(\.kind) == [MH_DO_FINISH])
    let third = try open(host, after: 60)
    third.commit(Self.c1(500, state: 1))
    // The very digits of the last one are the last one, said once more.
    #expect(third.commit(Self.c1(9490, impedance: 4900)).records.isEmpty)
    #expect(numbers(third.commit(Self.c1(9470, impedance: 4890))) == [[94.7, 489]])
    #expect(numbers(try open(host, after: 70).commit(Self.c1(6100, impedance: 5100))) == [[61, 510]])
    #expect(numbers(try open(host, after: 300).commit(Self.c1(6100, impedance: 5100))) == [[61, 510]])
  }

  @Test func passiveReadingGoesOnForTheNextPerson() throws {
    let host = try TestHost(bundle: "eufy")
    let session = try open(host, passive: true)
    #expect(numbers(session.commit(Self.c1(9490, impedance: 4900))) == [[94.9, 490]])
    #expect(numbers(session.commit(Self.c1(6100, impedance: 5100))) == [[61, 510]])
    #expect(session.commit(.timer(Token.silence)).actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func overloadAndBrokenBytesAreNoReading() throws {
    let host = try TestHost(bundle: "eufy")
    let session = try open(host)
    #expect(session.commit(Self.c1(18_100, state: 2)).records.isEmpty)
    for data in [[], [0xff], [UInt8](repeating: 0xcf, count: 20), [UInt8](repeating: 0, count: 21)] {
      #expect(session.commit(Self.called(data)).records.isEmpty)
    }
    #expect(session.commit(.advertisement([2, 1, 6])) == TestUnit())
    #expect(session.commit(.advertisement([30, 0xff, 1, 2])) == TestUnit())
    #expect(session.commit(.timer(Token.silence)).actions.map(\.code) == [MH_FAIL_NO_READING])
  }

  @Test func aHealthScaleIsReadAndNothingIsCleared() throws {
    let host = try TestHost(bundle: "eufy")
    let (session, first) = try connected(host)
    #expect(
      first.actions.map(\.kind) == [MH_DO_TIMER, MH_DO_WRITE, MH_DO_TIMER] && first.actions[1].value == [0xf2, 0])
    let date: [UInt8] = [7, 0xe8, 5, 31, 11, 22, 50]
    let stored = session.commit(.notification(16, Self.frame(7570, impedance: 4270, date: date)))
    #expect(stored.records.map(\.flags) == [MH_REC_HELD] && stored.records[0].time == 1_717_154_570_000_000)
    #expect(stored.records[0].identity == date + [0xae, 0x10, 0x92, 0x1d] && stored.writes.isEmpty)
    let ready = session.commit(.notification(16, [0xf2, 0]))
    #expect(ready.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_READY, MH_DO_TIMER])
    let live = session.commit(.notification(16, Self.frame(7560, impedance: 4280)))
    #expect(numbers(live) == [[75.6, 428]] && live.actions.map(\.kind) == [MH_DO_FINISH])
    // The memory comes again, with the same identities.
    let again = try connected(host).0.commit(.notification(16, Self.frame(7570, impedance: 4270, date: date)))
    #expect(again.records == stored.records)
  }

  @Test func itsClockIsSetOnWish() throws {
    let host = try TestHost(bundle: "eufy")
    let (session, first) = try connected(host, setsClock: true)
    // 2023-11-14T22:13:20Z, two hours east.
    #expect(first.actions[1].value == [0xf1, 7, 0xe7, 11, 15, 0, 13, 20])
    #expect(session.commit(.notification(16, [0xf1, 0])).actions.map(\.value)[0] == [0xf2, 0])
    let (silent, _) = try connected(host, setsClock: true)
    #expect(silent.commit(.timer(Token.answer)).actions[0].value == [0xf2, 0])
    #expect(silent.commit(.timer(Token.answer)).actions.contains { $0.kind == MH_DO_READY })
  }

  @Test func otherEndings() throws {
    let host = try TestHost(bundle: "eufy")
    let refusing = try open(host, layout: nil)
    refusing.commit(.services([(16, 0x10, 0xfff4), (18, 0x08, 0xfff1)], service: 0xfff0))
    #expect(refusing.commit(.subscribed(token: 1, status: 5)).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    let gone = try open(host, layout: nil)
    gone.commit(.services([(16, 0x10, 0xfff4), (18, 0x08, 0xfff1)], service: 0xfff0))
    #expect(gone.commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    let bare = try open(host, layout: nil).commit(.services([(16, 0x10, 0xfff4)], service: 0xfff0))
    #expect(bare.actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    let (cut, _) = try connected(host)
    #expect(cut.commit(.disconnected).actions.map(\.code) == [MH_FAIL_NO_READING])
    let (endless, _) = try connected(host)
    endless.commit(.notification(16, Self.frame(7570, state: 1)))
    #expect(endless.commit(.timer(Token.limit)).actions.map(\.code) == [MH_FAIL_NO_READING])
    #expect(host.openStatus(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR))) == MH_E_UNSUPPORTED)
  }

  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "eufy")
    let session = try open(host)
    session.capacities = Capacities(records: 1, values: 3, arena: 11, actionsPerRound: 1)
    session.commit(Self.c1(9490))
    #expect(numbers(session.commit(Self.c1(6100, impedance: 5100))) == [[94.9], [61, 510]])
  }
}
