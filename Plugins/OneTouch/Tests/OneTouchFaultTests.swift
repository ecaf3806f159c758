import CMeterDriver
import TestSupport
import Testing

@testable import DriverTestBench

@Suite struct OneTouchFaultTests {
  typealias Meter = SimulatedOneTouchMeter

  static func bench(_ change: (inout Meter) -> Void) throws -> OneTouchBench {
    var meter = Meter(stored: OneTouchSessionTests.records(1...5))
    change(&meter)
    return try OneTouchBench(meter)
  }

  @Test(arguments: 1...2)
  func damagedRepliesAreAskedForAgain(damages: Int) throws {
    let bench = try Self.bench { $0.damages = damages }
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 5])
    // A damaged reply is never acknowledged.
    #expect(bench.meter.acknowledgements.count == 8 && bench.meter.commands.count == 8 + damages)
  }

  @Test(arguments: 1...2)
  func silenceIsBornTwice(silences: Int) throws {
    let bench = try Self.bench { $0.silences = silences }
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 5])
  }

  @Test func aSilentOrGarblingMeterTimesOut() throws {
    for bench in [try Self.bench { $0.silences = 3 }, try Self.bench { $0.damages = 3 }] {
      try bench.run()
      #expect(bench.failure?.code == MH_FAIL_TIMEOUT && bench.committed.isEmpty)
      #expect(bench.meter.commands.count == 3)
    }
  }

  /// The second copy of a reply comes when the next record was asked for and acknowledged: it must not become that record.
  @Test(arguments: [1, 2])
  func aLateRepeatIsNotTheNextRecord(repeats: Int) throws {
    let bench = try Self.bench { $0.lateRepeats = repeats }
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 5])
    #expect(Set(bench.committed.values.map { $0.values[0].raw }) == [61, 62, 63, 64, 65])
    for record in bench.committed.values { #expect(record.values[0].raw == 60 + Int64(record.sequence)) }
  }

  @Test func aMeterThatSaysTheSameTwiceIsBelieved() throws {
    var twin = Meter.Stored(number: 2, seconds: 700_000_000, value: 99)
    let bench = try Self.bench {
      $0.stored[0] = Meter.Stored(number: 1, seconds: 700_000_000, value: 99)
      $0.stored[1] = twin
      twin.number = 3
    }
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 5])
  }

  @Test(arguments: [0x20, 0x0a, 0x27, 0xb3] as [UInt8], [8, 0x0f, 0, 0xff] as [UInt8])
  func errorsOfTheMeterEndTheSession(command: UInt8, status: UInt8) throws {
    let bench = try Self.bench { $0.refusals[command] = status }
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_METER_ERROR && bench.failure?.argument == UInt64(status))
    #expect(bench.committed.isEmpty)
  }

  // MARK: Pairing

  @Test func pairsOnceWhereTheMeterAnswersPairedHostsOnly() throws {
    let bench = try Self.bench { $0.wantsPairing = true }
    bench.opening.security = 1
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 5])
    #expect(bench.actions.filter { $0.kind == MH_DO_PAIR }.count == 1)
  }

  @Test(arguments: [0x05, 0x0f] as [Int32])
  func pairsOnceWhereTheLinkMustBeEncrypted(error: Int32) throws {
    let bench = try Self.bench { _ in }
    bench.opening.security = 1
    bench.attError = error
    try bench.run()
    #expect(bench.finished && bench.numbers == [1, 2, 3, 4, 5])
    #expect(bench.actions.filter { $0.kind == MH_DO_PAIR }.count == 1)
  }

  @Test func notPairedIsSaid() throws {
    // Encrypted, and still 07.
    let refusing = try Self.bench { $0.refusals[0x20] = 7 }
    try refusing.run()
    #expect(refusing.failure?.code == MH_FAIL_NOT_PAIRED && refusing.failure?.argument == 7)
    #expect(!refusing.actions.contains { $0.kind == MH_DO_PAIR })
    // Paired now, and still 07.
    let stubborn = try Self.bench { $0.refusals[0x27] = 7 }
    stubborn.opening.security = 1
    try stubborn.run()
    #expect(stubborn.failure?.code == MH_FAIL_NOT_PAIRED)
    #expect(stubborn.actions.filter { $0.kind == MH_DO_PAIR }.count == 1)
  }

  @Test func pairsOnceOnlyEvenWhenTheLinkLosesItsEncryption() throws {
    var opening = TestOpening()
    opening.security = 1
    let session = try TestHost(bundle: "onetouch").open(opening)
    session.commit(.vendorServices(OneTouchBench.handles, service: OneTouchBench.service))
    #expect(session.commit(.subscribed(token: 1, status: 5)).actions.map(\.kind).contains(MH_DO_PAIR))
    session.commit(.encrypted(2))
    session.commit(.encrypted(1))
    let unit = session.commit(.subscribed(token: 1, status: 5))
    #expect(unit.actions.map(\.kind) == [MH_DO_FAIL] && unit.actions[0].code == MH_FAIL_NOT_PAIRED)
  }

  @Test func anotherErrorIsNotMistakenForPairing() throws {
    let bench = try Self.bench { _ in }
    bench.opening.security = 1
    bench.attError = 0x80
    try bench.run()
    #expect(bench.failure?.code == MH_FAIL_COMMUNICATION && bench.failure?.argument == 0x80)
    #expect(!bench.actions.contains { $0.kind == MH_DO_PAIR })
  }

  // MARK: The rest of the contract

  @Test func meterWithoutTheServiceIsNotSupported() throws {
    let session = try TestHost(bundle: "onetouch").open()
    let unit = session.commit(.services([(10, 0x18, 0x2a18)], service: 0x1808))
    #expect(unit.actions.map(\.kind) == [MH_DO_FAIL] && unit.actions[0].code == MH_FAIL_UNSUPPORTED_METER)
  }

  @Test func cancelEndsAtOnce() throws {
    let session = try TestHost(bundle: "onetouch").open()
    session.commit(.vendorServices(OneTouchBench.handles, service: OneTouchBench.service))
    session.commit(.subscribed(token: 1))
    #expect(session.commit(.cancel).actions.last?.kind == MH_DO_FINISH)
    #expect(session.commit(.notification(13, [0x81])).actions.isEmpty)
  }

  @Test func changedServicesStartAgain() throws {
    let bench = try Self.bench { _ in }
    let session = try bench.host.open()
    session.commit(.vendorServices(OneTouchBench.handles, service: OneTouchBench.service))
    session.commit(.subscribed(token: 1))
    session.commit(.servicesChanged)
    #expect(session.commit(.notification(13, [0x81])).actions.isEmpty)
    let unit = session.commit(.vendorServices(OneTouchBench.handles, service: OneTouchBench.service))
    #expect(unit.actions.map(\.kind) == [MH_DO_SUBSCRIBE])
  }

  @Test func aRefusedStorageFailsTheSession() throws {
    let host = try TestHost(bundle: "onetouch")
    host.state.refusesStorage = true
    let session = try host.open()
    session.commit(.vendorServices(OneTouchBench.handles, service: OneTouchBench.service))
    #expect(session.send(.subscribed(token: 1)).status == MH_E_DENIED)
  }

  @Test func othersValuesAreIgnored() throws {
    let session = try TestHost(bundle: "onetouch").open()
    session.commit(.vendorServices(OneTouchBench.handles, service: OneTouchBench.service))
    session.commit(.subscribed(token: 1))
    #expect(session.send(.notification(99, [0x81])) == TestUnit())
    #expect(session.send(.notification(13, [1, 2, 3])).status == MH_E_PROTOCOL)
    #expect(session.send(.notification(13, [0x81])) == TestUnit())
  }

  /// Valid frames around arbitrary payloads, in any order: no crash, and every record is one that the contract takes.
  @Test func hostilePayloadsNeverBecomeImplausibleReadings() throws {
    var generator = SeededGenerator(seed: 0x30)
    for _ in 0..<60 {
      let bench = try Self.bench { meter in
        meter.newest = UInt32.random(in: 0...70_000, using: &generator)
        meter.count = UInt16.random(in: 0...40, using: &generator)
        meter.clock = .random(in: 0...UInt32.max, using: &generator)
        meter.fragmentSize = Int.random(in: 2...20, using: &generator)
        meter.stored = (0..<40).map { index in
          Meter.Stored(
            number: UInt16(truncatingIfNeeded: (meter.newest ?? 0) &- UInt32(index)),
            seconds: .random(in: 0...UInt32.max, using: &generator),
            value: .random(in: 0...UInt16.max, using: &generator) >> UInt16.random(in: 0...9, using: &generator),
            control: UInt8.random(in: 0...1, using: &generator),
            rest: (0..<Int.random(in: 0...6, using: &generator)).map { _ in UInt8.random(in: 0...1, using: &generator) }
          )
        }
      }
      try bench.run()
      #expect(bench.finished != (bench.failure != nil))
      for record in bench.committed.values {
        #expect((20...600).contains(record.values[0].raw) && record.values.count == 1)
      }
    }
  }
}
