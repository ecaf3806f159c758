import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct MedisanaScaleTests {
  static let services: [(handle: UInt16, properties: UInt16, id: UInt16)] = [
    (16, 0x20, 0x8a21), (19, 0x20, 0x8a22), (22, 0x08, 0x8a81), (24, 0x20, 0x8a82),
  ]
  /// 2020-10-01T21:13:00Z.
  static let now: Int64 = 1_601_586_780_000_000
  static let weight: [UInt8] = [
    0x1d, 0x3c, 0x23, 0, 0xfe, 0xa6, 0x05, 0x39, 0x14, 0xcd, 0x19, 0, 0xff, 2, 9, 0, 0, 0, 0,
  ]
  static let body: [UInt8] = [
    0x6f, 0xa6, 0x05, 0x39, 0x14, 2, 0x6e, 0x07, 0x54, 0xf1, 0xe8, 0xf1, 0x5a, 0xf1, 0x20, 0xf0, 0, 0, 0,
  ]

  func reading(_ host: TestHost, _ opening: TestOpening = TestOpening()) throws -> TestSession {
    let session = try host.open(opening)
    session.monotonicNanoseconds = 0
    session.unixMicroseconds = Self.now
    session.commit(.services(Self.services, service: 0x78b2))
    for token: UInt64 in 1...3 { session.commit(.subscribed(token: token)) }
    session.commit(.wrote(token: 4))
    return session
  }

  func hear(_ session: TestSession, _ packet: [UInt8]) -> TestUnit {
    session.commit(.indication(packet.first == 0x6f ? 19 : 16, packet))
  }

  func later(_ packet: [UInt8], _ seconds: UInt8) -> [UInt8] {
    var later = packet
    later[packet[0] == 0x6f ? 1 : 5] += seconds
    return later
  }

  @Test func theTimeIsWhatIsWritten() throws {
    let host = try TestHost(bundle: "medisana-scale")
    for (parameters, bytes) in [
      ([:], [0x02, 0x5c, 0x0b, 0x39, 0x14]), ([0x8000: 1], [0x02, 0x5c, 0x46, 0x76, 0x5f]),
    ] as [([UInt32: Int64], [UInt8])] {
      let session = try host.open(TestOpening(parameters: parameters))
      session.unixMicroseconds = Self.now
      #expect(session.commit(.services(Self.services, service: 0x78b2)).actions.map(\.handle) == [0, 19])
      #expect(session.commit(.subscribed(token: 1)).actions.map(\.handle) == [0, 16])
      #expect(session.commit(.subscribed(token: 2)).actions.map(\.handle) == [0, 24])
      let told = session.commit(.subscribed(token: 3, status: 3)).actions
      #expect(told.map(\.kind) == [MH_DO_TIMER, MH_DO_TIMER, MH_DO_WRITE] && told[2].value == bytes)
    }
    let lost = try host.open()
    lost.commit(.services(Self.services, service: 0x78b2))
    for token: UInt64 in 1...2 { lost.commit(.subscribed(token: token)) }
    #expect(lost.commit(.subscribed(token: 3)).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
  }

  @Test func weightAndCompositionAreOneReading() throws {
    let host = try TestHost(bundle: "medisana-scale")
    let session = try reading(host)
    #expect(hear(session, Self.weight).records.isEmpty)
    let record = try #require(hear(session, Self.body).records.first)
    #expect(record.value(MH_METRIC_BODY_WEIGHT)?.value == 90.2 && record.value(MH_METRIC_BODY_FAT)?.value == 34)
    #expect(record.deviceUser == 2 && record.time == 1_601_585_318_000_000 && record.flags == 0)
    #expect(hear(session, Self.weight).records.isEmpty && hear(session, Self.body).records.isEmpty)
    #expect(session.commit(.timer(5)).actions.map(\.kind) == [MH_DO_FINISH])
    // The other half first, in another session: the same reading.
    let turned = try reading(host)
    #expect(hear(turned, Self.body).records.isEmpty)
    #expect(hear(turned, Self.weight).records == [record])
  }

  @Test func halfAWeighingIsNotDeliveredWhenTheLinkBreaks() throws {
    let host = try TestHost(bundle: "medisana-scale")
    let cut = try reading(host)
    _ = hear(cut, Self.weight)
    let end = cut.commit(.disconnected)
    #expect(end.records.isEmpty && end.actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    let silent = try reading(host)
    let waits = hear(silent, Self.weight).actions
    #expect(waits.map(\.argument) == [35_000_000_000])
    #expect(silent.commit(.timer(5)).records.map(\.values.count) == [1])
    let gone = try reading(host)
    _ = hear(gone, Self.weight)
    #expect(hear(gone, later(Self.weight, 9)).records.map(\.values.count) == [1])
  }

  @Test func aCompositionOfAnotherTimeIsHeld() throws {
    let host = try TestHost(bundle: "medisana-scale")
    let session = try reading(host)
    _ = hear(session, Self.weight)
    _ = hear(session, later(Self.body, 1))
    let unit = session.commit(.timer(5))
    #expect(unit.records.map(\.flags) == [0, MH_REC_HELD])
    #expect(unit.actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func anEmptyCompositionGivesTheWeightAlone() throws {
    let host = try TestHost(bundle: "medisana-scale")
    let session = try reading(host)
    _ = hear(session, Self.weight)
    let empty = Array(Self.body.prefix(8)) + [0, 0xf0, 0, 0xf0, 0, 0xf0, 0, 0xf0, 0, 0, 0]
    #expect(hear(session, empty).records.map(\.values.count) == [1])
  }

  @Test func whatIsRefusedIsNotHalfDelivered() throws {
    let host = try TestHost(bundle: "medisana-scale")
    let damages: [[UInt8]] = [
      Array(Self.body.prefix(12)), [0x6e] + Self.body.dropFirst(), Self.body.map { _ in 0x6f },
    ]
    for damaged in damages {
      let session = try reading(host)
      _ = hear(session, Self.weight)
      let unit = hear(session, damaged)
      #expect(unit.status == MH_E_PROTOCOL && unit.records.isEmpty)
      _ = hear(session, later(Self.weight, 3))
      #expect(hear(session, later(Self.body, 3)).records.count == 1)
      #expect(session.commit(.timer(5)).actions.map(\.code) == [MH_FAIL_METER_ERROR])
    }
    let pounds = try reading(host)
    #expect(hear(pounds, [0x3d] + Self.weight.dropFirst()).status == MH_E_PROTOCOL)
    let end = pounds.commit(.timer(5)).actions
    #expect(end.map(\.code) == [MH_FAIL_METER_ERROR] && end[0].text.contains("kilograms"))
  }

  @Test func otherEndings() throws {
    let host = try TestHost(bundle: "medisana-scale")
    #expect(try reading(host).commit(.timer(5)).actions.map(\.code) == [MH_FAIL_NO_READING])
    #expect(try reading(host).commit(.timer(6)).actions.map(\.code) == [MH_FAIL_TIMEOUT])
    #expect(try reading(host).commit(.cancel).actions.map(\.kind) == [MH_DO_FINISH])
    let through = try reading(host)
    _ = hear(through, Self.weight)
    _ = hear(through, Self.body)
    through.monotonicNanoseconds = 3_000_000_000
    #expect(through.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
    let early = try reading(host)
    _ = hear(early, Self.weight)
    _ = hear(early, Self.body)
    early.monotonicNanoseconds = 1_000_000_000
    #expect(early.commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    let other = try host.open().commit(.services([(16, 0x20, 0x8a21)], service: 0x78b2))
    #expect(other.actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    let paired = try host.open(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR), security: 1))
    #expect(paired.commit(.services(Self.services, service: 0x78b2)).actions.last?.kind == MH_DO_PAIR)
    #expect(paired.commit(.encrypted(2)).actions.map(\.kind) == [MH_DO_FINISH])
    #expect(host.openStatus(TestOpening(purpose: UInt32(MH_PURPOSE_CLOCK))) == MH_E_UNSUPPORTED)
  }

  /// However small the host's arrays are, the same comes out.
  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "medisana-scale")
    let (ample, tiny) = (try reading(host), try reading(host))
    tiny.capacities = Capacities(records: 1, values: 5, arena: 19, actionsPerRound: 1)
    for packet in [Self.weight, Self.body, later(Self.weight, 1), later(Self.body, 2), later(Self.body, 3)] {
      let (wide, narrow) = (hear(ample, packet), hear(tiny, packet))
      #expect(wide.records == narrow.records && wide.actions == narrow.actions)
    }
    #expect(ample.commit(.timer(5)).records == tiny.commit(.timer(5)).records)
  }
}
