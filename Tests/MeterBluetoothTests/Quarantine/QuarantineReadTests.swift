import DriverContract
import Foundation
import MeterDrivers
import Testing
import VirtualMeter

@testable import MeterBluetooth
@testable import MeterCore
import TestSupport

/// R24: who is set aside when a driver fails, and who is not.
@Suite("R24 quarantine", .jumpingTime, .timeLimit(.minutes(60)))
struct QuarantineReadTests {
  private func bench(_ staged: StagedRegistry, _ meters: VirtualMeter...) throws -> ReadBench {
    try ReadBench(BenchRadio(meters), staged: staged)
  }

  /// The same gateway, later, with other meters around.
  private func read(_ bench: ReadBench, _ staged: StagedRegistry, _ meter: VirtualMeter) async throws -> ReadResult {
    let controller = PeripheralController(
      registry: staged.registry, bundles: staged.bundles, drivers: bench.drivers, store: bench.store,
      radio: BenchRadio([meter]))
    var result = ReadResult()
    for await event in try controller.read(peripheral: WeakDriver.peripheral, options: .vouched) { result.add(event) }
    return result
  }

  @Test("a hostile meter is set aside with its second crash, what it gave before stays, and other meters are read")
  func hostileMeter() async throws {
    let staged = try WeakDriver.staged()
    let bench = try bench(staged)
    for round in 1...2 {
      let result = try await read(bench, staged, WeakDriver.meter(1, isHostile: true))
      #expect(result.error?.code == .driverCrashed && result.error?.message.contains("R24") == true)
      #expect(result.error?.message.contains("is not used with it until") == (round == 2))
      #expect(try bench.readings.map(\.value) == [36.0, 36.1])
    }
    let third = try await read(bench, staged, WeakDriver.meter(1, isHostile: true))
    #expect(third.error?.code == .driverQuarantined)
    #expect(third.error?.message.contains("meterhost driver quarantine") == true)
    let other = try await read(bench, staged, WeakDriver.meter(2))
    #expect(other.end == "completed" && other.summary.records.count == 2)
    #expect(try bench.readings.count == 4)
    // It may become a good meter: lifted, it is read again, and its count begins anew.
    try bench.store.changeOffences(of: try #require(try bench.store.offences().first).bundle) { _ in [] }
    #expect(try await read(bench, staged, WeakDriver.meter(1)).end == "completed")
    #expect(try bench.readings.count == 4)
  }

  @Test("however many strangers crash it, the bundle goes on for everybody else")
  func strangers() async throws {
    let staged = try WeakDriver.staged()
    let bench = try bench(staged)
    for number in 1...5 {
      #expect(
        try await read(bench, staged, WeakDriver.meter(number, isHostile: true)).error?.code == .driverCrashed)
    }
    #expect(try bench.store.offences().allSatisfy { $0.meter != nil })
    #expect(try await read(bench, staged, WeakDriver.meter(9)).end == "completed")
  }

  @Test("a bundle that fails with three meters that were read before is set aside for all")
  func threeMeters() async throws {
    let staged = try WeakDriver.staged()
    let bench = try bench(staged)
    for number in 1...3 { #expect(try await read(bench, staged, WeakDriver.meter(number)).end == "completed") }
    for number in 1...3 {
      let result = try await read(bench, staged, WeakDriver.meter(number, isHostile: true))
      #expect(result.error?.code == .driverCrashed)
      #expect(result.error?.message.contains("is in quarantine") == (number == 3))
    }
    // Before the radio is touched.
    let error = await #expect(throws: BluetoothError.self) { try await read(bench, staged, WeakDriver.meter(4)) }
    #expect(error?.code == .driverQuarantined && error?.message.contains("driver quarantine lift") == true)
    #expect(try bench.readings.count == 6)
  }

  @Test("a session that ends well makes the next fault the first again")
  func success() async throws {
    let staged = try WeakDriver.staged()
    let bench = try bench(staged)
    for _ in 1...3 {
      #expect(try await read(bench, staged, WeakDriver.meter(1, isHostile: true)).error?.code == .driverCrashed)
      #expect(try await read(bench, staged, WeakDriver.meter(1)).end == "completed")
    }
    #expect(try bench.store.offences().isEmpty)
  }

  static let inconclusive: [SessionMachine.Outcome] = [
    .meterDisconnected(reason: 8), .failed(.meterError, subcode: 0, text: ""), .cancelled, .readingTimeout,
    .sessionTimeout,
  ]

  @Test("a session that did not end well is no word for the driver: the count goes on", arguments: inconclusive.indices)
  func noWord(index: Int) async throws {
    let staged = try WeakDriver.staged()
    let bench = try bench(staged)
    let surroundings = ReadSurroundings(
      registry: staged.registry, bundles: staged.bundles, drivers: bench.drivers, store: bench.store,
      traffic: AirTraffic(BenchRadio([]), clock: .ofTest))
    let plan = try surroundings.plan(for: WeakDriver.peripheral)
    let meter = MeterIdentity(serial: "W-1", model: nil, systemID: nil, address: "00:00:00:00:01:01")
    func judge(_ outcome: SessionMachine.Outcome) -> QuarantinePolicy.Verdict {
      let report = SessionReport(outcome: outcome, link: LinkReport(began: JumpingClock.ofTest.now))
      return surroundings.judge(report, of: plan, with: meter, brought: ReadSummary())
    }
    let crash = DriverFault(.crashed, driver: WeakDriver.id, rule: "R24", message: "it crashed")
    #expect(judge(.driverFault(crash)) == .free)
    #expect(judge(Self.inconclusive[index]) == .free)
    #expect(try bench.store.offences().map(\.count) == [1])
    #expect(judge(.finished) == .free)
    #expect(try bench.store.offences().isEmpty)
  }

  @Test("a bundle that cannot even be opened is set aside at once, whatever the meter")
  func opening() async throws {
    let staged = try WeakDriver.staged("DIES_AT_OPEN")
    let bench = try bench(staged)
    let result = try await read(bench, staged, WeakDriver.meter(1))
    #expect(result.error?.code == .driverCrashed && result.error?.message.contains("is in quarantine") == true)
    let error = await #expect(throws: BluetoothError.self) { try await read(bench, staged, WeakDriver.meter(2)) }
    #expect(error?.code == .driverQuarantined)
  }

  @Test("a meter whose name kills the driver when it is opened is the meter's fault")
  func openingByAMeter() async throws {
    let staged = try WeakDriver.staged("DIES_OF_ITS_NAME")
    let bench = try bench(staged)
    for _ in 1...2 {
      let result = try await read(bench, staged, WeakDriver.meter(1, name: "a name of its own"))
      #expect(result.error?.code == .driverCrashed && result.error?.message.contains("is in quarantine") == false)
    }
    #expect(
      try await read(bench, staged, WeakDriver.meter(1, name: "a name of its own")).error?.code == .driverQuarantined)
    #expect(try await read(bench, staged, WeakDriver.meter(2)).end == "completed")
  }

  @Test("a driver that dies when it is closed loses nothing, and is noted")
  func closing() async throws {
    let staged = try WeakDriver.staged("DIES_AT_CLOSE")
    let bench = try bench(staged)
    let result = try await read(bench, staged, WeakDriver.meter(1))
    #expect(result.end == "completed")
    #expect(try bench.readings.count == 2)
    #expect(try bench.store.offences().map(\.count) == [1])
  }
}
