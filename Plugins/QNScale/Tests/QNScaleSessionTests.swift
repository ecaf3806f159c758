import CMeterDriver
import Testing

@testable import DriverTestBench

@Suite struct QNScaleSessionTests {
  typealias Scale = TalkingScale
  typealias Token = TalkingScale.Token

  /// The whole of it, and every write that the README lists.
  @Test func aWeighingIsReadAndTheScaleHearsOfIt() throws {
    let host = try TestHost(bundle: "qn-scale")
    #expect(host.driver.capabilities == UInt64(MH_CAP_CONNECT | MH_CAP_ADVERTISEMENT_ONLY | MH_CAP_DECODE))
    let session = try Scale.opened(host)
    let start = session.commit(.services(Scale.services, service: 0xfff0))
    #expect(start.actions.map(\.kind) == [MH_DO_SUBSCRIBE, MH_DO_TIMER])
    #expect(start.actions[1].argument == 60_000_000_000)
    #expect(session.commit(.subscribed(token: Token.notify)).actions.map(\.kind) == [MH_DO_READY])
    let unit = session.say(Scale.info)
    #expect(unit.written == [[0x13, 0x09, 0xff, 0x01, 0x10, 0, 0, 0, 0x2c]] && unit.records.isEmpty)
    #expect(session.say(Scale.info).written.isEmpty)
    let time = session.say(Scale.asksForTime)
    #expect(time.written == [Scale.frame([0x20, 0x08, 0xff, 0x80, 0x75, 0xe8, 0x30])])
    #expect(time.writes["meter/clock"] == [1, 0x80, 0x75, 0xe8, 0x30])
    #expect(session.say(Scale.asksForTime).written.isEmpty)
    #expect(session.say(Scale.asksForNobody).written == [[0x22, 0x04, 0xff, 0x25]])
    #expect(session.say(Scale.nothingStored).records.isEmpty)
    let moving = session.say(Scale.moving)
    #expect(moving.numbers == [[54.1]] && moving.records[0].flags == UInt32(MH_REC_PROVISIONAL))
    let standing = session.say(Scale.standing)
    #expect(standing.records.isEmpty && standing.written.isEmpty)
    #expect(standing.actions.contains { $0.token == Token.rest && $0.argument == 15_000_000_000 })
    let final = session.say(Scale.final)
    #expect(final.numbers == [[55.05, 508]] && final.records[0].flags == 0 && final.hasFinished)
    #expect(final.records[0].identityClass == UInt16(MH_IDENT_LIVE) && final.records[0].values[0].exponent == -2)
    #expect(final.written == [[0x1f, 0x05, 0xff, 0x10, 0x33]] && final.writes["meter/last"] != nil)
    #expect(session.say(Scale.final) == TestUnit())
  }

  @Test func anOlderScaleIsReadOverFourCharacteristics() throws {
    let session = try Scale.opened(try TestHost(bundle: "qn-scale"))
    let start = session.commit(.services(Scale.olderServices, service: 0xffe0))
    #expect(start.actions.filter { $0.kind == MH_DO_SUBSCRIBE }.map(\.handle) == [12, 10])
    session.commit(.subscribed(token: Token.indicate))
    #expect(session.commit(.subscribed(token: Token.notify)).actions.map(\.kind) == [MH_DO_READY])
    let unit = session.commit(.indication(12, Scale.info))
    #expect(unit.actions.last?.kind == MH_DO_WRITE_NO_RESPONSE && unit.actions.last?.handle == 14)
    let time = session.say(Scale.asksForTime)
    #expect(time.actions.last?.kind == MH_DO_WRITE && time.actions.last?.handle == 16)
    #expect(session.say(Scale.final).numbers == [[55.05, 508]])
  }

  @Test func aScaleThatAsksWhoStandsThereHearsOfAGuest() throws {
    let host = try TestHost(bundle: "qn-scale")
    let session = try Scale.opened(host)
    session.commit(.services(Scale.services, service: 0xfff0))
    session.commit(.subscribed(token: Token.notify))
    session.say(Scale.info)
    session.say(Scale.asksForTime)
    let unit = session.say(Scale.asksWho)
    #expect(unit.written == [Scale.frame([0xa0, 0x0d, 0x02, 0xfe, 0xff, 0xee, 0, 0, 0, 0, 0, 0x02])])
    #expect(session.say(Scale.guestTaken).written == [Scale.frame([0x22, 0x06, 0xff, 0, 1])])
    let stored = session.say(Scale.stored(slot: 3))
    #expect(stored.numbers == [[73.85, 200]] && stored.records[0].deviceUser == 3)
    let final = session.say([0x10, 0x0e, 0xff, 0xfe, 0x02, 0x1d, 0x47, 0x01, 0xf9, 0x01, 0xf7, 0x00, 0xd2, 0x45])
    #expect(final.numbers == [[74.95, 505]] && final.hasFinished)
  }

