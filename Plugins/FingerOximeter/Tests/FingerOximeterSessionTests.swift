import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

@Suite struct FingerOximeterSessionTests {
  static let second = Kind.second

  /// Sends a value a second; the second at which the session finished, and with what.
  func run(_ session: TestSession, _ packets: [[UInt8]], every: UInt64 = second) -> (at: Int, record: TestRecord)? {
    for (tick, packet) in packets.enumerated() {
      session.monotonicNanoseconds = UInt64(tick) * every
      let unit = session.commit(.notification(20, packet))
      guard unit.actions.contains(where: { $0.kind == MH_DO_FINISH }) else {
        #expect(unit.records.allSatisfy { $0.flags == MH_REC_PROVISIONAL } && unit.actions.isEmpty)
        continue
      }
      #expect(unit.records.count == 1 && unit.records[0].flags == 0)
      return (tick, unit.records[0])
    }
    return nil
  }

  @Test(arguments: Kind.allCases)
  func aValueThatHasSettledIsTheResultOnce(kind: Kind) throws {
    let session = try kind.measuring(try TestHost(bundle: "finger-oximeter"))
    // BCI knows that a packet is whole when the next one begins: one value later.
    let late = kind == .bci ? 1 : 0
    let packets = [kind.noFinger, kind.packet(93, 88)] + Array(repeating: kind.packet(97, 72), count: 20)
    let end = try #require(run(session, packets))
    #expect(end.at == 12 + late)
    #expect(end.record.values.prefix(2).map(\.raw) == [97, 72] && end.record.identityClass == UInt16(MH_IDENT_LIVE))
    #expect(end.record.timeKind == UInt16(MH_TIME_NONE) && end.record.identity.isEmpty)
    #expect(session.commit(.notification(20, kind.packet(97, 72))) == TestUnit())
  }

  @Test(arguments: Kind.allCases)
  func aFingerThatIsGoneStartsTheWaitAgain(kind: Kind) throws {
    let session = try kind.measuring(try TestHost(bundle: "finger-oximeter"))
    let steady = Array(repeating: kind.packet(97, 72), count: 9)
    let packets = steady + [kind.noFinger] + steady + [kind.packet(95, 72)] + steady + [kind.packet(97, 76)]
    #expect(run(session, packets) == nil)
    #expect(session.commit(.timer(2)).actions.map(\.code) == [MH_FAIL_NO_READING])
  }

  @Test(arguments: Kind.allCases)
  func aGapOrNoValueAtAllIsNoReading(kind: Kind) throws {
    let session = try kind.measuring(try TestHost(bundle: "finger-oximeter"))
    #expect(run(session, Array(repeating: kind.packet(97, 72), count: 8), every: 4 * Self.second) == nil)
    let other = try kind.measuring(try TestHost(bundle: "finger-oximeter"))
    #expect(run(other, Array(repeating: kind.noFinger, count: 40)) == nil)
    #expect(other.commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
  }

  /// Cut anywhere, and several at once.
  @Test(arguments: [Kind.bci, .lepu, .contec, .viatom], [1, 3, 7, 20, 60])
  func packetsAreFoundHoweverTheyAreCut(kind: Kind, length: Int) throws {
    let session = try kind.measuring(try TestHost(bundle: "finger-oximeter"))
    let bytes = Array(kind.packet(97, 72).dropFirst(2)) + (0..<100).flatMap { _ in kind.packet(97, 72) }
    var result: TestRecord?
    for (index, start) in stride(from: 0, to: bytes.count, by: length).enumerated() where result == nil {
      // The bytes of five packets take a second, however they come.
      session.monotonicNanoseconds = UInt64(start) * Self.second / UInt64(5 * kind.packet(97, 72).count)
      let unit = session.commit(.notification(20, Array(bytes[start..<min(bytes.count, start + length)])))
      for record in unit.records {
        #expect(record.values.prefix(2).map(\.raw) == [97, 72], "\(index)")
        if record.flags == 0 { result = record }
      }
    }
    #expect(result != nil)
  }

  @Test func aHundredValuesASecondAreFollowedOnceASecond() throws {
    let session = try Kind.bci.measuring(try TestHost(bundle: "finger-oximeter"))
    var told = 0
    for tick in 0..<900 as Range<UInt64> {
      session.monotonicNanoseconds = tick * 10_000_000
      told += session.commit(.notification(20, Kind.bci.packet(97, 72))).records.count
    }
    #expect(told == 9)
  }

