import CMeterDriver
@testable import DriverTestBench
import Testing

@Suite struct BloodPressureSessionTests {
  let reading = SimulatedMonitor.measurement(day: 1)
  let failed: [UInt8] = [0x16, 0xff, 7, 0xff, 7, 0xff, 7, 0xe8, 7, 6, 23, 14, 35, 10, 0xff, 7, 1, 0]
  let cuff: [UInt8] = [0, 140, 0, 0xff, 7, 0xff, 7]

  func measuring(_ host: TestHost, _ opening: TestOpening = TestOpening()) throws -> TestSession {
    let session = try host.open(opening)
    session.commit(.services(SimulatedMonitor.services, service: 0x1810))
    session.commit(.subscribed(token: 2))
    session.commit(.subscribed(token: 1))
    return session
  }

  @Test func readyComesWhenBothSubscriptionsAreInPlace() throws {
    let host = try TestHost(bundle: "blood-pressure")
    let session = try host.open()
    let start = session.commit(.services(SimulatedMonitor.services, service: 0x1810))
    #expect(start.actions.map(\.kind) == [MH_DO_SUBSCRIBE, MH_DO_SUBSCRIBE])
    #expect(start.actions.map(\.handle) == [23, 20])
    #expect(session.commit(.subscribed(token: 2, status: 3)).actions.isEmpty)
    let ready = session.commit(.subscribed(token: 1))
    #expect(ready.actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER])
    #expect(ready.actions[1].argument == 300_000_000_000)
    #expect(host.state.log.contains { $0.contains("refuses cuff pressures") })
  }