  /// The unit of the weight is in what the scale says of itself; before that no weight is read.
  @Test func tenthsAndHundredths() throws {
    let session = try Scale.opened(try TestHost(bundle: "qn-scale"))
    session.commit(.services(Scale.services, service: 0xfff0))
    session.commit(.subscribed(token: Token.notify))
    #expect(session.say(Scale.final).records.isEmpty)
    var info = Array(Scale.info.dropLast())
    info[10] = 0
    session.say(Scale.frame(info))
    let final = session.say(Scale.weight(601, state: 1))
    #expect(final.numbers == [[60.1]] && final.records[0].values[0].exponent == -1 && final.records[0].flags == 0)
  }

  @Test(arguments: ["timer", "silence", "cancel", "disconnected", "changed", "another"])
  func withShoesOnTheWeightGoesAlone(end: String) throws {
    let session = try Scale.measuring(try TestHost(bundle: "qn-scale"))
    session.say(Scale.standing)
    // They step off, or shift: it takes nothing back.
    #expect(session.say(Scale.weight(2000, state: 0)).records.isEmpty)
    let events: [String: TestEvent] = [
      "timer": .timer(Token.rest), "silence": .timer(Token.silence), "cancel": .cancel, "disconnected": .disconnected,
      "changed": .servicesChanged, "another": .notification(Scale.notify, Scale.weight(8000, state: 0x11)),
    ]
    let unit = session.commit(try #require(events[end]))
    #expect(unit.numbers == [[55.05]])
    #expect(unit.hasFinished == (end != "changed"))
    #expect(unit.written.isEmpty == ["cancel", "disconnected", "changed"].contains(end))
  }

  @Test func eachEndWithoutAWeightSaysWhy() throws {
    let ends: [(TestEvent, Int32)] = [
      (.timer(Token.silence), MH_FAIL_NO_READING), (.cancel, MH_FAIL_NO_READING),
      (.disconnected, MH_FAIL_COMMUNICATION), (.wrote(token: Token.write, status: 3), MH_FAIL_COMMUNICATION),
    ]
    for (event, code) in ends {
      let session = try Scale.measuring(try TestHost(bundle: "qn-scale"))
      session.say(Scale.moving)
      let unit = session.commit(event)
      #expect(unit.failure == code && unit.records.isEmpty)
      #expect(unit.actions.last?.text.isEmpty == false)
      #expect(session.say(Scale.final) == TestUnit())
    }
    let refused = try Scale.opened(try TestHost(bundle: "qn-scale"))
    refused.commit(.services(Scale.services, service: 0xfff0))
    #expect(refused.commit(.subscribed(token: Token.notify, status: 5)).failure == MH_FAIL_COMMUNICATION)
    let other = try Scale.opened(try TestHost(bundle: "qn-scale"))
    #expect(
      other.commit(.services([(10, 0x10, 0x2a9d)], service: 0x181d)).failure == MH_FAIL_UNSUPPORTED_METER)
  }

  /// Bytes of anybody: refused, nothing is read of them, and the session goes on.
  @Test func hostileBytesBringNothing() throws {
    let session = try Scale.measuring(try TestHost(bundle: "qn-scale"))
    var wrongSum = Scale.final
    wrongSum[10] ^= 1
    let hostile: [[UInt8]] = [
      [], [0x10], wrongSum, Array(Scale.final.dropLast()), Scale.final + [0], Scale.weight(5505, state: 2),
      Scale.frame([0x12, 0x05, 0xff, 1]), Scale.frame([0x23, 0x06, 0xff, 1, 1]), Scale.stored(2, of: 1),
    ]
    for bytes in hostile {
      let unit = session.say(bytes)
      #expect(unit.status == MH_E_PROTOCOL && unit.records.isEmpty && unit.written.isEmpty)
    }
    for bytes in [Scale.weight(0, state: 1), Scale.weight(30_001, state: 1), Scale.frame([0xb1, 0x04, 0xff])] {
      let unit = session.say(bytes)
      #expect(unit.status == MH_OK && unit.records.isEmpty)
    }
    #expect(session.commit(.notification(99, Scale.final)) == TestUnit())
    #expect(session.say(Scale.final).numbers == [[55.05, 508]])
  }

  @Test func aFullSinkLosesNothing() throws {
    let session = try Scale.measuring(try TestHost(bundle: "qn-scale"))
    session.capacities = .tiny
    let unit = session.say(Scale.final)
    #expect(unit.numbers == [[55.05, 508]] && unit.hasFinished && unit.rounds > 1)
    #expect(unit.written == [[0x1f, 0x05, 0xff, 0x10, 0x33]])
  }

  /// The scale does not hear that a weight has arrived which the host could not keep.
  @Test func withoutMemoryNothingIsDelivered() throws {
    let host = try TestHost(bundle: "qn-scale")
    let session = try Scale.measuring(host)
    host.state.refusesStorage = true
    let unit = session.say(Scale.final)
    #expect(unit.status != MH_OK && unit.records.isEmpty && unit.written.isEmpty)
  }
}