  @Test func aSpotCheckIsAResultAtOnce() throws {
    let session = try Kind.lepu.measuring(try TestHost(bundle: "finger-oximeter"))
    #expect(session.commit(.notification(20, Kind.lepu([0x0f, 0x06, 0x21, 1, 2, 30, 0]))).records.isEmpty)
    let unit = session.commit(.notification(20, [0xaa, 0x55, 0x0f, 0x06, 0x21, 1, 3, 98, 88, 0xfb]))
    #expect(unit.records.map(\.flags) == [0] && unit.records[0].values.map(\.raw) == [98, 88])
    #expect(unit.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
  }

  // MARK: Contec

  /// 97 % is 55 in the numbers of a later protocol: a saturation that nobody must take for one.
  @Test func aContecThatDoesNotSayWhatItSpeaksIsNotBelievedBelow64() throws {
    let host = try TestHost(bundle: "finger-oximeter")
    let masked = Array(repeating: Kind.contec.packet(97 ^ 0x56, 72 ^ 0x56), count: 20)
    let silent = try Kind.contec.measuring(host, version: nil)
    #expect(run(silent, masked) == nil)
    let plain = try Kind.contec.measuring(host, version: nil)
    #expect(run(plain, Array(repeating: Kind.contec.packet(97, 72), count: 20))?.at == 10)
    let sure = try Kind.contec.measuring(host, version: 13)
    #expect(run(sure, Array(repeating: Kind.contec.packet(55, 72), count: 20))?.record.values[0].raw == 55)
  }

