import BluetoothWire
import MeterDrivers
import MeterCore
import Testing
import VirtualMeter

@testable import MeterBluetooth
import TestSupport

@Suite("Giving up", .jumpingTime, .timeLimit(.minutes(60)))
struct CancellationTests {
  @Test("before any meter was heard")
  func beforeAdvertisement() async throws {
    let bench = try ReadBench()
    let result = try await bench.read(1000) { event in
      if case .started = event { bench.controller.cancel() }
    }
    #expect(result.words == ["started", "cancelled"])
    #expect(!bench.controller.operationInProgress)
  }

  @Test("while the meter is being connected; a link that comes later is dropped")
  func duringConnect() async throws {
    let (arrived, gate) = (Gate(), Gate())
    let meter = try BenchMeter.glucose()
    var events = meter.events().makeAsyncIterator()
    let radio = BenchRadio([meter]) {
      arrived.open()
      await gate.pass()
    }
    let bench = try ReadBench(radio)
    let read = Task { try await bench.read(1000) }
    await arrived.pass()
    bench.controller.cancel()
    #expect(try await read.value.words == ["started", "cancelled"])
    gate.open()
    #expect(await events.next() == .connected(number: 1))
    #expect(await events.next() == .disconnected(.client), "nobody wanted it any more")
  }

  @Test("while discovery waits for the meter")
  func duringDiscovery() async throws {
    let meter = try BenchMeter.glucose(faults: #"{"kind": "malformed", "opcode": "0x07", "how": "silent"}"#)
    var events = meter.events().makeAsyncIterator()
    let bench = try ReadBench(meter)
    let read = Task { try await bench.read(1000) }
    while let event = await events.next() { if case .pdu = event { break } }
    bench.controller.cancel()
    #expect(try await read.value.words == ["started", "cancelled"])
    while let event = await events.next() { if case .disconnected = event { break } }
  }

  @Test(
    "while readings come: what is committed stays, and the driver may end in an orderly way",
    arguments: [false, true])
  func duringSession(isWarm: Bool) async throws {
    // The meter never says that it has sent everything.
    let meter = try BenchMeter.glucose(
      faults: #"{"kind": "malformed", "opcode": "0x1D", "how": "silent", "only_connection": \#(isWarm ? 2 : 1)}"#)
    let bench = try ReadBench(meter)
    if isWarm {
      _ = try await bench.read(1000)
      try bench.start("grace")
    }
    var events = meter.events().makeAsyncIterator()
    let result = try await bench.read(1000) { event in
      if case .shouldSubmit = event { bench.controller.cancel() }
    }
    #expect(result.end == "cancelled", "\(result.words)")
    #expect(result.summary.usedCache == isWarm)
    #expect(try !result.submitted.isEmpty && bench.readings.count >= result.submitted.count)
    // "Abort operation" went to the control point before the link did (Glucose Service 1.0.1, 3.4).
    var written: [[UInt8]] = []
    while let event = await events.next() {
      if case .disconnected = event { break }
      if case .pdu(_, .in, let bytes) = event, bytes.first == 0x12 { written.append(Array(bytes.dropFirst(3))) }
    }
    #expect(written.last == [0x03, 0x00], "\(written)")
    let clean = try await bench.read(1000)
    #expect(clean.end == "completed")
    // The second user is told what the meter held before, and nothing of it is delivered as theirs.
    let expected = BenchMeter.glucoseReadings().map { reading in
      var reading = reading
      if isWarm { reading.state = .held }
      return reading
    }
    #expect(try Set(bench.readings) == Set(expected) && bench.readings.count == 5)
  }

  @Test("at every event of a read, twice", arguments: 1...12)
  func everywhere(number: Int) async throws {
    let meter = try BenchMeter.glucose(records: 8)
    let bench = try ReadBench(meter, isolation: number % 2 == 0 ? .worker : .inProcess)
    var words = 0
    for await _ in try bench.controller.read(peripheral: 1000, options: .vouched) {
      words += 1
      if words == number {
        bench.controller.cancel()
        bench.controller.cancel()
      }
    }
    #expect(!bench.controller.operationInProgress)
    let clean = try await bench.read(1000)
    #expect(clean.end == "completed", "\(clean.words)")
    #expect(try Set(bench.readings) == Set(BenchMeter.glucoseReadings(8)) && bench.readings.count == 8)
  }

  @Test("by going away: the read of a caller that listens no more ends")
  func callerGoes() async throws {
    let meter = try BenchMeter.glucose(faults: #"{"kind": "malformed", "opcode": "0x1D", "how": "silent"}"#)
    var events = meter.events().makeAsyncIterator()
    let bench = try ReadBench(meter)
    let read = Task { try await bench.read(1000) }
    while let event = await events.next() { if case .connected = event { break } }
    read.cancel()
    _ = try await read.value
    while let event = await events.next() { if case .disconnected = event { break } }
  }

  @Test("without a read is harmless")
  func idle() throws {
    let bench = try ReadBench()
    bench.controller.cancel()
    #expect(!bench.controller.operationInProgress)
  }
}
