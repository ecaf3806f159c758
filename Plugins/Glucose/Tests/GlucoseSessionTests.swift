import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

@Suite struct GlucoseSessionTests {
  typealias Stored = SimulatedGlucoseMeter.Stored

  /// A session that has written its first request.
  func reporting(_ host: TestHost, _ opening: TestOpening = TestOpening()) throws -> TestSession {
    let session = try host.open(opening)
    session.commit(.services(GlucoseBench.handles, service: 0x1808))
    session.commit(.subscribed(token: 1))
    session.commit(.subscribed(token: 2))
    session.commit(.subscribed(token: 3))
    session.commit(.wrote(token: 4))
    return session
  }

  func measurement(_ sequence: UInt16, context: Bool = false) -> TestEvent {
    .notification(10, SimulatedGlucoseMeter.measurement(Stored(sequence: sequence, hasContext: context)))
  }

  func context(_ sequence: UInt16, ketone: Bool = false) -> TestEvent {
    .notification(13, SimulatedGlucoseMeter.context(Stored(sequence: sequence, isKetone: ketone)))
  }

  let success = TestEvent.indication(16, [6, 0, 1, 1])

  @Test func subscriptionsComeBeforeTheRequest() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try host.open()
    let start = session.send(.services(GlucoseBench.handles, service: 0x1808))
    #expect(start.actions.map(\.handle) == [10, 13, 16])
    #expect(start.actions.allSatisfy { $0.kind == MH_DO_SUBSCRIBE })
    #expect(session.send(.subscribed(token: 3)).actions.isEmpty)
    #expect(session.send(.subscribed(token: 1)).actions.isEmpty)
    let last = session.send(.subscribed(token: 2))
    #expect(last.actions.map(\.kind) == [MH_DO_READY, MH_DO_WRITE, MH_DO_TIMER])
    #expect(last.actions[1].value == [1, 1] && last.actions[2].argument == 10_000_000_000)
  }

  @Test func everyRecordStartsTheTimerAgain() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host)
    for sequence in 1...3 as ClosedRange<UInt16> {
      let unit = session.commit(measurement(sequence))
      #expect(unit.records.count == 1)
      #expect(unit.actions.map(\.kind) == [MH_DO_PROGRESS, MH_DO_TIMER])
    }
  }

  @Test func aMeasurementWaitsForTheContextThatItAnnounces() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host)
    #expect(session.commit(measurement(1, context: true)).records.isEmpty)
    #expect(session.commit(measurement(2)).records.map(\.sequence) == [2])
    // Not right behind its measurement: another one of this number may still come.
    #expect(session.commit(context(1)).records.isEmpty)
    session.commit(measurement(3, context: true))
    #expect(session.commit(context(3)).records.map(\.sequence) == [3], "right behind its measurement")
    let end = session.commit(success)
    #expect(end.records.map(\.sequence) == [1])
    #expect(end.records.first?.value(MH_METRIC_RELATIONSHIP_TO_MEAL)?.raw == 2)
    #expect(end.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
    #expect(host.state.storage["user/cursor"]?[3] == 3)
  }

  @Test func anAnnouncedContextThatNeverComesDelaysOnlyToTheEnd() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host)
    session.commit(measurement(1, context: true))
    let end = session.commit(success)
    // It may have been overtaken: the answer waits for it, and what the meter may delete now is delivered.
    #expect(end.records.map(\.sequence) == [1] && end.writes.isEmpty)
    #expect(end.actions.map(\.kind) == [MH_DO_TIMER] && end.actions[0].argument == 1_000_000_000)
    #expect(!session.commit(.timer(6)).writes.isEmpty)
  }

  @Test func aLateContextRevisesTheSameIdentity() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host)
    let bare = try #require(session.commit(measurement(1)).records.first)
    #expect(session.commit(context(1)).records.isEmpty, "the next packet may be another one of this number")
    let merged = try #require(session.commit(measurement(2)).records.first { $0.sequence == 1 })
    #expect(bare.identity == merged.identity && bare != merged && merged.values.count == bare.values.count + 1)
    #expect(session.commit(context(1)).records.isEmpty)
  }

  @Test func aBrokenLinkDeliversButKeepsTheCursor() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host)
    session.commit(measurement(0, context: true))
    let end = session.commit(.disconnected)
    #expect(end.records.map(\.sequence) == [0] && end.writes["user/cursor"] == nil)
    #expect(end.actions.map(\.kind) == [MH_DO_FAIL] && end.actions[0].code == MH_FAIL_COMMUNICATION)
  }

  @Test func aSecondBrokenLinkTakesNoContextBack() throws {
    let host = try TestHost(bundle: "glucose")
    let first = try reporting(host)
    first.commit(measurement(7, context: true))
    #expect(first.commit(context(7)).records.count == 1)
    first.commit(.disconnected)
    #expect(host.state.storage["user/cursor"] == nil)
    let second = try reporting(host)
    second.commit(measurement(7, context: true))
    #expect(second.commit(.disconnected).records.isEmpty)
    let third = try reporting(host)
    third.commit(measurement(7, context: true))
    #expect(third.commit(context(7)).records.count == 1)
  }

  /// Newest first, and the answer before the rest: what comes within a second belongs to it.
  @Test func anAnswerThatOvertakesIsWaitedFor() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host)
    for sequence in [5, 4, 3] as [UInt16] { session.commit(measurement(sequence)) }
    let answered = session.commit(success)
    #expect(answered.actions.map(\.kind) == [MH_DO_TIMER] && answered.actions[0].argument == 1_000_000_000)
    for sequence in [2, 1, 0] as [UInt16] {
      #expect(session.commit(measurement(sequence)).records.map(\.sequence) == [UInt64(sequence)])
    }
    #expect(session.commit(.timer(6)).actions.contains { $0.kind == MH_DO_FINISH })
    #expect(host.state.storage["user/cursor"]?[3] == 5)
  }

  /// With nothing new there is one more question: a meter that hangs up instead has said what it has, unless the record that was
  /// read last is not there.
  @Test(arguments: [true, false]) func aMeterThatHangsUpBehindNothingNew(hasCursorRecord: Bool) throws {
    let host = try TestHost(bundle: "glucose")
    let first = try reporting(host)
    first.commit(measurement(5))
    first.commit(success)
    let second = try reporting(host)
    if hasCursorRecord { second.commit(measurement(5)) }
    let answer = second.commit(hasCursorRecord ? success : .indication(16, [6, 0, 1, 6]))
    #expect(answer.actions.contains { $0.kind == MH_DO_WRITE && $0.value == (hasCursorRecord ? [1, 6] : [1, 1]) })
    let end = second.commit(.disconnected)
    #expect(end.actions.map(\.kind) == [hasCursorRecord ? MH_DO_FINISH : MH_DO_FAIL])
  }

  @Test func aMeterThatHangsUpBehindItsAnswerIsThrough() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host)
    for sequence in [5, 4] as [UInt16] { session.commit(measurement(sequence)) }
    session.commit(success)
    #expect(session.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
    #expect(host.state.storage["user/cursor"]?[3] == 5)
  }

  /// "No records found" behind records contradicts itself.
  @Test func anAnswerThatDeniesWhatCameMovesNoCursor() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host)
    for sequence in [5, 4] as [UInt16] { session.commit(measurement(sequence)) }
    let end = session.commit(.indication(16, [6, 0, 1, 6]))
    #expect(end.actions.map(\.kind) == [MH_DO_FAIL] && end.actions[0].code == MH_FAIL_METER_ERROR)
    #expect(host.state.storage["user/cursor"] == nil)
  }

  @Test func whatCouldNotBeReadIsToldAndStays() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host)
    session.commit(measurement(1))
    session.commit(.notification(10, [0x12, 2, 0, 0xe8]))
    session.commit(measurement(3))
    let end = session.commit(success)
    #expect(end.actions.contains { $0.kind == MH_DO_FAIL && $0.code == MH_FAIL_METER_ERROR })
    #expect(host.state.storage["user/cursor"]?[3] == 1)
  }

  @Test func aKetoneInAnotherUnitIsAPersons() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(
      host, TestOpening(parameters: [MH_PARAM_CONTEXT_DECIDES: 1, MH_PARAM_KETONE_MEAL_CODE: 6]))
    session.commit(.notification(10, [0x16, 1, 0, 0xe8, 7, 1, 2, 3, 4, 5, 12, 0xc0, 0x11]))
    let ketone = try #require(session.commit(context(1, ketone: true)).records.first)
    #expect(ketone.values[0].metric == UInt16(MH_METRIC_BLOOD_KETONE) && ketone.flags == MH_REC_HELD)
  }

  @Test func aKetoneIsNeverAGlucose() throws {
    let host = try TestHost(bundle: "glucose")
    let opening = TestOpening(parameters: [MH_PARAM_CONTEXT_DECIDES: 1, MH_PARAM_KETONE_MEAL_CODE: 6])
    let session = try reporting(host, opening)
    // 51 mg/dL in the field means 5.1 mmol/L of ketone.
    #expect(session.commit(measurement(1, context: true)).records.isEmpty)
    #expect(session.commit(measurement(2, context: true)).records.isEmpty)
    #expect(session.commit(measurement(3, context: false)).records.isEmpty)
    #expect(session.commit(measurement(4, context: true)).records.isEmpty)
    #expect(session.commit(context(1, ketone: true)).records.isEmpty)
    #expect(session.commit(context(2)).records.isEmpty)
    // 4 still lacks the one that decides, which may have been overtaken.
    #expect(session.commit(success).records.isEmpty)
    let end = session.commit(.timer(6))
    let ketone = try #require(end.records.first { $0.sequence == 1 })
    #expect(ketone.values[0].metric == UInt16(MH_METRIC_BLOOD_KETONE))
    #expect(ketone.values[0].value == 5.1 && ketone.values[0].raw == 51 && ketone.values[0].exponent == -1)
    #expect(ketone.values[0].unit == UInt16(MH_UNIT_MMOL_PER_L))
    #expect(ketone.value(MH_METRIC_RELATIONSHIP_TO_MEAL) == nil)
    let glucose = try #require(end.records.first { $0.sequence == 2 })
    #expect(glucose.values[0].metric == UInt16(MH_METRIC_BLOOD_GLUCOSE) && glucose.values[0].value == 52)
    // 3 announces no context and is glucose at the end; 4 never got the one that decides.
    #expect(end.records.map(\.sequence) == [1, 2, 3])
    #expect(host.state.storage["user/cursor"]?[3] == 3)
    #expect(host.state.log.contains { $0.contains("did not come, sequence 4") })
  }

  @Test func aBrokenLinkKeepsWhatTheContextDecides() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host, TestOpening(parameters: [MH_PARAM_CONTEXT_DECIDES: 1]))
    session.commit(measurement(0, context: true))
    let end = session.commit(.disconnected)
    #expect(end.records.isEmpty && end.writes["user/cursor"] == nil)
  }

  @Test func aFillerIsLoggedAndPassed() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host)
    let filler = session.commit(.notification(10, [3, 1, 0, 0xe4, 7, 3, 14, 23, 23, 0, 0, 0, 0xff, 0xff, 0x11]))
    #expect(filler.records.isEmpty && filler.status == MH_OK)
    #expect(host.state.log.contains { $0.contains("no reading") && $0.hasSuffix("sequence 1") })
    session.commit(measurement(2))
    session.commit(success)
    #expect(host.state.storage["user/cursor"]?[3] == 2)
  }

  @Test func aDamagedPacketHoldsTheCursor() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host)
    session.commit(measurement(5))
    #expect(session.commit(.notification(10, [2, 6, 0, 0xe8, 7])).status == MH_E_PROTOCOL)
    #expect(session.commit(measurement(7)).records.count == 1)
    session.commit(success)
    #expect(host.state.storage["user/cursor"]?[3] == 5)
  }

  @Test func silenceIsAbortedThenFails() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host)
    session.commit(measurement(1, context: true))
    let abort = session.commit(.timer(6))
    #expect(abort.records.map(\.sequence) == [1])
    #expect(abort.actions.map(\.kind) == [MH_DO_WRITE, MH_DO_TIMER] && abort.actions[0].value == [3, 0])
    session.commit(.wrote(token: 5))
    let end = session.commit(.indication(16, [6, 0, 3, 1]))
    #expect(end.actions.map(\.kind) == [MH_DO_FAIL] && end.actions[0].code == MH_FAIL_TIMEOUT)
    #expect(host.state.storage["user/cursor"] == nil)

    let deaf = try reporting(host)
    // A request that nobody answers is sent once more.
    let again = deaf.commit(.timer(6))
    #expect(again.actions.map(\.kind) == [MH_DO_WRITE, MH_DO_TIMER] && again.actions[0].value == [1, 1])
    #expect(deaf.commit(.timer(6)).actions.first?.value == [3, 0])
    #expect(deaf.commit(.timer(6)).actions.map(\.code) == [MH_FAIL_TIMEOUT])
    #expect(deaf.commit(measurement(2)) == TestUnit())
  }

  @Test func nothingIsEverDeleted() throws {
    let bench = try GlucoseBench(SimulatedGlucoseMeter(stored: GlucoseResumeTests.records([1, 2, 3])))
    for drop in 0..<12 { try bench.run(droppingAfter: drop) }
    #expect(bench.writesToMeter.allSatisfy { $0[0] == 1 || $0[0] == 3 })
  }

  @Test func refusalsFailWithTheMetersCode() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try host.open()
    session.commit(.services(GlucoseBench.handles, service: 0x1808))
    let refused = session.commit(.subscribed(token: 1, status: 0x0f))
    #expect(refused.actions.map(\.code) == [MH_FAIL_COMMUNICATION] && refused.actions[0].argument == 0x0f)
    let second = try reporting(host)
    let end = second.commit(.indication(16, [6, 0, 1, 8]))
    #expect(end.actions.map(\.code) == [MH_FAIL_METER_ERROR] && end.actions[0].argument == 8)
    let third = try host.open()
    let missing = third.commit(.services([(10, 0x10, 0x2a18)], service: 0x1808))
    #expect(missing.actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    #expect(host.openStatus(TestOpening(purpose: 99)) == MH_E_UNSUPPORTED)
  }

  @Test func storageThatTheHostRefusesEndsTheSession() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try host.open()
    session.commit(.services(GlucoseBench.handles, service: 0x1808))
    session.commit(.subscribed(token: 1))
    session.commit(.subscribed(token: 2))
    host.state.refusesStorage = true
    #expect(session.commit(.subscribed(token: 3)).status == MH_E_DENIED)
  }

  @Test func pairingReadsNothing() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try host.open(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR), security: 1))
    #expect(session.commit(.services(GlucoseBench.handles, service: 0x1808)).actions.map(\.kind) == [MH_DO_PAIR])
    #expect(session.commit(.encrypted(2)).actions.map(\.kind) == [MH_DO_FINISH])
  }

  /// Announced contexts that never come: memory and the size of an event stay bounded, and nothing is lost.
  @Test func aFloodOfAnnouncedContextsStaysBounded() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try reporting(host)
    var seen = Set<UInt64>()
    for sequence in 0..<3000 as Range<UInt16> {
      let unit = session.commit(measurement(sequence, context: true))
      #expect(unit.records.count <= 1)
      seen.formUnion(unit.records.map(\.sequence))
    }
    let end = session.commit(success)
    #expect(end.status == MH_OK && end.records.count == 1024)
    seen.formUnion(end.records.map(\.sequence))
    #expect(seen.count == 3000)
  }

  /// Any facts in any order: the session answers each, and ends only by its own word.
  @Test func randomEventsNeverBreakTheContract() throws {
    let host = try TestHost(bundle: "glucose")
    var generator = SeededGenerator(seed: 1808)
    for round in 0..<150 {
      let session = round % 2 == 0 ? try reporting(host) : try host.open()
      if round % 3 == 0 { session.capacities = .tiny }
      for _ in 0..<40 {
        let bytes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        let handle: UInt16 = [10, 13, 16, 0, 99].randomElement(using: &generator) ?? 0
        let token = UInt64.random(in: 0...7, using: &generator)
        let status: Int32 = Bool.random(using: &generator) ? 0 : 5
        let events: [TestEvent] = [
          .notification(handle, bytes), .indication(handle, bytes), .notification(10, [2] + bytes),
          .indication(16, [6, 0, 1] + bytes), .subscribed(token: token, status: status),
          .wrote(token: token, status: status), .timer(token), .servicesChanged, .encrypted(2), .other(99),
          .services(GlucoseBench.handles, service: 0x1808), .disconnected, .cancel,
        ]
        guard let event = events.randomElement(using: &generator) else { continue }
        let unit = session.commit(event)
        #expect([MH_OK, MH_E_PROTOCOL, MH_E_UNSUPPORTED].contains(unit.status))
        #expect(unit.actions.count <= Int(MH_ACTIONS_MAX) && unit.records.count <= Int(MH_RECORDS_MAX))
      }
    }
  }
}
