import CMeterDriver
@testable import DriverTestBench
import Testing

/// The second generation, and what may be written to a meter at all.
@Suite struct WellueRingSTests {
  let quiet: [UInt8] = [0xa5, 0x10, 0xef, 0, 0, 1, 0, 0, 0x07]
  let question: [UInt8] = [0xa5, 0x04, 0xfb, 0, 0, 0, 0, 0x93]

  func listening(_ host: TestHost) throws -> (session: TestSession, written: [UInt8]) {
    let session = try host.open()
    session.monotonicNanoseconds = 0
    session.unixMicroseconds = 1_000_000_000
    session.commit(Generation.second.database())
    let unit = session.commit(.subscribed(token: Generation.answersToken))
    return (session, unit.actions.filter { $0.kind == MH_DO_WRITE_NO_RESPONSE }.flatMap(\.value))
  }

  /// Greeted, made quiet, and asked for the first time.
  func asking(_ host: TestHost) throws -> TestSession {
    let session = try listening(host).session
    _ = session.tick(at: 1)
    _ = session.answer(Generation.second.frame(0x10, [], result: 1), at: 1.1)
    return session
  }

  @Test func theGreetingIsTheMakersAtThatSecond() throws {
    // At 1000 s: 1000, 500, 250 and 125 in the last four bytes, which MD5("lepucloud") covers.
    let plain: [UInt8] = [0x00, 0x68, 0x15, 0x88, 0x72, 0x09, 0x1c, 0xb0, 0x98, 0xc8, 0xc7, 0xda]
    let time: [UInt8] = [0xe8 ^ 0xc4, 0xf4 ^ 0x43, 0xfa ^ 0x35, 0x7d ^ 0xf3]
    let written = try listening(TestHost(bundle: "wellue")).written
    #expect(written == sealed([0xa5, 0xff, 0x00, 0, 0, 16, 0] + plain + time))
  }

  @Test func anUnansweredGreetingIsNoFailure() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try listening(host).session
    #expect(session.tick(at: 1).actions.map(\.value) == [[], quiet])
    #expect(session.tick(at: 2).actions.map(\.value) == [[], question])
    #expect(session.answer(ringS(), at: 2.1).records.map(\.flags) == [MH_REC_PROVISIONAL])
  }

  @Test func answersToTheGreetingHurryIt() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try listening(host).session
    let greeted = session.answer(Generation.second.frame(0xff, [UInt8](repeating: 7, count: 16), result: 1), at: 0.1)
    #expect(greeted.actions.map(\.value) == [quiet])
    #expect(session.answer(Generation.second.frame(0x10, [], result: 1), at: 0.2).actions.map(\.value) == [question])
  }

  @Test func anEncryptedRingIsRefused() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try listening(host).session
    let key = [0xc2 ^ 1, 0xa7 ^ 16] + [UInt8](repeating: 9, count: 18)
    let end = session.answer(Generation.second.frame(0xff, key, result: 1), at: 0.1).actions
    #expect(end.map(\.code) == [MH_FAIL_UNSUPPORTED_METER] && end[0].text.contains("encrypted"))
  }

  @Test func tenSteadySecondsAreAReading() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try asking(host)
    for second in 2...11 {
      #expect(session.answer(ringS(), at: Double(second)).records.map(\.flags) == [MH_REC_PROVISIONAL])
      #expect(session.tick(at: Double(second) + 0.5).actions.map(\.value) == [[], question])
    }
    let unit = session.answer(ringS(96, 64), at: 12)
    #expect(unit.records.map(\.flags) == [MH_REC_PROVISIONAL, 0, 0])
    #expect(unit.records[1].values.map(\.raw) == [96, 64, 25])
  }

  /// Not measuring, off the finger, a fault; and what is no answer: values that are pushed, and refusals.
  @Test(arguments: [
    ringS(state: 0), ringS(state: 1), ringS(state: 3), ringS(contact: 0), ringS(contact: 2), ringS(contact: 3),
    ringS(127, 62), ringS(97, 255), ringS(result: 0), ringS(result: 0xfb),
    Generation.second.frame(0x12, [UInt8](repeating: 1, count: 30), result: 1),
  ])
  func thatIsNoReading(bytes: [UInt8]) throws {
    let host = try TestHost(bundle: "wellue")
    let unit = try asking(host).answer(bytes, at: 2)
    #expect(unit.records.isEmpty && unit.actions.isEmpty && unit.status == MH_OK)
  }

  @Test func aRingThatOnlyRefusesEndsTheSession() throws {
    let host = try TestHost(bundle: "wellue")
    let session = try asking(host)
    var codes: [Int32] = []
    for second in 2...11 {
      _ = session.answer(ringS(result: 0xfb), at: Double(second))
      codes += session.tick(at: Double(second) + 0.5).actions.filter { $0.kind == MH_DO_FAIL }.map(\.code)
    }
    #expect(codes == [MH_FAIL_COMMUNICATION])
  }

  @Test func shortParametersAreRefused() throws {
    let host = try TestHost(bundle: "wellue")
    let unit = try asking(host).answer(Generation.second.frame(0x04, [1, 2, 3], result: 1), at: 2)
    #expect(unit.status == MH_E_PROTOCOL && unit.records.isEmpty)
  }

  /// Whatever a meter says, nothing is written to it but the question and the greeting: no setting, no clock, no file command, no
  /// deletion.
  @Test func nothingElseIsEverWritten() throws {
    let host = try TestHost(bundle: "wellue")
    let first: [[UInt8]] = [[0xaa, 0x17, 0xe8, 0, 0, 0, 0, 0x1b], [0xaa, 0x1b, 0xe4, 0, 0, 1, 0, 0, 0x5e]]
    for generation in [Generation.first, .second] {
      let session = try host.open()
      session.monotonicNanoseconds = 0
      var written: [[UInt8]] = []
      func take(_ unit: TestUnit) {
        let sent = unit.actions.filter { $0.kind == MH_DO_WRITE || $0.kind == MH_DO_WRITE_NO_RESPONSE }
        if !sent.isEmpty { written.append(sent.flatMap(\.value)) }
      }
      take(session.commit(generation.database()))
      take(session.commit(.subscribed(token: Generation.answersToken)))
      for code in UInt8.min...UInt8.max {
        take(session.answer(generation.frame(code, [UInt8](repeating: code, count: 24), result: 1), at: Double(code)))
        take(session.tick(at: Double(code) + 0.5))
      }
      #expect(written.count > 2)
      for bytes in written {
        let isGreeting = bytes.count == 24 && bytes[1] == 0xff
        #expect(generation.lead == 0x55 ? first.contains(bytes) : bytes == question || bytes == quiet || isGreeting)
      }
    }
  }

  @Test func eachGenerationHasItsOwnFrames() throws {
    let host = try TestHost(bundle: "wellue")
    let decoded = host.decode([(0x8001, live()), (0x8003, ringS()), (0x8003, live()), (0x8002, live())])
    #expect(decoded.map(\.status) == [MH_OK, MH_OK, MH_E_PROTOCOL, MH_E_UNSUPPORTED])
    #expect(decoded[0].records.map(\.flags) == [MH_REC_PROVISIONAL])
  }
}
