import CMeterDriver
import Testing

@testable import DriverTestBench

/// What the scale has stored while nobody listened.
@Suite struct QNScaleStoredTests {
  typealias Scale = TalkingScale
  typealias Token = TalkingScale.Token

  @Test func whatIsStoredIsReadUnderTheSameNameEachTime() throws {
    let host = try TestHost(bundle: "qn-scale")
    var names: [[[UInt8]]] = []
    for day in [Int64(1), 2] {
      let session = try Scale.measuring(host, at: Scale.newYear + day * 86_400)
      let units = [session.say(Scale.stored(1, of: 2)), session.say(Scale.stored(2, of: 2, 7280, after: 60))]
      #expect(units.flatMap(\.numbers) == [[73.85, 200], [72.8, 200]])
      let records = units.flatMap(\.records)
      #expect(records.map(\.time) == [Scale.newYear * 1_000_000, (Scale.newYear + 60) * 1_000_000])
      #expect(records.allSatisfy { $0.timeKind == UInt16(MH_TIME_UTC) })
      names.append(records.map(\.identity))
      #expect(session.commit(.timer(Token.silence)).hasFinished)
    }
    #expect(names[0] == names[1] && names[0].count == 2 && !names[0][0].isEmpty)
  }

  /// Of before this host set the clock it is not known whose time it is; nor of a scale whose clock was never set.
  @Test func timesOfBeforeTheClockWasSetAreSuspect() throws {
    let host = try TestHost(bundle: "qn-scale")
    let untrusted = try Scale.measuring(host, trusted: false)
    #expect(untrusted.say(Scale.stored()).records.map(\.flags) == [UInt32(MH_REC_CLOCK_SUSPECT)])
    #expect(host.state.storage["meter/clock"] == nil)
    let first = try Scale.measuring(host)
    #expect(first.say(Scale.stored(after: -60)).records.map(\.flags) == [UInt32(MH_REC_CLOCK_SUSPECT)])
    let second = try Scale.measuring(host, at: Scale.newYear + 86_400)
    #expect(second.say(Scale.stored(after: -60)).records.map(\.flags) == [UInt32(MH_REC_CLOCK_SUSPECT)])
    #expect(second.say(Scale.stored(after: 3600)).records.map(\.flags) == [0])
    let unset = try Scale.measuring(host, at: Scale.newYear + 86_400)
    let record = unset.say(Scale.stored(after: -820_540_000)).records
    #expect(record.map(\.flags) == [UInt32(MH_REC_HELD)] && record.map(\.timeKind) == [0])
  }

  /// A weighing that was delivered as it was measured, of which the scale did not hear.
  @Test func whatWasDeliveredIsNotDeliveredAgain() throws {
    let host = try TestHost(bundle: "qn-scale")
    #expect(try Scale.measuring(host).say(Scale.final).numbers == [[55.05, 508]])
    let next = try Scale.measuring(host, at: Scale.newYear + 600)
    #expect(next.say(Scale.stored(1, of: 3, 5505, after: 20)).records.isEmpty)
    #expect(next.say(Scale.stored(2, of: 3, 5505, after: 300)).numbers == [[55.05, 200]])
    #expect(next.say(Scale.stored(3, of: 3, 5515, after: 20)).numbers == [[55.15, 200]])
    #expect(next.commit(.timer(Token.silence)).hasFinished)
  }

  @Test(arguments: ["silence", "cancel", "disconnected"])
  func lessThanTheScaleSaidIsNoSuccess(end: String) throws {
    let session = try Scale.measuring(try TestHost(bundle: "qn-scale"))
    #expect(session.say(Scale.stored(1, of: 3)).records.count == 1)
    let events: [String: TestEvent] = [
      "silence": .timer(Token.silence), "cancel": .cancel, "disconnected": .disconnected,
    ]
    #expect(session.commit(try #require(events[end])).failure == MH_FAIL_COMMUNICATION)
  }

  /// A weighing does not cut short what is stored.
  @Test func theRestComesBehindAWeighing() throws {
    let session = try Scale.measuring(try TestHost(bundle: "qn-scale"))
    session.say(Scale.stored(1, of: 2))
    let weighed = session.say(Scale.final)
    #expect(weighed.numbers == [[55.05, 508]] && !weighed.hasFinished)
    #expect(weighed.actions.last?.argument == 10_000_000_000)
    let rest = session.say(Scale.stored(2, of: 2, 7280))
    #expect(rest.numbers == [[72.8, 200]] && rest.hasFinished)
  }

  /// The longer kind is never read one byte off.
  @Test func aSlotWhereNoneWasAskedForIsRefused() throws {
    let session = try Scale.measuring(try TestHost(bundle: "qn-scale"))
    let real: [UInt8] = [
      0x23, 0x13, 0xff, 0x01, 0x01, 0xf0, 0xaa, 0xc9, 0xbd, 0x31, 0x1e, 0x5a, 0x01, 0xf1, 0x01, 0xef, 0, 0, 0xe2,
    ]
    let unit = session.say(real)
    #expect(unit.status == MH_E_PROTOCOL && unit.records.isEmpty)
  }
}
