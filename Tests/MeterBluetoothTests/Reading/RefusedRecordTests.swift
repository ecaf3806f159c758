import DriverContract
import MeterDrivers
import TestSupport
import Testing

@testable import MeterBluetooth
@testable import MeterCore

/// A driver that reports what cannot be loses nothing of what can: its unit, cursor included, is not committed.
@Suite("A reading that cannot be", .jumpingTime, .timeLimit(.minutes(60)))
struct RefusedRecordTests {
  static func unit(_ sequence: UInt64, unit code: UInt16 = 2) -> DriverUnit {
    let value = DriverValue(metric: 1, unit: code, exponent: 0, qualifier: .exact, value: 111, raw: 111)
    let record = DriverRecord(
      kind: .measurement, timeKind: .civil, startMicroseconds: 1_537_396_027_000_000,
      endMicroseconds: 1_537_396_027_000_000, deviceSequence: sequence, identity: [UInt8(sequence)],
      identityClass: .stored, values: [value])
    return DriverUnit(records: [record], writes: [DriverStorageWrite(key: "user/cursor", value: [UInt8(sequence)])])
  }

  @Test("what came before it is on disk, it and what follows stay in the meter, and the driver is named")
  func refused() async throws {
    let bench = try ReadBench(try BenchMeter.glucose())
    let staged = try StagedRegistry.shared.get()
    let peripheral = try #require(staged.registry.peripheral(id: 1000))
    let driver = try #require(staged.registry.driver(id: "org.meterhost.glucose"))
    let plan = ReadPlan(peripheral: peripheral, driver: driver, bundle: try staged.bundles.bundle(for: driver))
    let meter = MeterDescription(address: "00:00:00:00:00:01", name: nil, information: DeviceInformation())
    let (_, sink) = AsyncStream<ReadEvent>.makeStream()
    let session = try bench.store.currentSession()
    let committer = SessionCommitter(
      store: bench.store, plan: plan, meter: meter, session: session, assignment: nil, options: .vouched,
      advertised: JumpingClock.ofTest.now, clock: .ofTest, ledger: ReadLedger(), sink: sink)
    // Unit 4 is the degree Celsius: no unit of glucose.
    let fault = await #expect(throws: DriverFault.self) {
      try await committer.commit([Self.unit(1), Self.unit(2, unit: 4), Self.unit(3)])
    }
    #expect(fault?.code == .brokeRule && fault?.rule == "R12" && fault?.driver == "org.meterhost.glucose")
    #expect(try bench.store.queueSnapshot().map { $0.record?.deviceSequence } == [1])
    let storage = try bench.store.storage(
      generation: session.generation, family: driver.familyID, meter: meter.identity)
    #expect(storage["user/cursor"] == [1])
  }
}
