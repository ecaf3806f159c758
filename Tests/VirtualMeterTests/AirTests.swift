import BluetoothWire
import Foundation
import LinuxSockets
import Testing
import VirtualMeter

/// A folder of the test's own for the virtual radio, and the meters that run in it.
final class TestAir: Sendable {
  let air = VirtualAir(folder: "/tmp/mh-air-\(UUID().uuidString.prefix(8))")

  deinit { try? FileManager.default.removeItem(atPath: air.folder) }

  var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: air.folder)) ?? []).sorted() }

  /// Runs a meter while the body runs.
  func withMeter<Value: Sendable>(
    _ script: MeterScript,
    _ body: @Sendable (VirtualMeter, inout AsyncStream<MeterEvent>.Iterator) async throws -> Value
  ) async throws -> Value {
    let meter = VirtualMeter(script: script)
    var events = meter.events().makeAsyncIterator()
    let running = Task { try await meter.run(in: self.air) }
    #expect(await events.next() == .advertising)
    let result: Result<Value, any Error>
    do { result = .success(try await body(meter, &events)) } catch { result = .failure(error) }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    return try result.get()
  }
}

extension AsyncStream<MeterEvent>.Iterator {
  /// Waits for an event that fits.
  mutating func wait(for fits: (MeterEvent) -> Bool) async -> MeterEvent? {
    while let event = await next() { if fits(event) { return event } }
    return nil
  }
}

extension PacketSocket {
  func ask(_ request: ATTPDU) async throws -> ATTPDU? {
    try await send(request.encoded)
    return try await receive().map { try ATTPDU(decoding: $0) }
  }
}

@Suite("The virtual air", .timeLimit(.minutes(60)))
struct AirTests {
  let air = TestAir()

  @Test("advertise, connect, read, disconnect, advertise again; the files go with the meter")
  func wholeLife() async throws {
    let script = try ShippedScripts.load("contour-next-one")
    let air = air
    try await air.withMeter(script) { meter, events in
      #expect(air.files == ["546C0E780001.adv", "546C0E780001.att"])
      #expect(VirtualAir.address(ofAdvertisingSocket: air.files[0]) == script.address)
      let ear = try PacketSocket.connect(to: try air.air.advertisingPath(of: script.address))
      for _ in 0..<2 {
        let packet = try #require(try await ear.receive())
        let report = try #require(AdvertisingReport(decoding: packet))
        #expect(report == meter.advertisement)
        #expect(report.advertisingData.serviceUUIDs == [.glucose])
        #expect(report.advertisingData.localName == "Contour7800H5463128")
      }
      let link = try PacketSocket.connect(to: try air.air.attPath(of: script.address))
      #expect(try await link.ask(.readRequest(handle: 3)) == .readResponse(value: Array("Contour7800H5463128".utf8)))
      #expect(await events.next() == .connected(number: 1))
      #expect(await events.next() == .pdu(number: 1, direction: .in, bytes: [0x0A, 3, 0]))
      guard case .pdu(number: 2, direction: .out, _)? = await events.next() else {
        Issue.record("no trace of the answer")
        return
      }
      link.close()
      #expect(await events.next() == .disconnected(.client))
      #expect(await events.next() == .advertising)
      let counters = meter.counters
      #expect((counters.pdusIn, counters.pdusOut, counters.connections) == (1, 1, 1))
      while case .packet = try ear.tryReceive() {}
      #expect(try await ear.receive() == meter.advertisement.encoded)
    }
    #expect(air.files == [])
  }

