import BluetoothWire
import HostPrimitives
import MeterCore
import Synchronization
import Testing
import VirtualMeter

@testable import MeterBluetooth
import TestSupport

@Suite("Passive reading", .jumpingTime, .timeLimit(.minutes(60)))
struct PassiveManagerTests {
  /// Runs a meter on an air until the body is through.
  private func appearing<Value>(
    _ meter: VirtualMeter, in air: VirtualAir, _ body: () async throws -> Value
  ) async throws -> Value {
    let running = Task { try await meter.run(in: air) }
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    running.cancel()
    _ = await running.result
    return try result.get()
  }

  private func next(_ events: inout AsyncStream<PassiveEvent>.Iterator) async throws -> PassiveEvent {
    try #require(await events.next())
  }

  @Test("A chosen meter is read when it advertises, and a log entry says so")
  func readsChosen() async throws {
    try await ReadBench.withAir([]) { bench, air in
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([1000])
      try await appearing(BenchMeter.glucose(), in: air) {
        guard case .didRead(1000, let meter, let summary) = try await next(&events) else {
          Issue.record("it was not read")
          return
        }
        #expect(summary.records.count == 5)
        #expect(meter == MeterIdentity(serial: "B-1", model: nil, systemID: nil, address: "").peripheralUUID)
      }
      #expect(try bench.readings == BenchMeter.glucoseReadings())
      let logged = try bench.store.events(after: 0).events.map(\.event)
      guard case .meterRead(let reading) = logged.last else {
        Issue.record("\(logged)")
        return
      }
      #expect(reading.peripheral == 1000 && reading.records.count == 5)
    }
  }

  @Test("A meter that was read is left alone as long as it goes on advertising")
  func holdsOff() async throws {
    try await ReadBench.withAir([]) { bench, air in
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([1000, 4000])
      let first = try BenchMeter.glucose()
      try await appearing(first, in: air) {
        _ = try await next(&events)
        // Another one is read meanwhile: the first has been heard again many times by then.
        try await appearing(try BenchMeter.thermometer(), in: air) { _ = try await next(&events) }
      }
      #expect(first.counters.connections == 1)
    }
  }

  @Test("What was chosen is read after a restart; an empty set is off")
  func restored() async throws {
    try await ReadBench.withAir([]) { bench, air in
      try bench.passive().choose([4000])
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      #expect(passive.peripherals == [])
      try passive.start()
      #expect(passive.peripherals == [4000])
      try await appearing(try BenchMeter.thermometer(), in: air) { _ = try await next(&events) }
      try passive.choose([])
      #expect(try bench.store.passivePeripherals() == [])
      // Nobody listens any more: what was listening has been told to end.
      #expect(bench.traffic.state.withLock { state in state.radios.values.allSatisfy { $0.listening == nil } })
    }
  }

  @Test("What the catalogue does not have, or a person has to start, cannot be chosen", arguments: [77, 999_999])
  func refusesUnknown(_ id: UInt32) throws {
    let bench = try ReadBench()
    let passive = bench.passive()
    let error = #expect(throws: BluetoothError.self) { try passive.choose([1000, id]) }
    #expect(error?.code == .unknownPeripheral)
    #expect(try bench.store.passivePeripherals() == [])
  }

  @Test("A person's operation comes first; passive reading goes on behind it")
  func personFirst() async throws {
    try await ReadBench.withAir([]) { bench, air in
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([1000])
      // Nobody is there whom the person could read: the operation waits until it is given up.
      let (waits, glucose) = (Gate(), try BenchMeter.glucose())
      let read = Task { try await bench.read(3000) { event in if case .started = event { waits.open() } } }
      await waits.pass()
      let heard = Gate()
      let listening = Task {
        for try await report in bench.traffic.advertisements() where report.address == glucose.script.address {
          heard.open()
        }
      }
      try await appearing(glucose, in: air) {
        await heard.pass()
        #expect(try bench.readings.isEmpty)
        bench.controller.cancel()
        #expect(try await read.value.end == "cancelled")
        _ = try await next(&events)
      }
      listening.cancel()
      #expect(try bench.readings == BenchMeter.glucoseReadings())
    }
  }

  @Test("A person who comes while passive reading is at the meter gets what it brings")
  func handedOver() async throws {
    let (arrived, gate, meter) = (Gate(), Gate(), try BenchMeter.glucose())
    let radio = BenchRadio([meter]) {
      arrived.open()
      await gate.pass()
    }
    let bench = try ReadBench(radio)
    // One that nobody knows is broken off for a person.
    try bench.store.noteMeter(
      MeterSighting(
        MeterIdentity(serial: "B-1", model: nil, systemID: nil, address: ""), peripheral: 1000,
        address: meter.script.address.description, addressKind: nil, isRead: true))
    let passive = bench.passive()
    try passive.choose([1000])
    await arrived.pass()
    let result = try await bench.read(1000, .with { $0.takesHistory = false }) { event in
      if case .started = event { gate.open() }
    }
    #expect(result.words == ["started", "already delivered"])
    #expect(result.summary.records.count == 5)
    #expect(try bench.readings == BenchMeter.glucoseReadings())
  }

