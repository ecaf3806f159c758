import DriverContract
import MeterDrivers
import TestSupport
import Testing

@testable import MeterBluetooth
@testable import MeterCore

/// What a driver reports of the meter itself is kept for the list of meters, and is no reading.
@Suite("What a meter tells of itself", .jumpingTime, .timeLimit(.minutes(60)))
struct ToldFactsTests {
  private static func unit(battery: Double? = nil, unit code: UInt16 = 9, firmware: String? = nil) -> DriverUnit {
    let values = battery.map { level in
      [DriverValue(metric: 200, unit: code, exponent: 0, qualifier: .exact, value: level, raw: Int64(level))]
    }
    let texts = firmware.map { [DriverText(field: 301, text: $0)] }
    let record = DriverRecord(
      kind: .deviceInfo, timeKind: .none, startMicroseconds: 0, endMicroseconds: 0, identity: [],
      identityClass: .live, values: values ?? [], texts: texts ?? [])
    return DriverUnit(records: [record])
  }

  @Test("battery and firmware, the last word of each")
  func lastWord() async throws {
    let bench = try ReadBench(try BenchMeter.glucose())
    let staged = try StagedRegistry.shared.get()
    let peripheral = try #require(staged.registry.peripheral(id: 1000))
    let driver = try #require(staged.registry.driver(id: "org.meterhost.glucose"))
    let plan = ReadPlan(peripheral: peripheral, driver: driver, bundle: try staged.bundles.bundle(for: driver))
    let meter = MeterDescription(address: "00:00:00:00:00:01", name: nil, information: DeviceInformation())
    let (_, sink) = AsyncStream<ReadEvent>.makeStream()
    let committer = SessionCommitter(
      store: bench.store, plan: plan, meter: meter, session: try bench.store.currentSession(), assignment: nil,
      options: .vouched, advertised: JumpingClock.ofTest.now, clock: .ofTest, ledger: ReadLedger(), sink: sink)
    #expect(committer.told == ToldFacts())
    _ = try await committer.commit([Self.unit(battery: 80, firmware: "1.0")])
    // 120 % and 3 V are no level.
    _ = try await committer.commit([Self.unit(battery: 120), Self.unit(battery: 3, unit: 4)])
    #expect(committer.told.batteryPercent == 80 && committer.told.firmware == "1.0")
    _ = try await committer.commit([Self.unit(battery: 79), Self.unit(firmware: "1.1")])
    #expect(committer.told.batteryPercent == 79 && committer.told.firmware == "1.1")
    #expect(try bench.store.queueSnapshot().isEmpty)
  }
}
