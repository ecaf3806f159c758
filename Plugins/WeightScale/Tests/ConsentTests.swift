import CMeterDriver
@testable import DriverTestBench
import Testing

/// The User Control Point and pairing.
@Suite struct ConsentTests {
  typealias Handle = SimulatedScale.Handle
  static let key = "user/secret/consent"
  static let code: [UInt8] = [0xa8, 0x0e]

  func opening(
    _ purpose: UInt32 = UInt32(MH_PURPOSE_READ), slot: Int64? = 1, security: UInt8 = 2
  ) -> TestOpening {
    TestOpening(purpose: purpose, security: security, parameters: slot.map { [MH_PARAM_USER_SLOT: $0] } ?? [:])
  }

  /// A session whose control point is subscribed to.
  func opened(_ host: TestHost, _ opening: TestOpening) throws -> (session: TestSession, unit: TestUnit) {
    let session = try host.open(opening)
    let first = session.commit(.database(SimulatedScale(packets: [], code: 3752).services))
    #expect(first.actions.map(\.handle) == [Handle.control])
    return (session, session.commit(.subscribed(token: 3)))
  }

  @Test func theStoredCodeIsSentBeforeAnySubscription() throws {
    let host = try TestHost(bundle: "weight-scale")
    host.state.storage[Self.key] = Self.code
    let (session, unit) = try opened(host, opening())
    #expect(unit.actions.map(\.kind) == [MH_DO_WRITE, MH_DO_TIMER])
    #expect(unit.actions[0].handle == Handle.control && unit.actions[0].value == [2, 1, 0xa8, 0x0e])
    #expect(session.commit(.wrote(token: 4)).actions.isEmpty)
    let accepted = session.commit(.indication(Handle.control, [0x20, 2, 1]))
    #expect(accepted.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_SUBSCRIBE, MH_DO_SUBSCRIBE])
    #expect(accepted.actions.map(\.handle) == [0, Handle.composition, Handle.weight])
  }

  /// Date of birth, sex, height and the counter of changes stay what the person has set on the scale.
  @Test func theUsersProfileIsNeitherReadNorWritten() throws {
    let host = try TestHost(bundle: "weight-scale")
    host.state.storage[Self.key] = Self.code
    let session = try host.open(opening())
    var services = SimulatedScale(packets: [], code: 3752).services.filter { $0.id != 0x181c }
    services.append(
      TestService(
        id: 0x181c,
        characteristics: [
          (Handle.control, 0x28, 0x2a9f), (44, 0x0a, 0x2a85), (46, 0x0a, 0x2a8c), (48, 0x0a, 0x2a8e),
          (50, 0x1a, 0x2a99),
        ]))
    var actions = session.commit(.database(services)).actions
    actions += session.commit(.subscribed(token: 3)).actions + session.commit(.wrote(token: 4)).actions
    actions += session.commit(.indication(Handle.control, [0x20, 2, 1])).actions
    #expect(actions.filter { $0.kind == MH_DO_WRITE }.map(\.handle) == [Handle.control])
    #expect(!actions.contains { $0.kind == MH_DO_READ || (44...50).contains($0.handle) })
  }

  @Test func aMissingCodeIsAskedForAndKeptOnceTheScaleTakesIt() throws {
    let host = try TestHost(bundle: "weight-scale")
    let (session, unit) = try opened(host, opening(slot: 3))
    let question = try #require(unit.actions.first)
    #expect(question.kind == MH_DO_ASK_USER && question.code == MH_ASK_PASSKEY)
    #expect(question.flags == UInt16(MH_ASK_SECRET) && question.value.isEmpty && !question.text.isEmpty)
    #expect((question.argument, question.argument2) == (1, 4))
    let answered = session.commit(.userInput(token: question.token, Array("0042".utf8)))
    #expect(answered.actions.first?.value == [2, 3, 42, 0] && answered.writes.isEmpty)
    let accepted = session.commit(.indication(Handle.control, [0x20, 2, 1]))
    #expect(accepted.writes == [Self.key: [42, 0]])
    #expect(host.state.log.allSatisfy { !$0.contains("42") })
  }