  @Test("A person who comes just behind passive reading gets what it has brought, once")
  func wasFaster() async throws {
    try await ReadBench.withAir([]) { bench, air in
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([1000])
      try await appearing(BenchMeter.glucose(), in: air) { _ = try await next(&events) }
      var options = ReadOptions.vouched
      options.connectionTimeout = .milliseconds(200)
      // Whoever asks for all that the meter has, or for another meter, asks for something else.
      #expect(try await bench.read(1000, options).error?.code == .connectionTimeout)
      options.takesHistory = false
      options.allowList = ["0A:00:00:00:00:77"]
      #expect(try await bench.read(1000, options).error?.code == .connectionTimeout)
      options.allowList = nil
      let result = try await bench.read(1000, options)
      #expect(result.end == "already delivered" && result.summary.records.count == 5)
      let again = try await bench.read(1000, options)
      #expect(again.error?.code == .connectionTimeout)
    }
  }

  @Test("A person who comes long after passive reading is told of it as long as the meter goes on advertising")
  func stillThere() async throws {
    try await ReadBench.withAir([]) { bench, air in
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([1000])
      try await appearing(BenchMeter.glucose(), in: air) {
        _ = try await next(&events)
        try await bench.traffic.clock.sleep(for: AirTraffic.deliveryMemory + .seconds(30))
        let result = try await bench.read(1000, .with { $0.takesHistory = false })
        #expect(result.end == "already delivered" && result.summary.records.count == 5, "\(result.words)")
      }
      #expect(try bench.readings == BenchMeter.glucoseReadings())
    }
  }

  @Test("A live value that a meter goes on showing is not read twice", arguments: [1, 3])
  func liveValue(records: Int) async throws {
    try await ReadBench.withAir([]) { bench, air in
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([4000])
      let meter = try BenchMeter.thermometer(hasClock: false, records: records)
      try await appearing(meter, in: air) {
        _ = try await next(&events)
        let result = try await bench.read(4000, .with { $0.takesHistory = false })
        #expect(result.words == ["started", "already delivered"] && result.summary.records.count == records)
        #expect(meter.counters.connections == 1)
        // Told once: whoever asks again wants the meter itself.
        let again = try await bench.read(4000, .with { $0.takesHistory = false })
        #expect(again.end != "already delivered" && meter.counters.connections == 2)
      }
    }
  }

  @Test("A meter that keeps its link open for the next measurement has passive reading's told, too")
  func nothingMore() async throws {
    try await ReadBench.withAir([]) { bench, air in
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([1000])
      let silent = #"{"kind": "malformed", "opcode": "0x1D", "how": "silent", "only_connection": 2}"#
      try await appearing(BenchMeter.glucose(faults: silent), in: air) {
        _ = try await next(&events)
        let result = try await bench.read(1000, .with { $0.takesHistory = false })
        #expect(result.end == "already delivered" && result.summary.records.count == 5, "\(result.words)")
      }
    }
  }

  @Test("A meter that was read and had nothing new is told, and so is its event")
  func nothingNew() async throws {
    try await ReadBench.withAir([]) { bench, air in
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([1000])
      for count in [5, 0, 0] {
        try await appearing(BenchMeter.glucose(), in: air) {
          guard case .didRead(1000, _, let summary) = try await next(&events) else {
            Issue.record("it was not read")
            return
          }
          #expect(summary.records.count == count && summary.revised.isEmpty)
        }
        // It is away for longer than its hold-off.
        try await bench.traffic.clock.sleep(for: .seconds(90))
      }
      let told = try bench.store.events(after: 0).events.compactMap { logged -> Int? in
        if case .meterRead(let reading) = logged.event { reading.records.count } else { nil }
      }
      #expect(told == [5, 0, 0])
    }
  }

  @Test("A meter that goes on advertising is looked at again, and told of only when it has something new")
  func steady() async throws {
    try await ReadBench.withAir([]) { bench, air in
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([1000])
      let meter = try BenchMeter.glucose()
      let identity = MeterIdentity(serial: "B-1", model: nil, systemID: nil, address: "")
      try bench.store.noteMeter(
        MeterSighting(
          identity, peripheral: 1000, address: meter.script.address.description, addressKind: .random, isRead: false))
      try bench.store.changeMeterSettings(of: identity.peripheralUUID) { $0.readAgainSeconds = 60 }
      try await appearing(meter, in: air) {
        _ = try await next(&events)
        try await bench.traffic.clock.sleep(for: .seconds(150))
      }
      #expect(meter.counters.connections >= 2, "it was looked at again")
      let told = try bench.store.events(after: 0).events.compactMap { logged -> Int? in
        if case .meterRead(let reading) = logged.event { reading.records.count } else { nil }
      }
      #expect(told == [5])
    }
  }

