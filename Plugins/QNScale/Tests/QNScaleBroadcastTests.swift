import CMeterDriver
import Testing

@testable import DriverTestBench

/// A scale that is only listened to. The bytes are those of a real FT-26R.
@Suite struct QNScaleBroadcastTests {
  typealias Token = TalkingScale.Token

  static func advertisement(_ data: [UInt8]) -> TestEvent {
    .advertisement([2, 1, 6, UInt8(data.count + 3), 0xff, 0xff, 0xff] + data)
  }

  static func weight(_ hundredths: UInt16, state: UInt8 = 0x15) -> TestEvent {
    advertisement([
      0xaa, 0xbb, 0, 0, 0x5e, 0, 0x53, 0x01, 0x72, 0, 0, 0, 0xff, 0xff, 0xff, state, 0,
      UInt8(hundredths & 0xff), UInt8(hundredths >> 8), 0x51, 0x0e, 0x03, 0x23, 0,
    ])
  }

  @Test func aWeightThatStandsIsReadOnce() throws {
    let host = try TestHost(bundle: "qn-scale")
    let session = try TalkingScale.opened(host)
    let moving = session.commit(Self.weight(7015, state: 0x14))
    #expect(moving.numbers == [[70.15]] && moving.records[0].flags == UInt32(MH_REC_PROVISIONAL))
    #expect(moving.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER])
    let stands = session.commit(Self.weight(7030))
    #expect(stands.numbers == [[70.3]] && stands.hasFinished && stands.records[0].flags == 0)
    #expect(stands.records[0].identityClass == UInt16(MH_IDENT_LIVE) && stands.writes["meter/last"] != nil)
    // The same person, still there: in the sessions after it too.
    for passive in [false, true] {
      let again = try TalkingScale.opened(host, passive: passive, at: TalkingScale.newYear + 60)
      #expect(again.commit(Self.weight(7035)).records.isEmpty)
      #expect(again.commit(.timer(Token.silence)).hasFinished)
    }
    let later = try TalkingScale.opened(host, at: TalkingScale.newYear + 3600)
    #expect(later.commit(Self.weight(7030)).numbers == [[70.3]])
  }

  @Test func whoStepsOffAndOnIsWeighedTwice() throws {
    let session = try TalkingScale.opened(try TestHost(bundle: "qn-scale"), passive: true)
    #expect(session.commit(Self.weight(7030)).records.count == 1)
    #expect(session.commit(Self.weight(7030)).records.isEmpty)
    #expect(session.commit(Self.weight(0)).records.isEmpty)
    #expect(session.commit(Self.weight(7030)).records.count == 1)
    #expect(session.commit(Self.weight(8200)).numbers == [[82]])
    #expect(session.commit(.disconnected).hasFinished)
  }

  @Test func othersAdvertisementsAreNotOfIt() throws {
    let session = try TalkingScale.opened(try TestHost(bundle: "qn-scale"))
    // What a scale that is connected to says of itself, under the same company.
    #expect(
      session.commit(Self.advertisement([0x09, 0xe9, 0, 0, 0, 0x23, 0x0a, 0x67, 0, 0x03, 0xff])) == TestUnit())
    #expect(session.commit(.advertisement([2, 1, 6, 4, 0xff, 0x57, 0x01, 0xaa])) == TestUnit())
    let cut = session.commit(Self.advertisement([0xaa, 0xbb, 0, 0, 0x5e]))
    #expect(cut.status == MH_E_PROTOCOL && cut.records.isEmpty)
    #expect(session.commit(Self.weight(30_001)).records.isEmpty)
    #expect(session.commit(.timer(Token.silence)).failure == MH_FAIL_NO_READING)
  }

  @Test(arguments: ["cancel", "disconnected"])
  func withoutANumberThatStandsNothingIsRead(end: String) throws {
    let session = try TalkingScale.opened(try TestHost(bundle: "qn-scale"))
    session.commit(Self.weight(7015, state: 0x14))
    let unit = session.commit(end == "cancel" ? .cancel : .disconnected)
    #expect(unit.failure == MH_FAIL_NO_READING && unit.records.isEmpty)
  }
}
