import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct WellueSessionTests {
  let question: [UInt8] = [0xaa, 0x17, 0xe8, 0, 0, 0, 0, 0x1b]

  /// A session with a ring of the first generation, that has been asked once.
  func asking(_ host: TestHost) throws -> TestSession {
    let session = try host.open()
    session.monotonicNanoseconds = 0
    session.commit(Generation.first.database())
    session.commit(.subscribed(token: Generation.answersToken))
    return session
  }

  /// Answers once a second, as often as the driver asks.
  func feed(_ session: TestSession, from start: Int, to end: Int, _ bytes: [UInt8]) -> [TestUnit] {
    (start...end).map { second in
      _ = session.tick(at: Double(second))
      return session.answer(bytes, at: Double(second) + 0.1)
    }
  }

  @Test func theQuestionFollowsTheSubscription() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try host.open()
    let begun = session.commit(Generation.first.database()).actions
    #expect(begun.map(\.kind) == [MH_DO_TIMER, MH_DO_MTU, MH_DO_SUBSCRIBE])
    #expect(begun[1].argument == 247 && begun[2].handle == Generation.answersHandle)
    let asked = session.commit(.subscribed(token: Generation.answersToken)).actions
    #expect(asked.map(\.kind) == [MH_DO_READY, MH_DO_TIMER, MH_DO_TIMER, MH_DO_WRITE_NO_RESPONSE])
    #expect(asked[3].value == question && asked[3].handle == Generation.asksHandle)
    #expect(asked[1].argument == 120_000_000_000 && asked[2].argument == 1_000_000_000)
  }

  @Test func tenSteadySecondsAreAReading() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try asking(host)
    for unit in feed(session, from: 1, to: 10, live()) {
      #expect(unit.records.map(\.flags) == [MH_REC_PROVISIONAL] && unit.actions.isEmpty)
    }
    _ = session.tick(at: 11)
    let unit = session.answer(live(98, 74), at: 11.1)
    #expect(unit.records.map(\.flags) == [MH_REC_PROVISIONAL, 0, 0])
    let reading = unit.records[1]
    #expect(reading.value(MH_METRIC_SPO2)?.raw == 98 && reading.value(MH_METRIC_PULSE)?.raw == 74)
    let index = reading.value(MH_METRIC_PULSE_AMPLITUDE_INDEX)
    #expect(index?.raw == 36 && index?.exponent == -1 && index?.value == 3.6)
    #expect(reading.identityClass == UInt16(MH_IDENT_LIVE) && reading.timeKind == 0 && reading.identity.isEmpty)
    #expect(unit.records[2].kind == MH_KIND_DEVICE_INFO)
    #expect(unit.records[2].value(MH_METRIC_BATTERY_LEVEL)?.raw == 80)
    #expect(unit.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_CANCEL_TIMER, MH_DO_FINISH])
    #expect(session.answer(live(), at: 12) == TestUnit() && session.tick(at: 13) == TestUnit())
  }

  /// What starts the ten seconds again: off the finger with the last values still there, a filler, another saturation or pulse,
  /// a hand that moves.
  @Test(arguments: [
    live(contact: 0), live(contact: 2), live(255, 65535), live(0, 0), live(97, 255), live(95), live(97, 76),
    live(movement: 1),
  ])
  func whatIsNotSteadyStartsAgain(broken: [UInt8]) throws {
    let host = try TestHost(bundle: "wellue")
    let session = try asking(host)
    _ = feed(session, from: 1, to: 10, live())
    _ = session.tick(at: 11)
    #expect(!session.answer(broken, at: 11.1).records.contains { $0.flags == 0 })
    for unit in feed(session, from: 12, to: 21, live()) { #expect(!unit.records.contains { $0.flags == 0 }) }
    _ = session.tick(at: 22)
    #expect(session.answer(live(), at: 22.1).records.map(\.flags) == [MH_REC_PROVISIONAL, 0, 0])
  }

  @Test func aGapStartsAgain() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try asking(host)
    _ = session.answer(live(), at: 1)
    #expect(session.answer(live(), at: 12).records.map(\.flags) == [MH_REC_PROVISIONAL])
    _ = session.answer(live(), at: 15)
    _ = session.answer(live(), at: 18)
    _ = session.answer(live(), at: 21)
    #expect(session.answer(live(), at: 22).records.map(\.flags) == [MH_REC_PROVISIONAL, 0, 0])
  }

  /// A small MTU: twenty bytes, and one.
  @Test func anAnswerInPartsIsPutTogether() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try asking(host)
    let bytes = live()
    #expect(session.answer(Array(bytes.prefix(20)), at: 1) == TestUnit())
    #expect(session.answer(Array(bytes.suffix(1)), at: 1.1).records.map(\.flags) == [MH_REC_PROVISIONAL])
    #expect(session.answer(bytes.dropLast() + [0], at: 2).status == MH_E_PROTOCOL)
    // A part that never ends is forgotten with the next question.
    _ = session.answer([0x55, 0x00, 0xff, 0x00, 0x00, 0xf0, 0x01, 1, 2, 3], at: 3)
    _ = session.tick(at: 4)
    _ = session.tick(at: 5)
    #expect(session.answer(bytes, at: 5.1).records.map(\.flags) == [MH_REC_PROVISIONAL])
  }

  @Test func hostileBytesAreRefused() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try asking(host)
    for bytes in [
      [UInt8](repeating: 0x55, count: 512), [0x55, 0x00, 0xff, 0, 0, 0xff, 0xff], question,
      Generation.second.frame(4, [UInt8](repeating: 1, count: 30)), [UInt8](repeating: 0, count: 600),
    ] {
      let unit = session.answer(bytes, at: 1)
      #expect(unit.status == MH_E_PROTOCOL && unit.records.isEmpty)
    }
    #expect(session.commit(.notification(99, live())) == TestUnit())
    // Behind noise a whole answer is found.
    _ = session.tick(at: 2)
    _ = session.tick(at: 3)
    #expect(session.answer([1, 2, 3] + live(), at: 3.1).records.count == 1)
  }

  @Test func aSilentOximeterEndsTheSession() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try asking(host)
    var asked = 0
    for second in 1...9 {
      asked += session.tick(at: Double(second)).actions.count { $0.kind == MH_DO_WRITE_NO_RESPONSE }
    }
    #expect(asked == 4)
    let end = session.tick(at: 10).actions.last
    #expect(end?.kind == MH_DO_FAIL && end?.code == MH_FAIL_COMMUNICATION)
  }

  /// Some models answer only the question for values with a waveform; a meter that answers it is asked for nothing else.
  @Test func theOtherQuestionIsAsked() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try asking(host)
    let other: [UInt8] = [0xaa, 0x1b, 0xe4, 0, 0, 1, 0, 0, 0x5e]
    let asked = (1...4).flatMap { session.tick(at: Double($0)).actions.map(\.value).filter { !$0.isEmpty } }
    #expect(asked == [question, other])
    let head: [UInt8] = [97, 72, 0, 80, 0, 36, 1, 0, 0, 0, 125, 0]
    let wave = Generation.first.frame(0, head + [UInt8](repeating: 99, count: 125))
    #expect(session.answer(wave, at: 4.1).records.map(\.flags) == [MH_REC_PROVISIONAL])
    #expect(session.tick(at: 5).actions.map(\.value) == [[], other])
    for wrong in [
      Generation.first.frame(0, head + [UInt8](repeating: 99, count: 124)),
      Generation.first.frame(0, [97, 72, 0, 80, 0, 36, 0, 0, 0, 0, 125, 0] + [UInt8](repeating: 99, count: 125)),
      Generation.first.frame(0, [97, 72, 0, 80, 0, 36, 2, 0, 0, 0, 125, 0] + [UInt8](repeating: 99, count: 125)),
      Generation.first.frame(0, [97, 72, 0, 80, 0, 36, 1, 0, 0, 0, 2, 0, 99, 99]),
    ] {
      #expect(session.answer(wrong, at: 5.5).records.isEmpty)
    }
  }

  @Test func patienceSaysWhatWasWrong() throws {
    let host = try TestHost(bundle: "wellue")
    for (bytes, word) in [
      ([], "no pulse"), (live(contact: 0), "no pulse"), (live(movement: 9), "moving"), (live(), "settle"),
    ] {
      let session = try asking(host)
      if !bytes.isEmpty { _ = session.answer(bytes, at: 1) }
      let end = session.commit(.timer(Generation.patience)).actions
      #expect(end.map(\.code) == [MH_FAIL_NO_READING] && end[0].text.contains(word))
    }
  }

  @Test func otherEndings() throws {
    let host = try TestHost(bundle: "wellue")
    #expect(try asking(host).commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    #expect(try asking(host).commit(.cancel).actions.map(\.kind) == [MH_DO_FINISH])
    let refusing = try host.open()
    refusing.commit(Generation.first.database())
    let refused = refusing.commit(.subscribed(token: Generation.answersToken, status: 5)).actions
    #expect(refused.map(\.code) == [MH_FAIL_COMMUNICATION] && refused[0].argument == 5)
    let silent = try host.open()
    silent.commit(Generation.first.database())
    #expect(silent.commit(.timer(Generation.patience)).actions.map(\.code) == [MH_FAIL_TIMEOUT])
    let other = try host.open().commit(.services([(16, 0x10, 0x2a37)], service: 0x180d)).actions
    #expect(other.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    #expect(host.openStatus(TestOpening(purpose: UInt32(MH_PURPOSE_CLOCK))) == MH_E_UNSUPPORTED)
    let pairing = try host.open(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR), security: 1))
    #expect(pairing.commit(Generation.first.database()).actions.map(\.kind) == [MH_DO_PAIR])
    #expect(pairing.commit(.encrypted(2)).actions.map(\.kind) == [MH_DO_FINISH])
  }

  /// A meter that confirms writes is not asked again before it has.
  @Test func oneWriteAtATime() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try host.open()
    session.commit(Generation.first.database(writing: 0x0c))
    let asked = session.commit(.subscribed(token: Generation.answersToken)).actions
    #expect(asked.last?.kind == MH_DO_WRITE && asked.last?.token == Generation.requestToken)
    _ = session.answer(live(), at: 0.5)
    #expect(session.tick(at: 1).actions.map(\.kind) == [MH_DO_TIMER])
    let confirmed = session.commit(.wrote(token: Generation.requestToken)).actions
    #expect(confirmed.map(\.kind) == [MH_DO_WRITE])
    let refused = session.commit(.wrote(token: Generation.requestToken, status: 3)).actions
    #expect(refused.map(\.code) == [MH_FAIL_COMMUNICATION])
  }

  @Test func changedServicesStartAgain() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try asking(host)
    _ = session.answer(live(), at: 1)
    #expect(session.commit(.servicesChanged).actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_CANCEL_TIMER])
    #expect(session.answer(live(), at: 2) == TestUnit())
    #expect(
      session.commit(Generation.first.database()).actions.map(\.kind) == [MH_DO_TIMER, MH_DO_MTU, MH_DO_SUBSCRIBE])
    session.commit(.subscribed(token: Generation.answersToken))
    #expect(session.answer(live(), at: 11.5).records.map(\.flags) == [MH_REC_PROVISIONAL])
  }

  /// Progress, result and battery come once each, however small the host's arrays are.
  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "wellue")
    let (ample, tiny) = (try asking(host), try asking(host))
    tiny.capacities = Capacities(records: 1, values: 3, arena: 0, actionsPerRound: 1)
    for second in stride(from: 1.0, through: 11, by: 2) {
      let (wide, narrow) = (ample.answer(live(), at: second), tiny.answer(live(), at: second))
      #expect(wide.records == narrow.records && wide.actions == narrow.actions)
      #expect(wide.records.count == (second == 11 ? 3 : 1))
    }
  }
}
