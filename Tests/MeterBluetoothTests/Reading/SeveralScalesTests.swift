import BluetoothWire
import MeterCore
import MeterDrivers
import Testing

@testable import MeterBluetooth
import TestSupport

@Suite("Several scales in the air", .jumpingTime, .timeLimit(.minutes(60)))
struct SeveralScalesTests {
  @Test(
    "each has a session of its own, and a reading is of the address that sent it",
    arguments: [DriverHostConfiguration.Isolation.inProcess, .worker])
  func oneSessionEach(isolation: DriverHostConfiguration.Isolation) async throws {
    let air = SpokenAir()
    for step in 0..<20 as Range<UInt16> {
      for scale in 1...4 as ClosedRange<UInt8> { air.say(Beacon.says(.unstable, step, from: scale)) }
    }
    air.say(Beacon.says(.stableLast, 5000, from: 3))
    let bench = try ReadBench(air, isolation: isolation)
    let result = try await bench.read(Beacon.peripheral)
    #expect(result.end == "completed")
    #expect(result.words.filter { $0 == "connected" }.count == 4)
    #expect(result.submitted.map(\.record.source.deviceID) == [Beacon.address(3).description])
    #expect(result.submitted.flatMap(\.record.notes).map(\.text) == [Beacon.address(3).digits])
    #expect(!bench.controller.operationInProgress)
  }

  @Test("the first reading ends the read; one that another scale has sent by then is that scale's", arguments: 0..<10)
  func race(round: Int) async throws {
    let scales = (1...6 as ClosedRange<UInt8>).map { Beacon.says(.stableLast, 5000 + UInt16($0), from: $0) }
    let bench = try ReadBench(SpokenAir(scales.shuffled()))
    let result = try await bench.read(Beacon.peripheral)
    #expect(result.end == "completed" && !result.submitted.isEmpty)
    for record in result.submitted.map(\.record) {
      let number = UInt8(truncatingIfNeeded: (record.values.first?.number.mantissa ?? 0) - 5000)
      #expect(record.source.deviceID == Beacon.address(number).description)
      #expect(record.notes.map(\.text) == [Beacon.address(number).digits])
    }
    #expect(try bench.readings.count == result.submitted.count)
  }

  @Test("a scale that fails does not take the others with it")
  func oneFails() async throws {
    let air = SpokenAir([
      Beacon.says(.refuse, from: 1), Beacon.says(.needsLink, from: 2), Beacon.says(.crash, from: 3),
      Beacon.says(.unstable, from: 4),
    ])
    let bench = try ReadBench(air, isolation: .worker)
    // However long three workers take: the fourth scale is not gone meanwhile.
    let patient = ReadOptions.with { $0.session.holdOff = .seconds(600) }
    let result = try await bench.read(Beacon.peripheral, patient) { event in
      // The fourth is still there, and its value holds at last.
      if case .provisional = event { air.say(Beacon.says(.stableLast, 6000, from: 4)) }
    }
    #expect(result.end == "completed", "\(result.words)")
    #expect(result.submitted.map(\.record.source.deviceID) == [Beacon.address(4).description])
  }

  @Test("who is not on the allow-list is not heard")
  func allowList() async throws {
    let air = SpokenAir([Beacon.says(.stableLast, 5000, from: 1), Beacon.says(.stableLast, 6000, from: 2)])
    let bench = try ReadBench(air)
    let options = ReadOptions.with { $0.allowList = [Beacon.address(2).description.lowercased()] }
    let result = try await bench.read(Beacon.peripheral, options)
    #expect(result.submitted.map(\.record.source.deviceID) == [Beacon.address(2).description])
    #expect(result.words.filter { $0 == "connected" }.count == 1)
    let none = try await ReadBench(SpokenAir([Beacon.says(.stableLast)])).read(
      Beacon.peripheral, .with { $0.allowList = [] })
    #expect(none.words == ["started", "failed connection_timeout"])
  }

  @Test("a meter that is silent, or of another kind, is a time-out as with a connection")
  func silence() async throws {
    let stranger = AdvertisingReport(
      eventType: .connectable, address: Beacon.address(9), rssi: 0,
      data: AdvertisingData(AdvertisingData.Structure.services([0x1808])).encoded)
    for reports in [[], [stranger, Beacon.responds("scale")]] {
      let result = try await ReadBench(SpokenAir(reports)).read(
        Beacon.peripheral, .with { $0.connectionTimeout = .milliseconds(50) })
      #expect(result.words == ["started", "failed connection_timeout"])
      #expect(result.error?.message.contains("Step on it.") == true)
    }
  }

  @Test("a radio that goes away ends the sessions in an orderly way, and is named when there is no reading")
  func radioGoes() async throws {
    let off = BluetoothError(.bluetoothOff, "the adapter was pulled out")
    let waiting = SpokenAir([Beacon.says(.hold)])
    waiting.end(off)
    let held = try ReadBench(waiting)
    #expect(try await held.read(Beacon.peripheral).end == "completed")
    #expect(try held.readings.map(\.value) == [71.58])
    let moving = SpokenAir([Beacon.says(.unstable)])
    moving.end(off)
    #expect(try await ReadBench(moving).read(Beacon.peripheral).end == "failed bluetooth_off")
    let empty = SpokenAir()
    empty.end()
    #expect(try await ReadBench(empty).read(Beacon.peripheral).end == "failed connection_timeout")
  }
}

@Suite("Giving up on advertisements", .jumpingTime, .timeLimit(.minutes(60)))
struct AdvertisementCancellationTests {
  @Test(
    "at every event, with several scales", arguments: 1...9, [DriverHostConfiguration.Isolation.inProcess, .worker])
  func everywhere(number: Int, isolation: DriverHostConfiguration.Isolation) async throws {
    let air = SpokenAir()
    for scale in 1...3 as ClosedRange<UInt8> {
      air.say(Beacon.says(.unstable, from: scale), Beacon.says(.stable, from: scale), Beacon.says(.hold, from: scale))
    }
    let bench = try ReadBench(air, isolation: isolation)
    var (words, last) = (0, "")
    var submitted = 0
    for await event in try bench.controller.read(peripheral: Beacon.peripheral, options: .vouched) {
      words += 1
      if words == number {
        bench.controller.cancel()
        bench.controller.cancel()
      }
      switch event {
      case .shouldSubmit(let records): submitted += records.count
      case .cancelled: last = "cancelled"
      case .completed, .failed: last = "ended otherwise"
      default: break
      }
    }
    #expect(last == "cancelled" && !bench.controller.operationInProgress)
    // What was told is on disk, and nothing else.
    #expect(try bench.readings.count == submitted)
  }

  @Test("before anybody was heard")
  func beforeAnybody() async throws {
    let bench = try ReadBench(SpokenAir())
    let result = try await bench.read(Beacon.peripheral) { event in
      if case .started = event { bench.controller.cancel() }
    }
    #expect(result.words == ["started", "cancelled"])
  }

  @Test("by going away")
  func callerGoes() async throws {
    let bench = try ReadBench(EndlessAir(Beacon.says(.unstable)), staged: try Beacon.staged.get())
    let heard = Gate()
    let read = Task {
      try await bench.read(Beacon.peripheral) { event in
        if case .provisional = event { heard.open() }
      }
    }
    await heard.pass()
    read.cancel()
    _ = try await read.value
    while bench.controller.operationInProgress { await Task.yield() }
  }
}
