import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct MiScaleSessionTests {
  enum Token {
    static let impedance: UInt64 = 1
    static let silence: UInt64 = 2
  }

  /// An advertisement with the scale's service data behind flags and a service.
  static func weight(_ control: UInt8, _ raw: UInt16 = 0x439e, year: UInt16 = 2021, second: UInt8 = 1) -> TestEvent {
    advertisement(
      0x1d, [control, UInt8(raw & 0xff), UInt8(raw >> 8), UInt8(year & 0xff), UInt8(year >> 8), 4, 11, 16, 19, second])
  }

  static func body(
    _ state: UInt8, impedance: UInt16 = 0, raw: UInt16 = 0x4286, year: UInt16 = 2022, second: UInt8 = 58
  ) -> TestEvent {
    advertisement(
      0x1b,
      [
        2, state, UInt8(year & 0xff), UInt8(year >> 8), 2, 14, 16, 41, second, UInt8(impedance & 0xff),
        UInt8(impedance >> 8), UInt8(raw & 0xff), UInt8(raw >> 8),
      ])
  }

  static func advertisement(_ service: UInt8, _ data: [UInt8]) -> TestEvent {
    .advertisement([2, 1, 6, 3, 3, service, 0x18, UInt8(data.count + 3), 0x16, service, 0x18] + data)
  }

  func open(_ host: TestHost, passive: Bool = false, at unixSeconds: Int64 = 1_700_000_000) throws -> TestSession {
    let session = try host.open(TestOpening(purpose: UInt32(passive ? MH_PURPOSE_PASSIVE : MH_PURPOSE_READ)))
    session.unixMicroseconds = unixSeconds * 1_000_000
    return session
  }

  @Test func aWeightIsReadWhenItIsStable() throws {
    let host = try TestHost(bundle: "mi-scale")
    #expect(host.driver.capabilities == UInt64(MH_CAP_ADVERTISEMENT_ONLY | MH_CAP_DECODE))
    let session = try open(host)
    let swing = session.commit(Self.weight(0x02, 10_000))
    #expect(swing.records.map(\.flags) == [MH_REC_PROVISIONAL] && swing.writes.isEmpty)
    #expect(swing.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER])
    #expect(swing.actions[1].argument == 60_000_000_000)
    let stable = session.commit(Self.weight(0x22))
    #expect(stable.records.map { $0.values[0].value } == [86.55] && stable.records[0].flags == 0)
    #expect(stable.actions.map(\.kind) == [MH_DO_FINISH])
    #expect(stable.writes["meter/last"]?.count == 29)
    #expect(session.commit(Self.weight(0xa2)) == TestUnit())
  }

  @Test(arguments: [UInt8(0x82), 0xe2, 0x62])
  func steppingOffBeforeTheWeightIsStableAndAThingAreNoReading(control: UInt8) throws {
    let host = try TestHost(bundle: "mi-scale")
    let session = try open(host)
    session.commit(Self.weight(0x02, 10_000))
    #expect(session.commit(Self.weight(control)).records.isEmpty)
    let end = session.commit(.timer(Token.silence))
    #expect(end.actions.map(\.code) == [MH_FAIL_NO_READING] && !end.actions[0].text.isEmpty)
  }

  /// What a scale repeats for minutes is often all that is heard: one reading, in this session and in those after it.
  @Test(arguments: [UInt16(2021), 1970])
  func whatIsRepeatedAfterSteppingOffIsOneReading(year: UInt16) throws {
    let host = try TestHost(bundle: "mi-scale")
    for (number, seconds) in [Int64(0), 60, 600, 1200].enumerated() {
      let session = try open(host, passive: number == 2, at: 1_700_000_000 + seconds)
      let unit = session.commit(Self.weight(0xa2, year: year))
      #expect(unit.records.map { $0.values[0].value } == (number == 0 ? [86.55] : []))
      #expect(unit.records.allSatisfy { $0.flags == (year == 1970 ? MH_REC_HELD : 0) })
      #expect(session.commit(.timer(Token.silence)).actions.allSatisfy { $0.kind == MH_DO_FINISH })
    }
    // The stable packet of the same weighing is the same reading.
    #expect(try open(host, at: 1_700_000_030).commit(Self.weight(0x22, year: year)).records.isEmpty)
  }

  /// What lies between two advertisements is not heard: another date is another person's, and 2 kg of a scale without a clock.
  @Test(arguments: [UInt16(2021), 1970])
  func aSecondPersonNeedsNoSilence(year: UInt16) throws {
    let host = try TestHost(bundle: "mi-scale")
    let session = try open(host, passive: true)
    #expect(session.commit(Self.weight(0x22, year: year)).records.count == 1)
    let second = session.commit(Self.weight(0x22, 12_000, year: year, second: 30))
    #expect(second.records.map { $0.values[0].value } == [60])
  }

  @Test func theWeightWaitsForItsImpedance() throws {
    let host = try TestHost(bundle: "mi-scale")
    let session = try open(host)
    let stable = session.commit(Self.body(0x24))
    #expect(stable.records.isEmpty)
    #expect(stable.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER, MH_DO_TIMER])
    #expect(stable.actions[1].token == Token.impedance && stable.actions[1].argument == 10_000_000_000)
    let complete = session.commit(Self.body(0x26, impedance: 428))
    #expect(complete.records.map { $0.values.map(\.value) } == [[85.15, 428]])
    #expect(complete.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
  }

  @Test(arguments: ["timer", "removed", "cancel", "disconnected", "silence"])
  func withoutImpedanceItGoesAlone(end: String) throws {
    let host = try TestHost(bundle: "mi-scale")
    let session = try open(host)
    session.commit(Self.body(0x24, raw: 0x4280))
    // The scale settles: the later weight is the measurement.
    #expect(session.commit(Self.body(0x24)).records.isEmpty)
    // Moving while the impedance is measured takes nothing back.
    #expect(session.commit(Self.body(0x04, raw: 1000)).records.isEmpty)
    let events: [String: TestEvent] = [
      "timer": .timer(Token.impedance), "removed": Self.body(0xa4), "cancel": .cancel, "disconnected": .disconnected,
      "silence": .timer(Token.silence),
    ]
    let unit = session.commit(try #require(events[end]))
    #expect(unit.records.map { $0.values.map(\.value) } == [[85.15]])
    #expect(unit.actions.last?.kind == MH_DO_FINISH)
    #expect(unit.writes["meter/last"] != nil)
  }

  /// One record in total however often the host reads the same burst.
  @Test(arguments: [UInt16(2021), 1970])
  func aBurstThatOutlivesTheSessionDoublesNothing(year: UInt16) throws {
    let host = try TestHost(bundle: "mi-scale")
    let first = try open(host)
    #expect(first.commit(Self.weight(0x22, year: year)).records.count == 1)
    for passive in [false, true] {
      let again = try open(host, passive: passive, at: 1_700_000_020)
      #expect(again.commit(Self.weight(0x22, year: year)).records.isEmpty)
      #expect(again.commit(Self.weight(0xa2, year: year)).records.isEmpty)
      // Nothing new is no failure.
      #expect(again.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
    }
  }

  @Test func theSameWeightLaterIsAnotherReadingOfAScaleWithoutAClock() throws {
    let host = try TestHost(bundle: "mi-scale")
    let first = try open(host)
    #expect(first.commit(Self.weight(0x22, year: 1970)).records.count == 1)
    let stepped = try open(host, at: 1_700_000_030)
    stepped.commit(Self.weight(0x02, 9_000, year: 1970))
    #expect(stepped.commit(Self.weight(0x22, year: 1970)).records.count == 1)
    let later = try open(host, at: 1_700_000_030 + 1801)
    #expect(later.commit(Self.weight(0x22, year: 1970)).records.count == 1)
  }

  /// A weight has been delivered under its date: the same date may not stand for more later.
  @Test(arguments: [UInt16(2022), 1970])
  func anImpedanceThatComesTooLateIsLeftOut(year: UInt16) throws {
    let host = try TestHost(bundle: "mi-scale")
    let first = try open(host, passive: true)
    first.commit(Self.body(0x24, year: year))
    #expect(first.commit(.timer(Token.impedance)).records.map(\.values.count) == [1])
    #expect(first.commit(Self.body(0x26, impedance: 428, year: year)).records.isEmpty)
    #expect(try open(host).commit(Self.body(0x26, impedance: 428, year: year)).records.isEmpty)
  }

  @Test func whoStepsOnNextIsReadInTheSamePassiveSession() throws {
    let host = try TestHost(bundle: "mi-scale")
    let session = try open(host, passive: true)
    let first = session.commit(Self.weight(0x22))
    #expect(first.records.count == 1 && first.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER])
    // Nobody has moved: a stable weight that changes by itself is the same person's.
    #expect(session.commit(Self.weight(0x22, second: 2)).records.isEmpty)
    session.commit(Self.weight(0xa2))
    #expect(session.commit(Self.weight(0x22, 12_000, second: 30)).records.map { $0.values[0].value } == [60])
    #expect(session.commit(.timer(Token.silence)).actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func whatIsNotTheScalesIsLeftAlone() throws {
    let host = try TestHost(bundle: "mi-scale")
    let session = try open(host)
    #expect(session.commit(.advertisement([])) == TestUnit())
    #expect(session.commit(.advertisement([2, 1, 6, 9, 0xff, 1])) == TestUnit())
    let short = session.commit(Self.advertisement(0x1d, [0x22, 1, 2]))
    #expect(short.status == MH_E_PROTOCOL && short.records.isEmpty)
    #expect(session.commit(Self.weight(0x22)).records.count == 1)
    for purpose in [MH_PURPOSE_PAIR, MH_PURPOSE_CLOCK, 99] {
      #expect(host.openStatus(TestOpening(purpose: UInt32(purpose))) == MH_E_UNSUPPORTED)
    }
  }

  @Test func withoutStorageNothingIsDelivered() throws {
    let host = try TestHost(bundle: "mi-scale")
    host.state.refusesStorage = true
    let session = try open(host)
    let unit = session.send(Self.weight(0x22))
    #expect(unit.status == MH_E_DENIED && unit.records.isEmpty)
  }

  /// A sink without any room at first: the record comes with a later round, once, and its memory with it.
  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "mi-scale")
    let session = try open(host)
    session.commit(Self.weight(0x02, 10_000))
    session.capacities = Capacities(records: 0, values: 0, arena: 0, actionsPerRound: 0)
    var rounds = 0
    let unit = session.send(Self.weight(0x22)) {
      rounds += 1
      if rounds == 3 { session.capacities = .tiny }
    }
    #expect(unit.records.count == 1 && unit.actions.map(\.kind) == [MH_DO_FINISH] && unit.rounds >= 4)
    #expect(unit.writes["meter/last"] != nil)
  }
}