  @Test("A meter that fails is tried again by the clock of the air, after waits that grow")
  func retries() async throws {
    try await ReadBench.withAir([]) { bench, air in
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([1000])
      let drop = #"{"kind": "disconnect-after-pdu", "count": 1}"#
      var moments: [HostInstant] = []
      try await appearing(BenchMeter.glucose(faults: drop), in: air) {
        while moments.count < 6 {
          guard case .didFail(1000, _, _) = try await next(&events) else { return }
          moments.append(bench.traffic.clock.now)
        }
      }
      let waits = zip(moments, moments.dropFirst()).map { $1 - $0 }
      // A fifth more or less, and the time until it is heard and has dropped the link again.
      for (wait, delay) in zip(waits, [1, 3, 9, 27, 81]) {
        #expect(wait >= .milliseconds(800 * delay) && wait <= .milliseconds(1200 * delay + 5000), "\(waits)")
      }
      #expect(waits.count == 5)
    }
  }

  @Test("What passive reading has brought for one user is not told to the next")
  func ofAnotherUser() async throws {
    try await ReadBench.withAir([]) { bench, air in
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([1000])
      try await appearing(BenchMeter.glucose(), in: air) { _ = try await next(&events) }
      try bench.start("grace")
      var options = ReadOptions.vouched
      options.takesHistory = false
      options.connectionTimeout = .milliseconds(200)
      #expect(try await bench.read(1000, options).error?.code == .connectionTimeout)
    }
  }

  @Test("Without a session nothing is read passively; it begins with the next one")
  func noSession() async throws {
    try await ReadBench.withAir([]) { bench, air in
      _ = try bench.store.endSession()
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([1000])
      #expect(passive.peripherals == [1000])
      #expect(bench.traffic.state.withLock { state in state.radios.values.allSatisfy { $0.listening == nil } })
      try bench.start("grace")
      try await appearing(BenchMeter.glucose(), in: air) { _ = try await next(&events) }
      #expect(try bench.readings == BenchMeter.glucoseReadings())
    }
  }

  @Test("A failure is told with the meter, and the next attempt brings the rest")
  func failure() async throws {
    let meter = try BenchMeter.glucose(faults: #"{"kind": "disconnect-after-pdu", "count": 30, "only_connection": 1}"#)
    try await ReadBench.withAir([]) { bench, air in
      let passive = bench.passive()
      var events = passive.events().makeAsyncIterator()
      try passive.choose([1000])
      try await appearing(meter, in: air) {
        var words: [String] = []
        loop: while let event = await events.next() {
          switch event {
          case .didFail(1000, _, let error): words.append("failed \(error.code.rawValue)")
          case .didRead: words.append("read")
          default: break
          }
          if try bench.readings.count == 5, words.last == "read" { break loop }
        }
        #expect(words.contains { $0.hasPrefix("failed") })
      }
      #expect(try bench.readings == BenchMeter.glucoseReadings())
    }
  }

  @Test("Thousands who advertise do not starve a chosen meter")
  func crowd() async throws {
    let meter = try BenchMeter.glucose()
    let bench = try ReadBench(CrowdRadio(BenchRadio([meter]), strangers: 20_000))
    let passive = bench.passive()
    var events = passive.events().makeAsyncIterator()
    try passive.choose([1000])
    guard case .didRead = try await next(&events) else {
      Issue.record("it was not read")
      return
    }
    #expect(try bench.readings == BenchMeter.glucoseReadings())
    #expect(bench.traffic.state.withLock { $0.schedule.rememberedMeters } == 1)
  }
}

/// A radio that hears a crowd besides a meter, which comes last.
private final class CrowdRadio: WrappingRadio {
  let base: BenchRadio
  private let strangers: Int

  init(_ base: BenchRadio, strangers: Int) {
    self.base = base
    self.strangers = strangers
  }

  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> {
    let queue = AdvertisementQueue()
    for number in 0..<strangers {
      let data = AdvertisingData([.flags(6), .manufacturerData(company: 0x004C, [UInt8(number & 255), 1])])
      queue.put(
        AdvertisingReport(
          eventType: .connectable, address: BluetoothAddress(value: 0xC000_0000_0000 + UInt64(number), kind: .random),
          rssi: -50, data: data.encoded))
    }
    let task = Task { [base] in for try await report in base.advertisements() { queue.put(report) } }
    return queue.stream { task.cancel() }
  }
}