  @Test func finishesWhenTheMonitorFallsSilent() throws {
    let host = try TestHost(bundle: "blood-pressure")
    let session = try measuring(host)
    let unit = session.commit(.indication(20, reading))
    #expect(unit.records.map { $0.value(MH_METRIC_SYSTOLIC)?.value } == [120])
    #expect(unit.actions.map(\.kind) == [MH_DO_PROGRESS, MH_DO_TIMER])
    #expect(unit.actions.map(\.argument) == [1, 10_000_000_000])
    #expect(
      session.commit(.indication(20, SimulatedMonitor.measurement(day: 2))).actions.map(\.argument) == [
        2, 10_000_000_000,
      ])
    #expect(session.commit(.timer(9)) == TestUnit())
    #expect(session.commit(.timer(3)).actions.map(\.kind) == [MH_DO_FINISH])
    #expect(session.commit(.indication(20, reading)) == TestUnit())
  }

  /// A full cuff means that a reading is to come, also behind the readings of the memory.
  @Test func cuffPressuresAreProgressAndRestartTheWait() throws {
    let host = try TestHost(bundle: "blood-pressure")
    let session = try measuring(host)
    let unit = session.commit(.notification(23, cuff))
    #expect(unit.records.map(\.flags) == [MH_REC_PROVISIONAL])
    #expect(unit.records[0].values.map(\.metric) == [0x8000] && unit.records[0].values[0].value == 140)
    #expect(unit.actions.map(\.argument) == [300_000_000_000])
    session.commit(.indication(20, reading))
    #expect(session.commit(.notification(23, cuff)).actions.map(\.argument) == [300_000_000_000])
    #expect(session.commit(.indication(20, reading)).actions.last?.argument == 10_000_000_000)
    let alone = try measuring(host)
    alone.commit(.notification(23, cuff))
    #expect(alone.commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
  }

  @Test func aFailedMeasurementIsNoReadingAndSaysSo() throws {
    let host = try TestHost(bundle: "blood-pressure")
    for end in [TestEvent.timer(3), .disconnected] {
      let session = try measuring(host)
      let unit = session.commit(.indication(20, failed))
      #expect(unit.records.isEmpty && unit.status == MH_OK)
      // The person may measure again.
      #expect(unit.actions.map(\.argument) == [300_000_000_000])
      let fail = session.commit(end).actions
      #expect(fail.map(\.code) == [MH_FAIL_NO_READING] && fail.map(\.argument) == [1])
      #expect(fail[0].text.contains("measure again"))
    }
    #expect(host.state.log.contains { $0.contains("failed measurement") })
    let again = try measuring(host)
    again.commit(.indication(20, failed))
    #expect(again.commit(.indication(20, reading)).records.count == 1)
    #expect(again.commit(.disconnected).actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func silenceWithoutAnythingFails() throws {
    let host = try TestHost(bundle: "blood-pressure")
    #expect(try measuring(host).commit(.timer(3)).actions.map(\.code) == [MH_FAIL_NO_READING])
    #expect(try measuring(host).commit(.disconnected).actions.map(\.code) == [MH_FAIL_COMMUNICATION])
    #expect(try measuring(host).commit(.cancel).actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func aShortPacketIsRefusedAndTheSessionGoesOn() throws {
    let host = try TestHost(bundle: "blood-pressure")
    let session = try measuring(host)
    let unit = session.commit(.indication(20, Array(reading.dropLast())))
    #expect(unit.status == MH_E_PROTOCOL && unit.records.isEmpty && unit.actions.isEmpty)
    #expect(session.commit(.indication(20, reading)).records.count == 1)
    // What nobody subscribed to is nothing.
    #expect(session.commit(.indication(99, reading)) == TestUnit())
  }

  @Test func aReadingBeforeTheLastSubscriptionCounts() throws {
    let host = try TestHost(bundle: "blood-pressure")
    let session = try host.open()
    session.commit(.services(SimulatedMonitor.services, service: 0x1810))
    session.commit(.subscribed(token: 1))
    #expect(session.commit(.indication(20, reading)).records.count == 1)
    #expect(session.commit(.subscribed(token: 2)).actions.map(\.argument) == [0, 10_000_000_000])
  }

  @Test func aMeterWithoutTheCharacteristicIsRefused() throws {
    let host = try TestHost(bundle: "blood-pressure")
    for (list, service) in [
      ([(handle: UInt16(20), properties: UInt16(0x20), id: UInt16(0x2a36))], UInt16(0x1810)),
      ([(20, 0x02, 0x2a35)], 0x1810), ([(20, 0x20, 0x2a35)], 0x1809),
    ] {
      #expect(
        try host.open().commit(.services(list, service: service)).actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    }
    let refusing = try host.open()
    refusing.commit(.services([(20, 0x20, 0x2a35)], service: 0x1810))
    let refused = refusing.commit(.subscribed(token: 1, status: 5)).actions
    #expect(refused.map(\.code) == [MH_FAIL_COMMUNICATION] && refused.map(\.argument) == [5])
    #expect(host.openStatus(TestOpening(purpose: 99)) == MH_E_UNSUPPORTED)
  }

  @Test func changedServicesStartAgain() throws {
    let host = try TestHost(bundle: "blood-pressure")
    let session = try measuring(host)
    #expect(session.commit(.servicesChanged).actions.map(\.kind) == [MH_DO_CANCEL_TIMER])
    #expect(session.commit(.indication(20, reading)) == TestUnit())
    let again = session.commit(.services([(30, 0x20, 0x2a35)], service: 0x1810))
    #expect(again.actions.map(\.handle) == [30])
    #expect(session.commit(.subscribed(token: 1)).actions.map(\.kind) == [MH_DO_READY, MH_DO_TIMER])
    #expect(session.commit(.indication(30, reading)).records.count == 1)
  }

  @Test func pairingReadsNothing() throws {
    let host = try TestHost(bundle: "blood-pressure")
    let session = try host.open(TestOpening(purpose: UInt32(MH_PURPOSE_PAIR), security: 1))
    #expect(session.commit(.services(SimulatedMonitor.services, service: 0x1810)).actions.map(\.kind) == [MH_DO_PAIR])
    #expect(session.commit(.encrypted(1)).actions.isEmpty)
    #expect(session.commit(.encrypted(2)).actions.map(\.kind) == [MH_DO_FINISH])
  }

  @Test func aFullSinkLosesNothing() throws {
    let host = try TestHost(bundle: "blood-pressure")
    let (ample, tiny) = (try measuring(host), try measuring(host))
    tiny.capacities = Capacities(records: 1, values: 5, arena: 12, actionsPerRound: 1)
    for event in [TestEvent.indication(20, reading), .notification(23, cuff), .indication(20, failed)] {
      let (wide, narrow) = (ample.commit(event), tiny.commit(event))
      #expect(wide.records == narrow.records && wide.actions == narrow.actions)
    }
    let none = try measuring(host)
    none.capacities = Capacities(records: 0, values: 0, arena: 0, actionsPerRound: 0)
    var rounds = 0
    let unit = none.send(.indication(20, reading)) {
      rounds += 1
      if rounds == 3 { none.capacities = .ample }
    }
    #expect(unit.records.count == 1 && unit.actions.count == 2 && unit.rounds == 4)
  }

  // MARK: Memories

  /// The link breaks after every possible number of PDUs, and the monitor is read again: each record is stored once.
  @Test(arguments: SimulatedMonitor.Memory.allCases)
  func nothingIsLostOrDoubledWhereverTheLinkBreaks(memory: SimulatedMonitor.Memory) throws {
    let host = try TestHost(bundle: "blood-pressure")
    let records = (1...6).map { SimulatedMonitor.measurement(day: $0) }
    for pdus in 0...(2 + 2 * records.count) {
      var monitor = SimulatedMonitor(kind: memory, memory: records)
      let first = try monitor.connect(host, pdus: pdus)
      #expect(first?.kind == (pdus > 2 ? MH_DO_FINISH : MH_DO_FAIL))
      let before = monitor.stored.count
      #expect(before == min(records.count, max(0, pdus - 1) / 2))
      let second = try monitor.connect(host)
      #expect(monitor.stored.count == records.count, "broken after \(pdus)")
      #expect(Set(monitor.stored.values.map(\.time)).count == records.count)
      switch memory {
      case .resends: #expect(second?.kind == MH_DO_FINISH && monitor.repeated == before)
      // At most the one whose confirmation was lost comes twice, with the identity that it had.
      case .deletesOnConfirmation: #expect(monitor.repeated <= 1 && monitor.memory.isEmpty)
      }
    }
  }

  /// Both users' readings come, whoever reads: the host holds those of the other slot.
  @Test func nobodysReadingsAreDropped() throws {
    let host = try TestHost(bundle: "blood-pressure")
    let session = try measuring(host, TestOpening(parameters: [MH_PARAM_USER_SLOT: 2]))
    let users = [UInt8(0), 1, 2, 255].map { user in
      session.commit(.indication(20, [0x08, 120, 0, 80, 0, 0xff, 7, user])).records.map(\.deviceUser)
    }
    #expect(users == [[0], [1], [2], [nil]])
  }
}
