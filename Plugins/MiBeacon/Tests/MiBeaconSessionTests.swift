import CMeterDriver
import Testing

@testable import DriverTestBench

@Suite struct MiBeaconSessionTests {
  enum Token {
    static let rest: UInt64 = 1
    static let silence: UInt64 = 2
    static let key: UInt64 = 3
  }

  func open(_ host: TestHost, passive: Bool = false, at unixSeconds: Int64 = 1_767_225_600) throws -> TestSession {
    let session = try host.open(TestOpening(purpose: UInt32(passive ? MH_PURPOSE_PASSIVE : MH_PURPOSE_READ)))
    session.unixMicroseconds = unixSeconds * 1_000_000
    return session
  }

  /// Real frames of a real scale; their address is in none of them, so the bench's scale cannot open them, but it sends the same.
  @Test func framesOfOneWeighingAreOneRecord() throws {
    let host = try sealedHost()
    #expect(host.driver.capabilities == UInt64(MH_CAP_ADVERTISEMENT_ONLY | MH_CAP_DECODE))
    let session = try open(host)
    var scale = SealedScale()
    #expect(session.commit(SealedScale.idle).actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER])
    #expect(session.commit(scale.send(SealedScale.weighing(699))).records.isEmpty)
    #expect(session.commit(scale.send(SealedScale.weighing(699, heart: 42, impedance: 5432))).records.isEmpty)
    let unit = session.commit(scale.send(SealedScale.weighing(impedance: 4976)))
    #expect(unit.numbers == [[69.9, 543.2, 92, 497.6]] && unit.hasFinished)
    #expect(unit.records[0].deviceUser == 1 && unit.records[0].time == 1_767_225_600_000_000)
    #expect(
      unit.records[0].identity == [0x00, 0xb9, 0x55, 0x69, 0xbb, 2, 0] && unit.records[0].flags == 0)
    #expect(unit.writes["meter/last"]?.count == 29)
    #expect(session.commit(scale.send(SealedScale.weighing(800))) == TestUnit())
  }

  @Test func theOtherImpedanceMayComeFirst() throws {
    let session = try open(try sealedHost())
    var scale = SealedScale()
    #expect(session.commit(scale.send(SealedScale.weighing(impedance: 4976))).records.isEmpty)
    #expect(
      session.commit(scale.send(SealedScale.weighing(699, heart: 42, impedance: 5432))).numbers == [
        [69.9, 543.2, 92, 497.6]
      ])
  }

  @Test(arguments: ["timer", "left", "cancel", "disconnected", "silence"])
  func withShoesOnItGoesAlone(end: String) throws {
    let session = try open(try sealedHost())
    var scale = SealedScale()
    let weight = session.commit(scale.send(SealedScale.weighing(747, heart: 127)))
    #expect(
      weight.records.isEmpty && weight.actions.contains { $0.token == Token.rest && $0.argument == 30_000_000_000 })
    let events: [String: TestEvent] = [
      "timer": .timer(Token.rest), "left": scale.send(SealedScale.weighing()), "cancel": .cancel,
      "disconnected": .disconnected, "silence": .timer(Token.silence),
    ]
    let unit = session.commit(try #require(events[end]))
    #expect(unit.numbers == [[74.7]] && unit.actions.last?.kind == MH_DO_FINISH)
  }

  /// Repeats, by this session's end or in another one, are the same weighing.
  @Test func aWeighingIsDeliveredOnce() throws {
    let host = try sealedHost()
    var scale = SealedScale()
    let frames = [
      scale.send(SealedScale.weighing(699, heart: 42, impedance: 5432)),
      scale.send(SealedScale.weighing(impedance: 4976)),
    ]
    let first = try open(host)
    #expect(frames.map { first.commit($0).records.count } == [0, 1])
    for passive in [false, true] {
      let again = try open(host, passive: passive, at: 1_767_229_200)
      #expect(frames.map { again.commit($0).records.count } == [0, 0])
      #expect(again.commit(.disconnected).hasFinished)
    }
    #expect(
      try open(host).commit(scale.send(SealedScale.weighing(699, time: SealedScale.newYear + 60))).actions.count == 3)
  }

  @Test func aSecondImpedanceThatComesTooLateIsARevision() throws {
    let session = try open(try sealedHost(), passive: true)
    var scale = SealedScale()
    session.commit(scale.send(SealedScale.weighing(699, heart: 42, impedance: 5432)))
    let alone = session.commit(.timer(Token.rest))
    #expect(alone.numbers == [[69.9, 543.2, 92]])
    let more = session.commit(scale.send(SealedScale.weighing(impedance: 4976)))
    #expect(more.numbers == [[69.9, 543.2, 92, 497.6]] && more.records[0].identity == alone.records[0].identity)
    #expect(session.commit(scale.send(SealedScale.weighing(impedance: 4976))).records.isEmpty)
  }

  @Test func whoStepsOnNextIsAnotherRecord() throws {
    let session = try open(try sealedHost(), passive: true)
    var scale = SealedScale()
    session.commit(scale.send(SealedScale.weighing(699, user: 0)))
    session.commit(scale.send(SealedScale.weighing(700, heart: 20, impedance: 5000, user: 2)))
    let next = session.commit(scale.send(SealedScale.weighing(550, user: 3, time: SealedScale.newYear + 40)))
    #expect(next.numbers == [[70, 500, 70]] && next.records[0].deviceUser == 2)
    #expect(session.commit(.timer(Token.silence)).numbers == [[55]])
  }

  @Test func withoutAKeyAPersonIsAsked() throws {
    let host = try sealedHost(key: nil)
    let session = try open(host)
    var scale = SealedScale()
    let question = session.commit(scale.send(SealedScale.weighing(699, heart: 42, impedance: 5432)))
    #expect(question.actions.map(\.kind) == [MH_DO_ASK_USER] && question.actions[0].argument == 32)
    #expect(
      question.actions[0].value == Array(SealedScale.keyName.utf8) && question.actions[0].flags == UInt16(MH_ASK_SECRET)
    )
    #expect(session.commit(scale.send(SealedScale.weighing(impedance: 4976))) == TestUnit())
    host.state.use(keys: [SealedScale.keyName: SealedScale.key])
    // What came meanwhile is not sent again.
    let answer = session.commit(.userInput(token: Token.key))
    #expect(answer.numbers == [[69.9, 543.2, 92, 497.6]] && answer.hasFinished)
  }

  @Test(arguments: [(MH_E_DENIED, MH_FAIL_REFUSED), (MH_E_UNSUPPORTED, MH_FAIL_KEY_MISSING)])
  func withoutAnAnswerItSaysWhatIsMissing(status: Int32, code: Int32) throws {
    let session = try open(try sealedHost(key: nil))
    session.commit(SealedScale.idle)
    let unit = session.commit(.userInput(token: Token.key, status: status))
    #expect(unit.failure == code)
    let silent = try open(try sealedHost(key: nil))
    silent.commit(SealedScale.idle)
    #expect(silent.commit(.disconnected).failure == MH_FAIL_KEY_MISSING)
  }

  @Test func aKeyOfAnotherScaleIsNamed() throws {
    var other = SealedScale()
    other.key[0] ^= 1
    let session = try open(try sealedHost())
    let units = (0..<4).map { _ in session.commit(other.send(SealedScale.weighing(699))) }
    #expect(units.map(\.failure) == [nil, nil, nil, MH_FAIL_KEY_WRONG] && units.allSatisfy(\.records.isEmpty))
    let short = try open(try sealedHost())
    short.commit(other.send(SealedScale.weighing(699)))
    #expect(short.commit(.disconnected).failure == MH_FAIL_KEY_WRONG)
  }

  /// A frame that another one has sent, with the address of the scale or without, does not end the read.
  @Test func aForgedFrameAmongOthersIsLeftOut() throws {
    let session = try open(try sealedHost())
    var (scale, other) = (SealedScale(), SealedScale())
    other.key[3] ^= 0x40
    scale.sendsAddress = true
    session.commit(scale.send(SealedScale.weighing(699)))
    for _ in 0..<10 { #expect(session.commit(other.send(SealedScale.weighing(950))) == TestUnit()) }
    #expect(session.commit(scale.send(SealedScale.weighing(impedance: 4976))).numbers == [[69.9, 497.6]])
  }

  @Test func whatIsNotSealedIsNoReading() throws {
    let session = try open(try sealedHost())
    session.commit(SealedScale.advertisement([0x40, 0x50, 0xd5, 0x3b, 7] + SealedScale.weighing(699)))
    session.commit(SealedScale.advertisement([0x48, 0x59, 1, 2, 7, 1, 2, 3, 4, 5, 6, 7, 8]))
    #expect(session.commit(SealedScale.advertisement([0x48, 0x59, 0xd5, 0x3b, 7, 1, 2])).status == MH_E_PROTOCOL)
    #expect(session.commit(.timer(Token.silence)).failure == MH_FAIL_NO_READING)
  }

  /// The S800 has no time: the same number is the same weighing, and a frame that is older than the last is for a person to judge.
  @Test func aScaleWithoutATimeIsDeliveredOnceAndOldFramesAreHeld() throws {
    let host = try sealedHost()
    var scale = SealedScale(product: 0x51e2, counter: 0x0b00)
    func frame(_ low: UInt8, _ high: UInt8) -> [UInt8] {
      SealedScale.object(0x4e16, [0x90, 0, 1, 5, 1, 0x1b, 0x69, low, high])
    }
    let first = try open(host)
    first.commit(scale.send(frame(0x80, 0x22)))
    first.commit(scale.send(frame(0x8d, 0x22)))
    let unit = first.commit(.timer(Token.rest))
    #expect(
      unit.numbers == [[88.45]] && unit.records[0].identityClass == UInt16(MH_IDENT_LIVE) && unit.records[0].flags == 0)
    let again = try open(host, at: 1_767_225_700)
    #expect(again.commit(scale.send(frame(0x8d, 0x22))).records.isEmpty && again.commit(.disconnected).hasFinished)
    var old = SealedScale(product: 0x51e2, counter: 0x0a00)
    let replayed = try open(host, at: 1_767_325_700)
    replayed.commit(old.send(frame(0x10, 0x27)))
    #expect(replayed.commit(.disconnected).records.map(\.flags) == [UInt32(MH_REC_HELD)])
  }

  @Test func withoutCryptographyOrStorageNothingIsDelivered() throws {
    let bare = try TestHost(bundle: "mibeacon")
    #expect(bare.openStatus(TestOpening()) == MH_E_UNSUPPORTED)
    let host = try sealedHost()
    for purpose in [MH_PURPOSE_PAIR, MH_PURPOSE_CLOCK, 99] {
      #expect(host.openStatus(TestOpening(purpose: UInt32(purpose))) == MH_E_UNSUPPORTED)
    }
    let session = try open(host)
    var scale = SealedScale()
    session.commit(scale.send(SealedScale.weighing(699)))
    host.state.refusesStorage = true
    let unit = session.send(.timer(Token.rest))
    #expect(unit.status == MH_E_DENIED && unit.records.isEmpty)
  }

  @Test func aFullSinkLosesNothing() throws {
    let session = try open(try sealedHost())
    var scale = SealedScale()
    session.commit(scale.send(SealedScale.weighing(699, heart: 42, impedance: 5432)))
    session.capacities = Capacities(records: 0, values: 0, arena: 0, actionsPerRound: 0)
    var rounds = 0
    let unit = session.send(scale.send(SealedScale.weighing(impedance: 4976))) {
      rounds += 1
      if rounds == 3 { session.capacities = .tiny }
    }
    #expect(unit.numbers == [[69.9, 543.2, 92, 497.6]] && unit.hasFinished && unit.rounds >= 4)
  }
}
