import BluetoothWire
import DriverContract
import Foundation
import MeterCore
import MeterDrivers
import Synchronization
import Testing
import VirtualMeter

@testable import MeterBluetooth
import TestSupport

/// Passive reading beside what a person does, has set and has chosen.
@Suite("Passive reading and people", .jumpingTime, .timeLimit(.minutes(60)))
struct PassiveCourtesyTests {
  private func weights(_ bench: ReadBench) throws -> [Double] { try bench.readings.map(\.value) }

  private func beacon(_ air: SpokenAir) throws -> (bench: ReadBench, passive: PassiveManager) {
    let bench = try ReadBench(air)
    return (bench, bench.passive(.holdOff(.milliseconds(50))))
  }

  private func nextRead(_ events: inout AsyncStream<PassiveEvent>.Iterator) async -> [String] {
    var words: [String] = []
    while let event = await events.next() {
      switch event {
      case .isReady(let peripheral, _): words.append("ready \(peripheral)")
      case .didRead(let peripheral, _, let summary): return words + ["read \(peripheral): \(summary.records.count)"]
      case .didFail(let peripheral, _, let error): words.append("failed \(peripheral): \(error.code.rawValue)")
      }
    }
    return words
  }

  @Test("a meter that announces says that it is ready, and no other")
  func ready() async throws {
    let air = SpokenAir([Beacon.says(.ready)])
    let bench = try ReadBench(air)
    let passive = bench.passive()
    var events = passive.events().makeAsyncIterator()
    try passive.choose([Beacon.peripheral])
    guard case .isReady(Beacon.peripheral, _) = await events.next() else {
      Issue.record("it has not said that it is ready")
      return
    }
    air.say(Beacon.says(.stableLast))
    #expect(await nextRead(&events) == ["read \(Beacon.peripheral): 1"])
    try await ReadBench.withAir([try BenchMeter.glucose()]) { bench, _ in
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([1000])
      #expect(await nextRead(&events) == ["read 1000: 5"])
    }
  }

  @Test("a live advertisement that a person has read is not read again passively while it goes on")
  func personWasFirst() async throws {
    let air = SpokenAir()
    let (bench, passive) = try beacon(air)
    var events = passive.events().makeAsyncIterator()
    let started = Gate()
    let reading = Task {
      try await bench.read(Beacon.peripheral) { event in if case .started = event { started.open() } }
    }
    await started.pass()
    try passive.choose([Beacon.peripheral])
    air.say(Beacon.says(.stableLast))
    #expect(try await reading.value.end == "completed")
    // The next scale is read, behind repeats of the first.
    for _ in 0..<20 { air.say(Beacon.says(.stableLast)) }
    air.say(Beacon.says(.stableLast, 8000, from: 2))
    #expect(await nextRead(&events) == ["read \(Beacon.peripheral): 1"])
    #expect(try weights(bench) == [71.5, 80])
  }

  @Test("a person who asks for what was just read passively is told of that, and nothing is read twice")
  func passiveWasFirst() async throws {
    let air = SpokenAir([Beacon.says(.stableLast)])
    let (bench, passive) = try beacon(air)
    var events = passive.events().makeAsyncIterator()
    try passive.choose([Beacon.peripheral])
    #expect(await nextRead(&events) == ["read \(Beacon.peripheral): 1"])
    let started = Gate()
    let reading = Task {
      try await bench.read(Beacon.peripheral, .with { $0.takesHistory = false }) { event in
        if case .started = event { started.open() }
      }
    }
    await started.pass()
    air.say(Beacon.says(.stableLast))
    let result = try await reading.value
    #expect(result.end == "already delivered" && result.summary.records.count == 1)
    #expect(try weights(bench) == [71.5])
  }

