import CMeterDriver
@testable import DriverTestBench
import Testing

/// The scale's Current Time: read, told, and set where it is wrong.
@Suite struct ScaleClockTests {
  typealias Handle = SimulatedScale.Handle
  /// 2024-02-29 23:59:59.5 UTC is 2024-03-01 00:59:59.5 an hour further east, a Friday.
  static let host: Int64 = 1_709_251_199_500_000
  static let civil: [UInt8] = [0xe8, 7, 3, 1, 0, 59, 59, 5, 128, 2]

  private func session(
    _ host: TestHost, properties: UInt16, parameter: Int64 = 1, trust: UInt32 = UInt32(MH_CLOCK_SYNCHRONISED)
  ) throws -> (TestSession, TestUnit) {
    var opening = TestOpening(parameters: [MH_PARAM_SET_CLOCK: parameter])
    (opening.clockTrust, opening.utcOffsetSeconds) = (trust, 3600)
    let session = try host.open(opening)
    session.unixMicroseconds = Self.host
    let services =
      SimulatedScale(packets: []).services
      + [TestService(id: 0x1805, characteristics: [(Handle.clock, properties, 0x2a2b)])]
    return (session, session.commit(.database(services)))
  }

  /// How far ahead the clock is said to be, record by record; nil: it is said to have no time.
  private func offsets(_ unit: TestUnit) -> [Int64?] {
    unit.records.map { record in
      #expect(record.kind == UInt32(MH_KIND_DEVICE_INFO))
      let offset = record.value(MH_METRIC_CLOCK_OFFSET)
      #expect((offset == nil) == (record.flags == MH_REC_CLOCK_SUSPECT))
      return offset?.raw
    }
  }

  @Test func isLeftAloneWhereItMayNotBeSet() throws {
    let host = try TestHost(bundle: "weight-scale")
    for (properties, parameter, trust) in [
      (0x0a, 1, MH_CLOCK_UNKNOWN), (0x0a, 0, MH_CLOCK_SYNCHRONISED), (0x02, 1, MH_CLOCK_SYNCHRONISED),
    ] as [(UInt16, Int64, UInt32)] {
      let (_, unit) = try session(host, properties: properties, parameter: parameter, trust: trust)
      #expect(unit.actions.map(\.handle) == [Handle.composition, Handle.weight] && unit.records.isEmpty)
    }
  }

  @Test(
    arguments: [
      // An hour behind: nobody has told it of summer time. A day ahead. No date. Nothing, and less than a date.
      ([0xe8, 7, 2, 29, 23, 59, 59, 4, 0, 0], [-3600]), ([0xe8, 7, 3, 2, 0, 59, 59, 6, 0, 0], [86_399]),
      ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0], []), ([], []), ([0xe8, 7, 3], []),
      // Just beyond what is tolerated.
      ([0xe8, 7, 3, 1, 0, 59, 48, 5, 0, 0], [-11]),
    ] as [([UInt8], [Int64])])
  func aWrongClockIsSetAndTold(value: [UInt8], first: [Int64]) throws {
    let host = try TestHost(bundle: "weight-scale")
    let (session, unit) = try session(host, properties: 0x0a)
    #expect(unit.actions.map(\.kind) == [MH_DO_READ] && unit.actions.map(\.handle) == [Handle.clock])
    let read = session.commit(.read(token: 5, value))
    #expect(read.actions.map(\.kind) == [MH_DO_WRITE] && read.actions.map(\.value) == [Self.civil])
    let wrote = session.commit(.wrote(token: 5))
    #expect(wrote.actions.map(\.handle) == [Handle.composition, Handle.weight])
    #expect(offsets(read) + offsets(wrote) == (first.isEmpty ? [nil, 0] : [first[0], 0]))
  }

  @Test(
    arguments: [
      [0xe8, 7, 3, 1, 0, 59, 59, 5, 128, 2], [0xe8, 7, 3, 1, 1, 0, 9, 5, 0, 0], [0xe8, 7, 3, 1, 0, 59, 50, 0, 0, 0],
    ] as [[UInt8]])
  func aRightClockIsTheScales(value: [UInt8]) throws {
    let host = try TestHost(bundle: "weight-scale")
    let (session, _) = try session(host, properties: 0x0a)
    let read = session.commit(.read(token: 5, value))
    #expect(read.actions.map(\.handle) == [Handle.composition, Handle.weight])
    #expect(offsets(read).count == 1 && (offsets(read)[0]?.magnitude ?? 99) <= 10)
  }

  /// A clock that cannot be read is set; one that cannot be set is no reason to read nothing, and was not set.
  @Test(arguments: [UInt16(0x0a), 0x08]) func refusals(properties: UInt16) throws {
    let host = try TestHost(bundle: "weight-scale")
    for refused in [false, true] {
      let (session, unit) = try session(host, properties: properties)
      let asked = properties == 0x08 ? unit : session.commit(.read(token: 5, [], status: 2))
      #expect(asked.actions.map(\.value) == [Self.civil] && asked.records.isEmpty)
      let wrote = session.commit(.wrote(token: 5, status: refused ? 3 : 0))
      #expect(wrote.actions.map(\.handle) == [Handle.composition, Handle.weight])
      #expect(offsets(wrote) == (refused ? [] : [nil, 0]))
    }
  }
}
