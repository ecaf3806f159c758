import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct MicrolifeSessionTests {
  let services: [(handle: UInt16, properties: UInt16, id: UInt16)] = [(30, 0x10, 0xfff1), (33, 0x08, 0xfff2)]
  let newer: UInt8 = 0x3a
  let older: UInt8 = 0x31
  let timed: [UInt8] = [134, 70, 68, 22, 7, 17, 17, 2, 0x80, 0]
  let irregular: [UInt8] = [147, 59, 48, 22, 7, 17, 17, 56, 0xc0, 0]

  func frame(_ maker: UInt8, _ command: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    let length = payload.count + 2
    let bytes = [0x4d, maker, UInt8(length >> 8), UInt8(length & 0xff), command] + payload
    return bytes + [bytes.reduce(0, &+)]
  }

  /// What a newer monitor says of itself.
  var version: [UInt8] {
    frame(
      newer, 5, [1] + [UInt8](repeating: 0x20, count: 42) + Array("RA1".utf8) + [17, 1, 10, 2, 99, 23, 51, 0, 11, 1, 0])
  }

  func memory(_ records: [[UInt8]], user: UInt8 = 1, current: [UInt8]? = nil) -> [UInt8] {
    frame(
      newer, 0,
      [0, 0, UInt8(records.count), user, 0, 0, 0] + (current ?? [UInt8](repeating: 0, count: 30)) + records.joined())
  }

  func untimed(_ systolic: UInt8) -> [UInt8] { [systolic, 68, 51, 17, 0, 0, 0, 0, 0x80, 0] }

  func connected(_ host: TestHost, _ opening: TestOpening = TestOpening()) throws -> TestSession {
    let session = try host.open(opening)
    session.commit(.services(services, service: 0xfff0))
    session.commit(.subscribed(token: 1))
    return session
  }

  /// Notifies an answer in pieces of twenty bytes; the unit of the last one.
  @discardableResult
  func notify(_ session: TestSession, _ bytes: [UInt8]) -> TestUnit {
    var unit = TestUnit()
    for start in stride(from: 0, to: bytes.count, by: 20) {
      unit = session.commit(.notification(30, Array(bytes[start..<min(start + 20, bytes.count)])))
    }
    return unit
  }

  /// A whole read; the unit with the memory.
  func read(_ host: TestHost, _ bytes: [UInt8], _ opening: TestOpening = TestOpening()) throws -> TestUnit {
    let session = try connected(host, opening)
    notify(session, version)
    return notify(session, bytes)
  }

  func written(_ unit: TestUnit) -> [[UInt8]] { unit.actions.filter { $0.kind == MH_DO_WRITE }.map(\.value) }

  @Test func whoItIsThenItsMemory() throws {
    let host = try TestHost(bundle: "microlife")
    let session = try host.open()
    #expect(session.commit(.services(services, service: 0xfff0)).actions[0].handle == 30)
    #expect(written(session.commit(.subscribed(token: 1))) == [[0x4d, 0xff, 0, 2, 5, 0x53]])
    let told = notify(session, version)
    #expect(told.records.map(\.kind) == [MH_KIND_DEVICE_INFO])
    #expect(told.records[0].value(MH_METRIC_BATTERY_VOLTAGE)?.raw == 51)
    // The very bytes that three public programs write.
    #expect(written(told) == [[0x4d, 0xff, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0xfd, 0x52]])
    let unit = notify(session, memory([timed, irregular]))
    #expect(unit.records.map { $0.values.map(\.raw) } == [[134, 70, 68, 0], [147, 59, 48, 4]])
    #expect(
      unit.records.allSatisfy { $0.identityClass == UInt16(MH_IDENT_STORED) && $0.flags == 0 && $0.deviceUser != nil })
    #expect(unit.actions.map(\.kind) == [MH_DO_FINISH])
  }

  /// Whatever is read, in whatever way: the command that erases the memory, and those that write a user, are not among what is
  /// written.
  @Test func theMemoryIsNeverErased() throws {
    let host = try TestHost(bundle: "microlife")
    var commands: Set<UInt8> = []
    for sets in [0, 1] as [Int64] {
      for answer in [memory([timed]), memory([]), frame(newer, 0x81), frame(newer, 0x92), [0x4d, 0x3a], []] {
        let opening = TestOpening(
          parameters: [UInt32(MH_PARAM_SET_CLOCK): sets], clockTrust: UInt32(MH_CLOCK_SYNCHRONISED))
        let session = try host.open(opening)
        session.unixMicroseconds = 1_718_469_005_000_000
        var units = [session.commit(.services(services, service: 0xfff0)), session.commit(.subscribed(token: 1))]
        units += [notify(session, version), notify(session, frame(newer, 0x0c, [1, 24, 6, 15, 18, 30, 5]))]
        units += [notify(session, frame(newer, 0x81)), notify(session, answer)]
        for _ in 0..<4 { units.append(session.commit(.timer(2))) }
        commands.formUnion(units.flatMap(written).map { $0[4] })
      }
    }
    #expect(commands == [0x00, 0x05, 0x0c, 0x0d])
  }

  @Test func theSameMemoryHasTheSameNames() throws {
    let host = try TestHost(bundle: "microlife")
    let (first, second) = (try read(host, memory([timed])), try read(host, memory([irregular, timed])))
    #expect(first.records[0].identity == second.records[1].identity)
    #expect(try read(host, memory([timed], user: 2)).records[0].identity != first.records[0].identity)
  }

  /// Readings from before the clock was set have no name: they come once, and new ones behind them come, too.
  @Test func readingsWithoutATimeComeOnce() throws {
    let host = try TestHost(bundle: "microlife")
    let before = try read(host, memory([untimed(144), untimed(147), timed]))
    #expect(before.records.map { $0.values[0].raw } == [144, 147, 134] && before.writes.count == 1)
    #expect(
      before.records[0].identityClass == UInt16(MH_IDENT_LIVE) && before.records[0].flags & MH_REC_CLOCK_SUSPECT != 0)
    #expect(try read(host, memory([untimed(144), untimed(147), timed])).records.map { $0.values[0].raw } == [134])
    // The oldest has fallen out, and one was added.
    let after = try read(host, memory([untimed(147), timed, untimed(150)]))
    #expect(after.records.map { $0.values[0].raw } == [134, 150])
    // The other user's are others.
    #expect(try read(host, memory([untimed(144)], user: 2)).records.count == 1)
  }

  /// What is kept about them is in the unit of the readings: a unit that is not committed leaves both for the next read.
  @Test func whatWasNotCommittedComesAgain() throws {
    let host = try TestHost(bundle: "microlife")
    let session = try connected(host)
    notify(session, version)
    #expect(session.send(.notification(30, memory([untimed(144)]))).records.count == 1)
    #expect(try read(host, memory([untimed(144)])).records.count == 1)
  }

  @Test func anOlderMonitorIsReadWithItsClockOnly() throws {
    let host = try TestHost(bundle: "microlife")
    let version = frame(
      older, 5, [1] + [UInt8](repeating: 0x30, count: 11) + [53] + Array("RG1".utf8) + [18, 3, 14, 2, 99, 5, 49])
    let alone = notify(try connected(host), version)
    #expect(written(alone).isEmpty && alone.actions.map(\.code) == [MH_FAIL_REFUSED])
    let opening = TestOpening(
      parameters: [UInt32(MH_PARAM_SET_CLOCK): 1], clockTrust: UInt32(MH_CLOCK_SYNCHRONISED), utcOffsetSeconds: 7200)
    let session = try connected(host, opening)
    session.unixMicroseconds = 1_718_469_005_000_000
    #expect(written(notify(session, version)) == [frame(0xff, 0, [24, 6, 15, 18, 30, 5])])
    let record: [UInt8] = [142, 96, 85, 0x4d, 0x8e, 15, 0x10]
    let unit = notify(session, frame(older, 0, [0, 0, 1, 1, 3, 0, 0] + [UInt8](repeating: 0, count: 21) + record))
    #expect(unit.records.map { $0.values.map(\.raw) } == [[142, 96, 85, 0]])
    #expect(unit.records[0].time == 1_473_776_100_000_000)
  }

  @Test func whatDoesNotAddUpIsRefusedWhole() throws {
    let host = try TestHost(bundle: "microlife")
    let tooMany = frame(newer, 0, [0, 0, 2, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 30) + timed)
    let unit = try read(host, tooMany)
    #expect(unit.records.isEmpty && unit.actions.map(\.code) == [MH_FAIL_METER_ERROR])
    let watch = notify(try connected(host), frame(0x51, 5, [1, 2, 3]))
    #expect(watch.actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    // A lost piece: the sum is wrong, and the question is asked again.
    let session = try connected(host)
    notify(session, version)
    let bytes = memory([timed, irregular])
    let spoiled = notify(session, Array(bytes.prefix(20)) + Array(bytes.dropFirst(21)) + [0])
    #expect(spoiled.status == MH_E_PROTOCOL && spoiled.records.isEmpty)
    #expect(written(session.commit(.timer(2))).count == 1)
    #expect(notify(session, bytes).records.count == 2)
  }

  @Test func endings() throws {
    let host = try TestHost(bundle: "microlife")
    let silent = try connected(host)
    for _ in 0..<2 { #expect(written(silent.commit(.timer(2))).count == 1) }
    #expect(silent.commit(.timer(2)).actions.map(\.code) == [MH_FAIL_TIMEOUT])
    #expect(try connected(host).commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    #expect(try connected(host).commit(.cancel).actions.map(\.kind) == [MH_DO_FINISH])
    #expect(try connected(host).commit(.wrote(token: 3, status: 15)).actions.map(\.code) == [MH_FAIL_NOT_PAIRED])
    #expect(try read(host, memory([])).actions.map(\.kind) == [MH_DO_FINISH])
    let measuring = try read(host, memory([], current: timed + [UInt8](repeating: 0, count: 20)))
    #expect(measuring.records.isEmpty && measuring.actions.map(\.code) == [MH_FAIL_NO_READING])
  }

  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "microlife")
    let records = (0..<40).map { [UInt8(120 + $0), 70, 60, 24, 6, 15, 12, UInt8($0), 0x80, 0] as [UInt8] }
    let ample = try read(host, memory(records))
    let tiny = try connected(host)
    notify(tiny, version)
    tiny.capacities = Capacities(records: 1, values: 4, arena: 16, actionsPerRound: 1)
    let narrow = notify(tiny, memory(records))
    #expect(ample.records.count == 40 && ample.records == narrow.records && ample.actions == narrow.actions)
  }
}
