import CMeterDriver
@testable import DriverTestBench
import Testing

/// The scale that Lifesense makes for A&D, in the order of the captures.
@Suite struct FramedScaleTests {
  let services: [(handle: UInt16, properties: UInt16, id: UInt16)] = [
    (10, 0x20, 0xa620), (13, 0x10, 0xa621), (16, 0x04, 0xa622), (18, 0x04, 0xa624), (20, 0x10, 0xa625),
  ]
  let login = hex("100a000701de5252de010064")
  let acknowledgement: [UInt8] = [0, 1, 1]
  let last = hex("1011480200000001400826d96a70fb90018b00")
  let oneMore = hex("1011480200010001400826d96a70fba6018700")

  func connected(_ host: TestHost, _ opening: TestOpening = TestOpening()) throws -> TestSession {
    let session = try host.open(opening)
    session.commit(.services(services, service: 0xa602))
    for _ in 0..<3 { session.commit(.subscribed(token: 1)) }
    return session
  }

  /// What a unit writes, as handle and bytes.
  func writes(_ unit: TestUnit) -> [String] {
    unit.actions.filter { $0.kind == MH_DO_WRITE_NO_RESPONSE }.map { action in
      "\(action.handle) "
        + action.value.map { byte in String(byte / 16, radix: 16) + String(byte % 16, radix: 16) }.joined()
    }
  }

  @Test func theScaleIsToldItsOwnCodeAndAskedForOneReadingAtATime() throws {
    let host = try TestHost(bundle: "aandd")
    let session = try host.open()
    #expect(session.commit(.services(services, service: 0xa602)).actions.prefix(3).map(\.handle) == [20, 13, 10])
    for _ in 0..<3 { session.commit(.subscribed(token: 1)) }
    #expect(writes(session.commit(.notification(13, login))) == ["16 000101", "18 100b00080101de5252de010102"])
    #expect(writes(session.commit(.notification(20, acknowledgement))) == ["18 100448010001"])
    #expect(session.commit(.notification(20, acknowledgement)) == TestUnit())
    let more = session.commit(.notification(13, oneMore))
    #expect(more.records.map { $0.values.map(\.raw) } == [[9945, 391]])
    // On disk before it is acknowledged, and only then the next one is asked for.
    #expect(writes(more) == ["16 000101", "18 100448010001"])
    session.commit(.notification(20, acknowledgement))
    let end = session.commit(.notification(13, last))
    #expect(end.records.map { $0.values.map(\.raw) } == [[9945, 395]] && writes(end) == ["16 000101"])
    #expect(end.actions.last?.kind == MH_DO_FINISH)
  }

  /// How many readings wait behind it is no part of a reading's name.
  @Test func theSameReadingHasTheSameName() throws {
    let host = try TestHost(bundle: "aandd")
    let moved = hex("10114802000b0009400826d96a70fb90018b00")
    let names = host.decode([(0xa621, last), (0xa621, moved)]).map { $0.records.map(\.identity) }
    #expect(names[0] == names[1] && names[0].count == 1)
  }

  @Test func theClockIsSetOnlyWithLeave() throws {
    let host = try TestHost(bundle: "aandd")
    let opening = TestOpening(
      parameters: [UInt32(MH_PARAM_SET_CLOCK): 1], clockTrust: UInt32(MH_CLOCK_SYNCHRONISED), utcOffsetSeconds: -18_000)
    let session = try connected(host, opening)
    session.unixMicroseconds = 0x6a5a_aac2 * 1_000_000
    session.commit(.notification(13, login))
    // Byte for byte what the maker's program wrote in the second capture.
    #expect(writes(session.commit(.notification(20, acknowledgement))) == ["18 10081002036a5aaac2fb"])
    #expect(session.commit(.notification(20, acknowledgement)) == TestUnit())
    #expect(writes(session.commit(.notification(13, hex("10051000100201")))) == ["16 000101", "18 100448010001"])
  }

  @Test func whatIsNotPublicIsRefusedWithWords() throws {
    let host = try TestHost(bundle: "aandd")
    let pounds = try connected(host)
    pounds.commit(.notification(13, login))
    pounds.commit(.notification(20, acknowledgement))
    let refused = pounds.commit(.notification(13, hex("1011480200000001400926d96a70fb90018b00")))
    #expect(refused.records.isEmpty && writes(refused).isEmpty)
    #expect(refused.actions.map(\.code) == [MH_FAIL_METER_ERROR] && refused.actions[0].text.contains("kilograms"))
    let fresh = try connected(host).commit(.notification(13, hex("1003000918")))
    #expect(fresh.actions.map(\.code) == [MH_FAIL_METER_ERROR] && fresh.actions[0].text.contains("set up"))
  }

  /// A link that breaks, or a scale that falls silent in the middle of its memory, is no success.
  @Test func aMemoryThatIsNotOverIsNotFinished() throws {
    let host = try TestHost(bundle: "aandd")
    for ending in [TestEvent.disconnected, .timer(2)] {
      let session = try connected(host)
      session.commit(.notification(13, login))
      session.commit(.notification(20, acknowledgement))
      session.commit(.notification(13, oneMore))
      #expect(session.commit(ending).actions.map(\.kind) == [MH_DO_FAIL])
    }
    let silent = try connected(host)
    #expect(silent.commit(.timer(2)).actions.map(\.code) == [MH_FAIL_TIMEOUT])
  }

  @Test func hostileFrames() throws {
    let host = try TestHost(bundle: "aandd")
    for bytes in [[], [0x10], hex("2011480200000001400826d96a70fb90018b00"), Array(last.prefix(18))] as [[UInt8]] {
      let session = try connected(host)
      session.commit(.notification(13, login))
      session.commit(.notification(20, acknowledgement))
      let unit = session.commit(.notification(13, bytes))
      #expect(unit.status == MH_E_PROTOCOL && unit.records.isEmpty && writes(unit).isEmpty)
    }
    // A reading that nobody asked for is not taken.
    #expect(try connected(host).commit(.notification(13, last)).records.isEmpty)
  }
}