  @Test(
    arguments: [
      (Array("".utf8), MH_E_DENIED, MH_FAIL_REFUSED), ([], MH_E_UNSUPPORTED, MH_FAIL_KEY_MISSING),
      (Array("12a".utf8), MH_OK, MH_FAIL_KEY_WRONG), (Array("12345".utf8), MH_OK, MH_FAIL_KEY_WRONG),
      ([], MH_OK, MH_FAIL_KEY_WRONG),
    ] as [([UInt8], Int32, Int32)])
  func withoutACodeTheSessionEndsAndSaysWhy(answer: [UInt8], status: Int32, failure: Int32) throws {
    let host = try TestHost(bundle: "weight-scale")
    let (session, unit) = try opened(host, opening())
    let end = session.commit(.userInput(token: try #require(unit.actions.first).token, answer, status: status))
    #expect(end.actions.map(\.code) == [failure] && !end.actions[0].text.isEmpty && end.writes.isEmpty)
  }

  @Test(arguments: [(5, MH_FAIL_KEY_WRONG), (3, MH_FAIL_OWNER), (4, MH_FAIL_METER_ERROR)] as [(UInt8, Int32)])
  func aRefusedCodeEndsTheSession(result: UInt8, failure: Int32) throws {
    let host = try TestHost(bundle: "weight-scale")
    host.state.storage[Self.key] = Self.code
    let (session, _) = try opened(host, opening())
    let end = session.commit(.indication(Handle.control, [0x20, 2, result]))
    #expect(end.actions.map(\.code) == [0, failure] && end.actions[1].argument == UInt64(result))
    // Only a code that the scale calls wrong is forgotten: the next session asks.
    #expect(end.writes == (result == 5 ? [Self.key: []] : [:]))
    #expect(session.commit(.indication(Handle.control, [0x20, 2, 1])) == TestUnit())
  }

  @Test func aScaleThatKnowsNoConsentIsReadWithout() throws {
    let host = try TestHost(bundle: "weight-scale")
    host.state.storage[Self.key] = Self.code
    let (session, _) = try opened(host, opening())
    // Answers to other requests, and bytes that are no response, are not the answer.
    #expect(session.commit(.indication(Handle.control, [0x20, 1, 1])).actions.isEmpty)
    #expect(session.commit(.indication(Handle.control, [9])).actions.isEmpty)
    #expect(session.commit(.indication(Handle.control, [0x20])).status == MH_E_PROTOCOL)
    let without = session.commit(.indication(Handle.control, [0x20, 2, 2]))
    #expect(without.actions.map(\.handle) == [0, Handle.composition, Handle.weight])
  }

  @Test func aScaleWithOneUserForEverybodyNeedsNeitherNumberNorCode() throws {
    let host = try TestHost(bundle: "weight-scale")
    let (session, unit) = try opened(host, TestOpening(parameters: WeightScaleDecodeTests.renpho))
    #expect(unit.actions.first?.value == [2, 170, 0x0f, 0x27])
    let accepted = session.commit(.indication(Handle.control, [0x20, 2, 1]))
    #expect(accepted.writes.isEmpty && accepted.actions.map(\.handle) == [0, Handle.composition, Handle.weight])
  }

  @Test func withoutASlotNobodyKnowsWhoseItIs() throws {
    let host = try TestHost(bundle: "weight-scale")
    let session = try host.open(opening(slot: nil))
    let unit = session.commit(.database(SimulatedScale(packets: [], code: 1).services))
    #expect(unit.actions.map(\.code) == [MH_FAIL_OWNER] && unit.actions[0].text.contains("user slot"))
  }

  @Test func aSilentOrRefusingControlPointEndsTheSession() throws {
    let host = try TestHost(bundle: "weight-scale")
    host.state.storage[Self.key] = Self.code
    let (silent, _) = try opened(host, opening())
    #expect(silent.commit(.timer(7)).actions.map(\.code) == [MH_FAIL_TIMEOUT])
    let (refusing, _) = try opened(host, opening())
    let end = refusing.commit(.wrote(token: 4, status: 0xfe))
    #expect(end.actions.last?.code == MH_FAIL_COMMUNICATION && end.actions.last?.argument == 0xfe)
    let unpaired = try host.open(opening())
    unpaired.commit(.database(SimulatedScale(packets: [], code: 1).services))
    #expect(unpaired.commit(.subscribed(token: 3, status: 5)).actions.map(\.code) == [MH_FAIL_NOT_PAIRED])
  }

  @Test func aScaleWithUsersIsBondedBeforeAnythingElse() throws {
    let host = try TestHost(bundle: "weight-scale")
    host.state.storage[Self.key] = Self.code
    let session = try host.open(opening(security: 1))
    #expect(
      session.commit(.database(SimulatedScale(packets: [], code: 1).services)).actions.map(\.kind) == [MH_DO_PAIR])
    #expect(session.commit(.encrypted(1)).actions.isEmpty)
    #expect(session.commit(.encrypted(2)).actions.map(\.handle) == [Handle.control])
  }

  @Test func aScaleThatWantsABondGetsOne() throws {
    let host = try TestHost(bundle: "weight-scale")
    let session = try host.open(TestOpening(security: 1))
    session.commit(.database(SimulatedScale(packets: []).services))
    #expect(session.commit(.subscribed(token: 2, status: 0x0f)).actions.map(\.kind) == [MH_DO_PAIR])
    // The answer to the second request of before is late.
    #expect(session.commit(.subscribed(token: 1, status: 0x0f)).actions.isEmpty)
    #expect(session.commit(.encrypted(2)).actions.map(\.handle) == [Handle.composition, Handle.weight])
    session.commit(.subscribed(token: 2))
    #expect(session.commit(.subscribed(token: 1)).actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER])
    for (status, failure) in [(Int32(0x80), MH_FAIL_OWNER), (0x0f, MH_FAIL_NOT_PAIRED), (3, MH_FAIL_COMMUNICATION)] {
      let refused = try host.open()
      refused.commit(.database(SimulatedScale(packets: []).services))
      refused.commit(.subscribed(token: 2))
      #expect(refused.commit(.subscribed(token: 1, status: status)).actions.map(\.code) == [failure])
    }
  }

  @Test func pairingAsksForTheCodeAndReadsNothing() throws {
    let host = try TestHost(bundle: "weight-scale")
    let session = try host.open(opening(UInt32(MH_PURPOSE_PAIR), security: 1))
    session.commit(.database(SimulatedScale(packets: [], code: 1).services))
    #expect(session.commit(.encrypted(2)).actions.map(\.handle) == [Handle.control])
    let asked = session.commit(.subscribed(token: 3))
    session.commit(.userInput(token: try #require(asked.actions.first).token, Array("1".utf8)))
    let end = session.commit(.indication(Handle.control, [0x20, 2, 1]))
    #expect(end.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH] && end.writes == [Self.key: [1, 0]])
    let plain = try host.open(opening(UInt32(MH_PURPOSE_PAIR), slot: nil))
    #expect(
      plain.commit(.database(SimulatedScale(packets: [], code: 1).services)).actions.map(\.kind) == [MH_DO_FINISH])
  }
}
