import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

@Suite struct OKOKSessionTests {
  enum Token {
    static let rest: UInt64 = 1
    static let silence: UInt64 = 2
    static let end: UInt64 = 3
  }

  /// An advertisement with manufacturer data behind flags.
  static func advertisement(_ company: UInt16, _ data: [UInt8]) -> TestEvent {
    .advertisement([2, 1, 6, UInt8(data.count + 3), 0xff, UInt8(company & 0xff), UInt8(company >> 8)] + data)
  }

  /// C0, kilograms with two decimals.
  static func nameless(_ hundredths: UInt16, isFinal: Bool = true, counter: UInt8 = 0x10) -> TestEvent {
    let properties: UInt8 = isFinal ? 0x25 : 0x24
    return advertisement(
      UInt16(counter) << 8 | 0xc0,
      [
        UInt8(hundredths >> 8), UInt8(hundredths & 0xff), 0x17, 0x70, 0x0a, 1, properties, 8, 0xb8, 0xd0, 0xde, 0xb5,
        0x3a,
      ])
  }

  /// 2.0, with its checksum.
  static func adv(_ hundredths: UInt16, properties: UInt8 = 5, counter: UInt8 = 5) -> TestEvent {
    var data: [UInt8] = [
      0x0b, 0x41, 0xaf, 0x2f, 0x81, 1, properties, counter, UInt8(hundredths >> 8), UInt8(hundredths & 0xff), 0x17,
      0x70,
    ]
    data.append(data.reduce(0x20) { $0 ^ $1 })
    return advertisement(0x20ca, data + [0xed, 0x67, 0x37, 0x26, 0x69, 0xd7])
  }

  /// F0, tenths of a kilogram.
  static func resting(_ tenths: UInt16) -> TestEvent {
    advertisement(
      0xf0ff,
      [2, 4, UInt8(tenths & 0xff), UInt8(tenths >> 8)] + [UInt8](repeating: 0, count: 8) + [
        0x50, 0xfb, 0x19, 0xc0, 0x1c, 0x6d,
      ])
  }

  func open(_ host: TestHost, passive: Bool = false, at unixSeconds: Int64 = 1_700_000_000) throws -> TestSession {
    let session = try host.open(TestOpening(purpose: UInt32(passive ? MH_PURPOSE_PASSIVE : MH_PURPOSE_READ)))
    session.unixMicroseconds = unixSeconds * 1_000_000
    return session
  }

  @Test func aWeightIsReadWhenTheScaleSaysThatItStands() throws {
    let host = try TestHost(bundle: "okok")
    #expect(host.driver.capabilities == UInt64(MH_CAP_CONNECT | MH_CAP_ADVERTISEMENT_ONLY | MH_CAP_DECODE))
    let session = try open(host)
    let swing = session.commit(Self.nameless(9000, isFinal: false, counter: 0x77))
    #expect(swing.records.map(\.flags) == [MH_REC_PROVISIONAL] && swing.writes.isEmpty)
    #expect(swing.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER, MH_DO_TIMER])
    let final = session.commit(Self.nameless(9002))
    #expect(final.records.map { $0.values[0].value } == [90.02] && final.records[0].flags == 0)
    #expect(final.records[0].identityClass == UInt16(MH_IDENT_LIVE) && final.records[0].values.count == 1)
    #expect(final.actions.map(\.kind) == [MH_DO_FINISH] && final.writes["meter/last"] != nil)
    #expect(session.commit(Self.nameless(9002, counter: 0x11)) == TestUnit())
  }

  /// The scale counts its weighings: the same number is the same reading, and the next number another one.
  @Test func theScalesCounterTellsWeighingsApart() throws {
    let host = try TestHost(bundle: "okok")
    #expect(try open(host).commit(Self.adv(6800)).records.count == 1)
    for seconds in [Int64(1), 20, 600] {
      let session = try open(host, at: 1_700_000_000 + seconds)
      #expect(session.commit(Self.adv(6800)).records.isEmpty)
      #expect(session.commit(.timer(Token.silence)).actions.map(\.kind) == [MH_DO_FINISH])
    }
    #expect(try open(host, at: 1_700_000_030).commit(Self.adv(6800, counter: 6)).records.count == 1)
    // Another person of another weight needs no pause.
    #expect(try open(host, at: 1_700_000_031).commit(Self.adv(7130, counter: 7)).records.count == 1)
  }

  @Test func whoStepsOffIsNotWeighedAgain() throws {
    let host = try TestHost(bundle: "okok")
    let session = try open(host, passive: true)
    #expect(session.commit(Self.nameless(5075)).records.count == 1)
    #expect(session.commit(Self.nameless(5075, isFinal: false)).records.isEmpty)
    session.unixMicroseconds += 2_000_000
    // It stands again at once, with the counter of another weighing: nobody else can have stepped on so soon.
    #expect(session.commit(Self.nameless(5080, counter: 0x11)).records.isEmpty)
    #expect(session.commit(Self.nameless(0, isFinal: false)).records.isEmpty)
    session.unixMicroseconds += 30_000_000
    #expect(session.commit(Self.nameless(5080, counter: 0x12)).records.map { $0.values[0].raw } == [5080])
    #expect(session.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
  }