  @Test("a meter rests as long as a person has set for it")
  func holdOffOfTheMeter() async throws {
    let meter = try BenchMeter.glucose()
    let bench = try ReadBench(BenchRadio([meter]))
    let identity = MeterIdentity(serial: "B-1", model: nil, systemID: nil, address: "")
    try bench.store.noteMeter(
      MeterSighting(
        identity, peripheral: 1000, address: meter.script.address.description, addressKind: .random, isRead: false))
    try bench.store.changeMeterSettings(of: identity.peripheralUUID) { $0.holdOffSeconds = 9 }
    let passive = bench.passive()
    var events = passive.events().makeAsyncIterator()
    try passive.choose([1000])
    #expect(await nextRead(&events) == ["read 1000: 5"])
    let rests = bench.traffic.state.withLock { state in
      state.schedule.book.meters.compactMap { known -> Duration? in
        if case .resting(let rest) = known.phase { rest.holdOff } else { nil }
      }
    }
    #expect(rests == [.seconds(9)])
  }

  @Test("what runs when passive reading is stopped ends behind a commit, and the next start brings the rest")
  func stopped() async throws {
    let (arrived, gate, meter) = (Gate(), Gate(), try BenchMeter.glucose())
    let bench = try ReadBench(
      BenchRadio([meter]) {
        arrived.open()
        await gate.pass()
      })
    let passive = bench.passive()
    var events = passive.events().makeAsyncIterator()
    try passive.choose([1000])
    await arrived.pass()
    passive.stop()
    gate.open()
    await passive.settle(within: .seconds(60))
    let before = try bench.readings.count
    #expect(bench.traffic.state.withLock { $0.schedule.runningWorks.isEmpty })
    try passive.start()
    if before < 5 { #expect(await nextRead(&events) == ["read 1000: \(5 - before)"]) }
    #expect(try bench.readings == BenchMeter.glucoseReadings())
  }

  @Test("who waits for what runs finds all that it has come to in the log")
  func logged() async throws {
    let (arrived, gate, meter) = (Gate(), Gate(), try BenchMeter.glucose())
    let bench = try ReadBench(
      BenchRadio([meter]) {
        arrived.open()
        await gate.pass()
      })
    try bench.slowLog()
    let passive = bench.passive()
    try passive.choose([1000])
    await arrived.pass()
    gate.open()
    await passive.settle(within: .seconds(600))
    let counts = try bench.store.events(after: 0).events.compactMap { logged -> Int? in
      if case .meterRead(let reading) = logged.event { reading.records.count } else { nil }
    }
    #expect(counts == [5])
  }

  @Test("entries that tie are read only as the one that a person has chosen for the meter")
  func tie() async throws {
    let rules = #""match": [{"services": ["FFF0"]}]"#
    let staged = try StagedRegistry { text in
      var text = text
      for id in [30_001, 30_002] {
        let peripheral = """
          {"id": \(id), "kind": "bluetooth", "name": "Twin \(id)", "manufacturer": "tests", "model": "twin",
           "type": "glucose_meter", "requires_pairing": false, "instructions": "Switch it on.", "reading_instructions": "",
           "connection_kind": "connect", "supported_since": "0.1.0", "maturity": "alpha", "stored_history": true,
           "passive": "yes", "announces_before_measurement": false, "driver": "org.meterhost.glucose", \(rules),
           "services": [{"uuid": "1808", "required": true, "characteristics": [{"uuid": "2A18", "required": true}]}]},
          """
        text = text.replacingOccurrences(of: "\"peripherals\": [", with: "\"peripherals\": [" + peripheral)
      }
      return text
    }
    let twins = [30_001, 30_002].compactMap { staged.registry.peripheral(id: $0) }
    try #require(twins.count == 2)
    let report = AdvertisingReport(
      eventType: .connectable, address: BluetoothAddress(value: 7), rssi: -50,
      data: AdvertisingData([.flags(6)] + AdvertisingData.Structure.services([0xFFF0])).encoded)
    let demands: [UInt32: RadioSchedule.DemandID] = [30_001: 1, 30_002: 2]
    for (choice, expected) in [(nil, []), (30_001, [1]), (30_002, [2]), (77, [])] as [(UInt32?, [UInt64])] {
      let matching = PassiveMatching(peripherals: twins, demands: demands, clock: .ofTest) { _ in choice }
      #expect(matching.demands(report).map(\.0.rawValue) == expected)
    }
  }
}