  @Test("the records of a whole read arrive, and the next read gets them again")
  func wholeRead() async throws {
    let script = try ShippedScripts.load("contour-next-one")
    let air = air
    try await air.withMeter(script) { meter, events in
      for round in 1...2 {
        let link = try PacketSocket.connect(to: try air.air.attPath(of: script.address))
        let handles = try await Handles(link)
        for (handle, value) in [(handles.measurement, 1), (handles.context, 1), (handles.control, 2)]
          as [(UInt16, UInt8)]
        {
          #expect(try await link.ask(.writeRequest(handle: handle + 1, value: [value, 0])) == .writeResponse)
        }
        #expect(try await link.ask(.writeRequest(handle: handles.control, value: [1, 1])) == .writeResponse)
        var packets: [[UInt8]] = []
        for _ in 0..<5 { packets.append(try #require(try await link.receive())) }
        #expect(
          packets.prefix(4).map { Array($0.dropFirst(3)) } == [
            script.records[0].measurement, try #require(script.records[0].context), script.records[1].measurement,
            try #require(script.records[1].context),
          ])
        #expect(packets.last == ATTPDU.handleValueIndication(handle: handles.control, value: [6, 0, 1, 1]).encoded)
        try await link.send(ATTPDU.handleValueConfirmation.encoded)
        #expect(await events.wait { $0 == .procedureDone("racp") } != nil)
        link.close()
        #expect(await events.wait { $0 == .disconnected(.client) } != nil)
        #expect(meter.counters.connections == round)
      }
    }
  }

  /// The handles of the glucose characteristics, discovered as a client does.
  struct Handles {
    var (measurement, context, control): (UInt16, UInt16, UInt16) = (0, 0, 0)

    init(_ link: PacketSocket) async throws {
      var first: UInt16 = 1
      while case .readByTypeResponse(let list)? = try await link.ask(
        .readByTypeRequest(range: .init(first: first, last: 0xFFFF), type: .characteristic))
      {
        for entry in list {
          let handle = UInt16(entry.value[1]) | UInt16(entry.value[2]) << 8
          switch BluetoothUUID(littleEndian: entry.value.dropFirst(3)) {
          case .glucoseMeasurement: measurement = handle
          case .glucoseMeasurementContext: context = handle
          case .recordAccessControlPoint: control = handle
          default: break
          }
        }
        first = (list.last?.handle ?? 0xFFFE) + 1
      }
    }
  }

  @Test("a second client is turned away while the first goes on, and nothing is advertised")
  func secondClient() async throws {
    let script = try ShippedScripts.load("thermometer-with-clock")
    let air = air
    try await air.withMeter(script) { _, events in
      let first = try PacketSocket.connect(to: try air.air.attPath(of: script.address))
      #expect(await events.next() == .connected(number: 1))
      let second = try PacketSocket.connect(to: try air.air.attPath(of: script.address))
      #expect(try await second.receive() == nil)
      #expect(await events.next() == .refusedClient)
      let ear = try PacketSocket.connect(to: try air.air.advertisingPath(of: script.address))
      #expect(try await first.ask(.readRequest(handle: 3))?.opcode == .errorResponse)
      #expect(try ear.tryReceive() == .nothingYet)
      first.close()
      #expect(try await ear.receive() != nil)
    }
  }

  @Test("a meter that talks to a client does not advertise")
  func silentWhileConnected() async throws {
    let script = try TestMeter.script(
      services: #"{"uuid": "1800", "characteristics": [{"uuid": "2A00", "properties": ["read"], "text": "N"}]}"#)
    let air = air
    try await air.withMeter(script) { _, events in
      let ear = try PacketSocket.connect(to: try air.air.advertisingPath(of: script.address))
      #expect(try await ear.receive() != nil)
      let link = try PacketSocket.connect(to: try air.air.attPath(of: script.address))
      #expect(await events.next() == .connected(number: 1))
      while case .packet = try ear.tryReceive() {}
      // Talk for six advertising intervals; one report may have been on its way when the client came.
      let end = ContinuousClock.now + .milliseconds(6 * script.advertisement.intervalMilliseconds)
      while ContinuousClock.now < end { #expect(try await link.ask(.readRequest(handle: 3)) != nil) }
      var heard = 0
      while case .packet = try ear.tryReceive() { heard += 1 }
      #expect(heard <= 1)
    }
  }

  @Test("the meter closes the link after its procedure, and its memory is empty for the next client")
  func disconnectsAfterProcedure() async throws {
    let script = try ShippedScripts.load("pyle-thermometer")
    let air = air
    try await air.withMeter(script) { meter, events in
      let link = try PacketSocket.connect(to: try air.air.attPath(of: script.address))
      #expect(try await link.ask(.writeRequest(handle: 4, value: [2, 0])) == .writeResponse)
      for record in script.records {
        #expect(try await link.receive() == ATTPDU.handleValueIndication(handle: 3, value: record.measurement).encoded)
        try await link.send(ATTPDU.handleValueConfirmation.encoded)
      }
      #expect(try await link.receive() == nil)
      #expect(await events.wait { if case .disconnected = $0 { true } else { false } } == .disconnected(.procedureDone))
      #expect(meter.recordsLeft == 0)
    }
  }

  @Test("an idle link is closed by the meter")
  func idle() async throws {
    let script = try TestMeter.script(services: "", extra: #", "idle_ms": 30"#)
    let meter = VirtualMeter(script: script)
    var events = meter.events().makeAsyncIterator()
    let link = try meter.connect()
    #expect(throws: VirtualMeterError.self) { try meter.connect() }
    #expect(try await link.receive() == nil)
    #expect(await events.wait { if case .disconnected = $0 { true } else { false } } == .disconnected(.idle))
    _ = try meter.connect()
  }

  @Test("a fault breaks a real link, and the next one works")
  func fault() async throws {
    let script = try TestMeter.script(
      services: #"{"uuid": "1800", "characteristics": [{"uuid": "2A00", "properties": ["read"], "text": "N"}]}"#,
      extra: #", "faults": [{"kind": "disconnect-after-pdu", "count": 2, "only_connection": 1}, "#
        + #"{"kind": "delay", "milliseconds": 1}]"#)
    let meter = VirtualMeter(script: script)
    var events = meter.events().makeAsyncIterator()
    let link = try meter.connect()
    #expect(try await link.ask(.readRequest(handle: 3)) == .readResponse(value: [0x4E]))
    #expect(try await link.receive() == nil)
    #expect(await events.wait { if case .disconnected = $0 { true } else { false } } == .disconnected(.fault))
    let again = try meter.connect()
    for _ in 0..<3 { #expect(try await again.ask(.readRequest(handle: 3)) == .readResponse(value: [0x4E])) }
  }

  @Test("two meters with one address cannot share the air")
  func addressTaken() async throws {
    let script = try ShippedScripts.load("contour-next-one")
    let air = air
    try await air.withMeter(script) { _, _ in
      let error = await #expect(throws: VirtualMeterError.self) {
        try await VirtualMeter(script: script).run(in: air.air)
      }
      #expect(error?.code == .addressTaken)
      #expect(air.files.count == 2)
      _ = try PacketSocket.connect(to: try air.air.attPath(of: script.address))
    }
  }

  @Test("an air that cannot be is a typed error")
  func badAir() async throws {
    let meter = VirtualMeter(script: try ShippedScripts.load("contour-next-one"))
    for folder in ["/" + String(repeating: "x", count: 110), "/dev/null/air"] {
      let error = await #expect(throws: VirtualMeterError.self) { try await meter.run(in: VirtualAir(folder: folder)) }
      #expect(error?.code == .air)
      #expect(error?.message.contains(folder) == true)
    }
  }

  @Test("switching the meter off ends its link")
  func off() async throws {
    let script = try ShippedScripts.load("contour-next-one")
    let air = air
    let link = try await air.withMeter(script) { _, events in
      let link = try PacketSocket.connect(to: try air.air.attPath(of: script.address))
      #expect(await events.next() == .connected(number: 1))
      return link
    }
    #expect(try await link.receive() == nil)
  }
}