  /// What no scale says for certain is held until a person has looked at it.
  @Test func aScaleWithoutAFinalBitIsReadByItsRestAndHeld() throws {
    let host = try TestHost(bundle: "okok")
    let session = try open(host)
    let first = session.commit(Self.resting(987))
    #expect(first.records.map(\.flags) == [MH_REC_PROVISIONAL])
    #expect(first.actions.contains { $0.kind == MH_DO_TIMER && $0.token == Token.rest && $0.argument == 3_000_000_000 })
    #expect(session.commit(Self.resting(983)).records.map(\.flags) == [MH_REC_PROVISIONAL])
    let rest = session.commit(.timer(Token.rest))
    #expect(rest.records.map(\.flags) == [MH_REC_HELD] && rest.records[0].values[0].value == 98.3)
    #expect(rest.actions.map(\.kind) == [MH_DO_FINISH])
    let left = try open(host, at: 1_700_010_000)
    left.commit(Self.resting(700))
    let off = left.commit(Self.resting(0))
    #expect(off.actions.contains { $0.kind == MH_DO_CANCEL_TIMER && $0.token == Token.rest })
    #expect(left.commit(.timer(Token.rest)).records.isEmpty)
  }

  @Test(arguments: [TestEvent.timer(2), .timer(3), .disconnected, .cancel])
  func withoutAWeightThatStandsThereIsNoReading(end: TestEvent) throws {
    let host = try TestHost(bundle: "okok")
    let session = try open(host)
    session.commit(Self.nameless(9000, isFinal: false))
    session.commit(Self.nameless(150))
    let unit = session.commit(end)
    #expect(unit.records.isEmpty && unit.actions.map(\.code) == [MH_FAIL_NO_READING])
  }

  @Test func aStrangeUnitIsNamed() throws {
    let host = try TestHost(bundle: "okok")
    let session = try open(host)
    #expect(session.commit(Self.adv(6800, properties: 0x15)).records.isEmpty)
    let end = session.commit(.timer(Token.end))
    #expect(end.actions.map(\.code) == [MH_FAIL_NO_READING] && end.actions[0].text.contains("unit"))
  }

  @Test func brokenFramesAreRefusedAndOthersPassedOver() throws {
    let host = try TestHost(bundle: "okok")
    let session = try open(host)
    for data in [[UInt8](repeating: 0x25, count: 12), [UInt8](repeating: 0x65, count: 13), []] {
      #expect(session.commit(Self.advertisement(0x10c0, data)).status == MH_E_PROTOCOL)
    }
    for bytes in [[], [0], [2, 1], [0xff, 0xff], [3, 0xff, 0x4c, 0], [5, 0x16, 0xca, 0x20, 1, 2]] as [[UInt8]] {
      #expect(session.commit(.advertisement(bytes)) == TestUnit())
    }
    #expect(session.commit(Self.nameless(9002)).records.count == 1)
  }

  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "okok")
    let session = try open(host)
    session.capacities = Capacities(records: 1, values: 1, arena: 0, actionsPerRound: 1)
    #expect(session.commit(Self.nameless(9000, isFinal: false)).actions.count == 3)
    #expect(session.commit(Self.nameless(9002)).records.map { $0.values[0].raw } == [9002])
  }

  @Test func theVectorsDigitsAreTheDisplays() throws {
    let host = try TestHost(bundle: "okok")
    for vector in Vector.load("OKOK") {
      let isConnected = vector.uuid == 0xffb2
      let flags = isConnected ? 0 : UInt16(MH_SLICE_SERVICE_DATA)
      let outcome = host.decode([(vector.uuid, vector.bytes)], flags: flags)[0]
      for value in outcome.records.flatMap(\.values) {
        #expect(value.metric == UInt16(MH_METRIC_BODY_WEIGHT) && (-3...(-1)).contains(value.exponent))
      }
      // An advertisement's data is no characteristic's value, nor the other way round.
      let other = isConnected ? UInt16(MH_SLICE_SERVICE_DATA) : 0
      let strange = host.decode([(vector.uuid, vector.bytes)], flags: other)[0]
      #expect(strange == TestOutcome(status: MH_E_UNSUPPORTED, records: []))
    }
  }

  @Test func randomBytesKeepTheContract() throws {
    let host = try TestHost(bundle: "okok")
    var generator = SeededGenerator(seed: 32)
    let session = try open(host, passive: true)
    for _ in 0..<2000 {
      var data = (0..<[13, 18, 19, 23].randomElement(using: &generator)!).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if data.count == 13 { data[6] = data[6] & 0x1f | 0x20 }
      let company = [0x10c0, 0xf0ff, 0x20ca, 0x11ca].randomElement(using: &generator)!
      let unit = session.commit(Self.advertisement(UInt16(company), data))
      session.unixMicroseconds += 1_000_000
      for record in unit.records {
        let value = record.values[0].value
        #expect(record.values.count == 1 && value >= 2 && value <= 662)
      }
    }
  }
}
