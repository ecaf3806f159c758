import CMeterDriver
import Testing

@testable import DriverTestBench

/// Pairing: the question for the key and the proof that it is the meter's.
@Suite struct KeyedPairingTests {
  private func bench(key: [UInt8]? = nil, security: UInt8 = 3) throws -> KeyedBench {
    try KeyedBench(purpose: Int32(MH_PURPOSE_PAIR), security: security, key: key, licence: nil)
  }

  @Test func asksForTheKeyAndProvesIt() throws {
    let bench = try bench()
    let start = bench.session.commit(SimulatedKeyedMeter.services)
    #expect(start.actions.map(\.kind) == [MH_DO_TIMER, MH_DO_READ])
    let question = bench.session.commit(
      .read(token: SimulatedKeyedMeter.informationRead, bench.meter.informationValue))
    #expect(question.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_ASK_USER])
    let asked = question.actions[1]
    #expect(asked.code == MH_ASK_HEX_KEY && asked.flags == UInt16(MH_ASK_SECRET) && asked.text.contains("32 digits"))
    #expect(asked.argument == 32 && asked.argument2 == 32)
    // The host keeps the answer under this name: the driver never sees it.
    #expect(String(decoding: asked.value, as: UTF8.self) == KeyedBench.keyName)
    bench.host.state.secrets[KeyedBench.keyName] = bench.meter.key
    let answered = bench.session.commit(.userInput(token: SimulatedKeyedMeter.keyQuestion))
    #expect(answered.actions.map(\.kind) == [MH_DO_TIMER, MH_DO_MTU, MH_DO_SUBSCRIBE])
    let challenge = try #require(bench.subscribe().written)
    #expect(challenge == [1, 0, 1, 2, 3, 4, 5, 6, 7])
    let end = bench.indicate(bench.meter.proof(Array(challenge.dropFirst())))
    #expect(end.actions.map(\.kind) == [MH_DO_FINISH] && end.records.isEmpty && end.writes.isEmpty)
  }

  @Test func aLinkThatIsNotEncryptedIsPairedFirst() throws {
    let bench = try bench(security: 1)
    let start = bench.session.commit(SimulatedKeyedMeter.services)
    // No timer runs while a person reads and types a passkey.
    #expect(start.actions.map(\.kind) == [MH_DO_PAIR])
    #expect(start.actions[0].flags == UInt16(MH_PAIR_BOND | MH_PAIR_MITM))
    #expect(bench.session.commit(.encrypted(Int32(MH_SECURITY_NONE))).actions.isEmpty)
    let encrypted = bench.session.commit(.encrypted(Int32(MH_SECURITY_AUTHENTICATED)))
    #expect(
      encrypted.actions.map(\.kind) == [MH_DO_READ, MH_DO_TIMER]
        || encrypted.actions.map(\.kind) == [
          MH_DO_TIMER, MH_DO_READ,
        ])
    // A second change of the link's security asks nothing twice.
    #expect(bench.session.commit(.encrypted(Int32(MH_SECURITY_AUTHENTICATED))).actions.isEmpty)
  }

  @Test(arguments: [(MH_E_DENIED, MH_FAIL_REFUSED), (MH_E_UNSUPPORTED, MH_FAIL_KEY_MISSING)])
  func withoutAnAnswerThePairingFails(_ status: Int32, _ code: Int32) throws {
    let bench = try bench()
    _ = bench.readInformation()
    // Answers to somebody else's question are none.
    #expect(bench.session.commit(.userInput(token: 77, status: status)).actions.isEmpty)
    let unit = bench.session.commit(.userInput(token: SimulatedKeyedMeter.keyQuestion, status: status))
    #expect(unit.failure == code)
    #expect(bench.session.commit(.userInput(token: SimulatedKeyedMeter.keyQuestion)).actions.isEmpty)
  }

  @Test func aTimerThatRanOutBeforeTheQuestionDoesNotEndIt() throws {
    let bench = try bench()
    _ = bench.readInformation()
    #expect(bench.session.commit(.timer(SimulatedKeyedMeter.silence)).actions.isEmpty)
    let answered = bench.session.commit(.userInput(token: SimulatedKeyedMeter.keyQuestion))
    #expect(answered.failure == nil && !answered.actions.isEmpty)
    #expect(bench.session.commit(.timer(SimulatedKeyedMeter.silence)).failure == MH_FAIL_TIMEOUT)
  }

  @Test func anotherKeyIsWrong() throws {
    let bench = try bench(key: Array(SimulatedKeyedMeter.key.reversed()))
    _ = bench.readInformation()
    bench.session.commit(.userInput(token: SimulatedKeyedMeter.keyQuestion))
    let challenge = try #require(bench.subscribe().written)
    let end = bench.indicate(bench.meter.proof(Array(challenge.dropFirst())))
    #expect(end.failure == MH_FAIL_KEY_WRONG)
  }

  @Test func aKeyThatVanishesIsMissing() throws {
    let bench = try bench()
    _ = bench.readInformation()
    bench.session.commit(.userInput(token: SimulatedKeyedMeter.keyQuestion))
    _ = bench.subscribe()
    #expect(bench.indicate([0x81] + [UInt8](repeating: 0, count: 8)).failure == MH_FAIL_KEY_MISSING)
  }

  @Test(arguments: [MH_E_DENIED, MH_E_CRYPTO, MH_E_ARG])
  func aHostThatCannotComputeDoesNotMakeAKeyWrong(_ status: Int32) throws {
    let bench = try bench(key: SimulatedKeyedMeter.key)
    _ = bench.readInformation()
    bench.session.commit(.userInput(token: SimulatedKeyedMeter.keyQuestion))
    let challenge = try #require(bench.subscribe().written)
    bench.host.state.macStatus = status
    #expect(bench.indicate(bench.meter.proof(Array(challenge.dropFirst()))).failure == MH_FAIL_COMMUNICATION)
  }

  @Test func aProofOfEveryWrongKindIsNone() throws {
    for change in 0..<12 {
      let bench = try bench(key: SimulatedKeyedMeter.key)
      _ = bench.readInformation()
      bench.session.commit(.userInput(token: SimulatedKeyedMeter.keyQuestion))
      let challenge = try #require(bench.subscribe().written)
      var proof = bench.meter.proof(Array(challenge.dropFirst()))
      switch change {
      case 0..<8: proof[1 + change] ^= 1
      case 8: proof.removeLast()
      case 9: proof = [0x81]
      // The meter's own challenge in the other direction, and another meter's id.
      case 10: proof = bench.meter.proof(Array(challenge.dropFirst().reversed()))
      default:
        var other = bench.meter
        other.id[0] ^= 1
        proof = other.proof(Array(challenge.dropFirst()))
      }
      #expect(bench.indicate(proof).failure == MH_FAIL_KEY_WRONG, "\(change)")
    }
    // More bytes than are known are a later version's.
    let bench = try bench(key: SimulatedKeyedMeter.key)
    _ = bench.readInformation()
    bench.session.commit(.userInput(token: SimulatedKeyedMeter.keyQuestion))
    let challenge = try #require(bench.subscribe().written)
    #expect(bench.indicate(bench.meter.proof(Array(challenge.dropFirst())) + [1, 2]).hasFinished)
  }
}
