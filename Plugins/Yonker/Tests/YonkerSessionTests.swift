import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct YonkerSessionTests {
  let result: [UInt8] = [0x81, 0x83, 0x67, 0x51, 0, 0, 0x19, 0x0b, 0x18, 0x13, 0x12, 0, 0, 0, 0]
  let older: [UInt8] = [0x81, 0x46, 0x24, 0x32, 0, 0, 0x19, 0x03, 0x15, 0x0a, 0x11, 0, 0, 0, 0]
  let progress: [UInt8] = [0x80, 0x00, 0xa0]
  /// 2025-11-24T19:20 UTC: two minutes after the result.
  let now: Int64 = 1_764_012_000_000_000

  func uuid(_ last: UInt8) -> mh_uuid {
    mh_uuid(b: (0xcd, 0xea, 0xcd, last, 0x52, 0x35, 0x4c, 0x07, 0x88, 0x46, 0x93, 0xa3, 0x7e, 0xe6, 0xb8, 0x6d))
  }

  func services(_ properties: UInt16 = 0x10) -> TestEvent {
    .vendorServices([(handle: UInt16(20), properties: properties, uuid: uuid(0x81))], service: uuid(0x80))
  }

  func listening(_ host: TestHost, trusted: Bool = true) throws -> TestSession {
    let clock = UInt32(trusted ? MH_CLOCK_SYNCHRONISED : MH_CLOCK_UNKNOWN)
    let session = try host.open(TestOpening(clockTrust: clock))
    session.unixMicroseconds = now
    session.commit(services())
    session.commit(.subscribed(token: 1))
    return session
  }

  @Test func aMeasurementIsItsResult() throws {
    let host = try TestHost(bundle: "yonker")
    let session = try listening(host)
    let running = session.commit(.notification(20, progress))
    #expect(running.records.isEmpty && running.status == MH_OK && running.actions.map(\.kind) == [MH_DO_TIMER])
    let unit = session.commit(.notification(20, result))
    #expect(unit.records.map { $0.values.map(\.raw) } == [[131, 103, 81]])
    #expect(unit.records[0].flags == 0 && unit.records[0].time == 1_764_011_880_000_000)
    #expect(session.commit(.timer(2)).actions.map(\.kind) == [MH_DO_FINISH])
  }

  /// A date that no clock beside the cuff agrees with is not believed, and the name of the reading does not depend on it.
  @Test func aDateIsBelievedWhenAClockAgrees() throws {
    let host = try TestHost(bundle: "yonker")
    let believed = try listening(host).commit(.notification(20, result)).records[0]
    let doubted = try listening(host, trusted: false).commit(.notification(20, result)).records[0]
    #expect(believed.flags == 0 && doubted.flags == MH_REC_CLOCK_SUSPECT)
    #expect(believed.identity == doubted.identity && believed.time == doubted.time && believed.identity.count == 8)
    #expect(try listening(host).commit(.notification(20, older)).records[0].flags == MH_REC_CLOCK_SUSPECT)
  }

  /// A cuff may tell its memory, and the last result twice: each has one name.
  @Test func whatIsToldAgainIsKnown() throws {
    let host = try TestHost(bundle: "yonker")
    let session = try listening(host)
    #expect(session.commit(.notification(20, older)).records.count == 1)
    #expect(session.commit(.notification(20, result)).records.count == 1)
    #expect(session.commit(.notification(20, result)).records.isEmpty)
    let undated: [UInt8] = [0x81, 0x83, 0x67, 0x51] + [UInt8](repeating: 0, count: 11)
    let live = try listening(host)
    #expect(live.commit(.notification(20, undated)).records.map(\.identityClass) == [UInt16(MH_IDENT_LIVE)])
    #expect(live.commit(.notification(20, undated)).records.isEmpty)
  }

  @Test func nothingIsWritten() throws {
    let host = try TestHost(bundle: "yonker")
    let session = try listening(host)
    let units =
      [progress, result, [], [0x55]].map { session.commit(.notification(20, $0)) } + [session.commit(.timer(2))]
    #expect(units.flatMap(\.actions).allSatisfy { $0.kind != MH_DO_WRITE && $0.kind != MH_DO_WRITE_NO_RESPONSE })
  }

  /// An oximeter of the same make has the same service, and a packet that begins with the same byte.
  @Test func anOximeterIsNoCuff() throws {
    let host = try TestHost(bundle: "yonker")
    for bytes in [
      [0x81, 98, 72, 4], [0x81], [], [0x82] + result.dropFirst(), result + [0], [UInt8](repeating: 0x81, count: 512),
    ] as [[UInt8]] {
      let unit = try listening(host).commit(.notification(20, bytes))
      #expect(unit.status == MH_E_PROTOCOL && unit.records.isEmpty)
    }
  }

  @Test func endings() throws {
    let host = try TestHost(bundle: "yonker")
    #expect(try listening(host).commit(.timer(2)).actions.map(\.code) == [MH_FAIL_NO_READING])
    #expect(try listening(host).commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    #expect(try listening(host).commit(.cancel).actions.map(\.kind) == [MH_DO_FINISH])
    let read = try listening(host)
    read.commit(.notification(20, result))
    #expect(read.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
    #expect(try host.open().commit(services(0x02)).actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    let refusing = try host.open()
    refusing.commit(services())
    #expect(refusing.commit(.subscribed(token: 1, status: 5)).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
  }

  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "yonker")
    let (ample, tiny) = (try listening(host), try listening(host))
    tiny.capacities = Capacities(records: 1, values: 3, arena: 8, actionsPerRound: 1)
    for packet in [progress, older, result] {
      let (wide, narrow) = (ample.commit(.notification(20, packet)), tiny.commit(.notification(20, packet)))
      #expect(wide.records == narrow.records && wide.actions == narrow.actions)
    }
  }
}