  @Test func aContecOfALaterProtocolIsRefused() throws {
    let host = try TestHost(bundle: "finger-oximeter")
    let session = try host.open()
    session.commit(.vendorServices(Kind.contec.characteristics, service: Kind.contec.service))
    session.commit(.subscribed(token: 1))
    // What comes before the answer is not taken.
    #expect(session.commit(.notification(20, Kind.contec.packet(97, 72))).records.isEmpty)
    let unit = session.commit(.notification(20, [0xf2, 0, 0, 2, 2, 0, 14, 4]))
    #expect(unit.actions.map(\.code).contains(MH_FAIL_UNSUPPORTED_METER) && unit.records.isEmpty)
    let encrypted = try Kind.contec.measuring(host, version: nil)
    for _ in 0..<2 { encrypted.commit(.notification(20, [0x84, 5, 1, 2, 3])) }
    #expect(
      encrypted.commit(.notification(20, [0x84, 5, 1, 2, 3])).actions.map(\.code).contains(MH_FAIL_UNSUPPORTED_METER))
  }

  @Test func aContecIsKeptAliveAndAnEMAYIsAskedNothing() throws {
    let host = try TestHost(bundle: "finger-oximeter")
    let session = try Kind.contec.measuring(host)
    let unit = session.commit(.timer(4))
    #expect(
      unit.actions.map(\.kind) == [MH_DO_WRITE_NO_RESPONSE, MH_DO_TIMER] && unit.actions[0].value == [0x9a, 0x1a])
    let emay = try host.open(TestOpening(parameters: [MH_PARAM_VENDOR: 1]))
    emay.commit(.vendorServices(Kind.contec.characteristics, service: Kind.contec.service))
    #expect(emay.commit(.subscribed(token: 1)).actions.first?.value == [0x9b, 0x01, 0x1c])
    // A characteristic that answers each write, and refuses.
    let answering = try host.open(TestOpening(parameters: [MH_PARAM_VENDOR: 1]))
    answering.commit(
      .vendorServices([(18, 0x08, mh_uuid16(0xff01)), (20, 0x10, mh_uuid16(0xff02))], service: Kind.contec.service))
    let start = answering.commit(.subscribed(token: 1)).actions[0]
    #expect(start.kind == MH_DO_WRITE)
    #expect(
      answering.commit(.wrote(token: start.token, status: 3)).actions.map(\.code).contains(MH_FAIL_COMMUNICATION))
  }

  // MARK: Sums

  /// The two makers' packets differ in nothing but their sum.
  @Test func theSumOfOneMakerIsNotTheOthers() throws {
    let host = try TestHost(bundle: "finger-oximeter")
    let plain = Kind.viatom([0xfe, 0x0a, 0x55, 0, 72, 97, 0x14, 0xbf, 0x39], more: 0)
    let yuwell = TestOpening(parameters: [MH_PARAM_VENDOR + 1: 1])
    #expect(run(try Kind.viatom.measuring(host, yuwell), Array(repeating: plain, count: 20))?.at == 10)
    #expect(run(try Kind.viatom.measuring(host), Array(repeating: plain, count: 20)) == nil)
    let other = try Kind.viatom.measuring(host, yuwell)
    #expect(run(other, Array(repeating: Kind.viatom.packet(97, 72), count: 20)) == nil)
  }

  /// A curve that says so is enough, whatever values are left over.
  @Test func aCurveWithoutAFingerStartsTheWaitAgain() throws {
    let session = try Kind.viatom.measuring(try TestHost(bundle: "finger-oximeter"))
    let off = Kind.viatom([0xfe, 0x08, 0x56, 0, 0x02, 5, 0x10])
    #expect(run(session, (0..<20).flatMap { _ in [Kind.viatom.packet(97, 72), off] }) == nil)
  }

  // MARK: Other protocols, refusals

  @Test func aBerryProtocolIsNeverTakenForBCI() throws {
    let session = try Kind.bci.measuring(try TestHost(bundle: "finger-oximeter"))
    let berry: [UInt8] = [
      0xff, 0xaa, 1, 0, 97, 98, 72, 0x48, 0, 0, 21, 22, 50, 0, 0, 0, 0, 90, 1, 0xce,
    ]
    for _ in 0..<2 { #expect(session.commit(.notification(20, berry)).records.isEmpty) }
    let unit = session.commit(.notification(20, berry))
    #expect(unit.records.isEmpty && unit.actions.map(\.code).contains(MH_FAIL_UNSUPPORTED_METER))
  }

  @Test(arguments: Kind.allCases)
  func refusalsAndEndings(kind: Kind) throws {
    let host = try TestHost(bundle: "finger-oximeter")
    let none = try host.open()
    #expect(none.commit(.vendorServices([], service: kind.service)).actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    let elsewhere = try host.open()
    #expect(
      elsewhere.commit(.vendorServices(kind.characteristics, service: mh_uuid16(0x1822))).actions.map(\.code)
        == [MH_FAIL_UNSUPPORTED_METER])
    let refusing = try host.open()
    refusing.commit(.vendorServices(kind.characteristics, service: kind.service))
    #expect(refusing.commit(.subscribed(token: 1, status: 5)).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    let cancelled = try kind.measuring(host)
    #expect(cancelled.commit(.cancel).actions.last?.kind == MH_DO_FINISH)
    let changed = try kind.measuring(host)
    #expect(changed.commit(.servicesChanged).actions.allSatisfy { $0.kind == MH_DO_CANCEL_TIMER })
    #expect(changed.commit(.notification(20, kind.packet(97, 72))) == TestUnit())
    #expect(
      changed.commit(.vendorServices(kind.characteristics, service: kind.service)).actions.map(\.kind) == [
        MH_DO_SUBSCRIBE
      ])
    let pairing = try host.open(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR), security: 1))
    #expect(
      pairing.commit(.vendorServices(kind.characteristics, service: kind.service)).actions.map(\.kind) == [MH_DO_PAIR])
    #expect(pairing.commit(.encrypted(2)).actions.map(\.kind) == [MH_DO_FINISH])
    #expect(host.openStatus(TestOpening(purpose: 99)) == MH_E_UNSUPPORTED)
  }

  @Test(arguments: Kind.allCases)
  func aFullSinkLosesNothing(kind: Kind) throws {
    let host = try TestHost(bundle: "finger-oximeter")
    let (ample, tiny) = (try kind.measuring(host), try kind.measuring(host))
    tiny.capacities = .tiny
    for tick in 0..<14 as Range<UInt64> {
      ample.monotonicNanoseconds = tick * Self.second
      tiny.monotonicNanoseconds = tick * Self.second
      let event = TestEvent.notification(20, kind.packet(97, 72))
      let (wide, narrow) = (ample.commit(event), tiny.commit(event))
      #expect(wide.records == narrow.records && wide.actions == narrow.actions)
    }
  }

  /// Whatever comes: no saturation above 100 and no pulse that stands for "missing" ever leaves the driver.
  @Test(arguments: Kind.allCases)
  func hostileBytesBringNoImpossibleValue(kind: Kind) throws {
    let host = try TestHost(bundle: "finger-oximeter")
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<30 {
      let session = try kind.measuring(host)
      for tick in 0..<60 as Range<UInt64> {
        session.monotonicNanoseconds = tick * Self.second
        var bytes = (0..<3).flatMap { _ in kind.packet(97, 72) }
        if !bytes.isEmpty {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        let unit = session.commit(
          .notification(20, Bool.random(using: &generator) ? bytes : generator.bytes(0...200)))
        #expect([MH_OK, MH_E_PROTOCOL].contains(unit.status))
        for record in unit.records {
          #expect((1...100).contains(record.values[0].raw) && (1...300).contains(record.values[1].raw))
          #expect(record.values[1].raw != 255)
        }
      }
    }
  }
}
