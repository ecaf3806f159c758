import BluetoothWire
import LinuxSockets
import Testing
import VirtualMeter

@Suite("A meter that only advertises", .timeLimit(.minutes(60)))
struct AdvertiseBehaviourTests {
  let air = TestAir()

  static func script(_ behaviour: String, connectable: Bool = false) throws -> MeterScript {
    try MeterScript.parse(
      json: #"""
        {"name": "test", "manufacturer": "test", "address": "00:00:00:00:00:02", "services": [],
         "advertisement": {"interval_ms": 5, "connectable": \#(connectable), "services": ["181D"]},
         "behaviour": {"kind": "advertise"\#(behaviour)}}
        """#)
  }

  static let prefix: [UInt8] = [2, 1, 6, 3, 3, 0x1D, 0x18]

  @Test("each payload goes out as often as it says, behind the advertisement, and then there is silence")
  func sequence() async throws {
    let script = try Self.script(
      #"""
      , "steps": [{"service_data": {"uuid": "181D", "data": "0102"}, "count": 2}, {"raw": "0201", "wait_ms": 30},
        {"service_data": {"uuid": "181B", "data": ""}}]
      """#)
    let air = air
    try await air.withMeter(script) { meter, events in
      let ear = try PacketSocket.connect(to: try air.air.advertisingPath(of: script.address))
      var heard: [[UInt8]] = []
      for _ in 0..<4 {
        let packet = try #require(try await ear.receive())
        let report = try #require(AdvertisingReport(decoding: packet))
        #expect(report.eventType == .nonconnectable && report.address == script.address)
        heard.append(report.data)
      }
      let first = Self.prefix + [5, 0x16, 0x1D, 0x18, 1, 2]
      #expect(heard == [first, first, [2, 1], Self.prefix + [3, 0x16, 0x1B, 0x18]])
      #expect(meter.advertisement.data == first)
      #expect(meter.advertisements.map(\.data) == Array(heard.dropFirst()))
      #expect(await events.wait { $0 == .procedureDone("advertisements") } != nil)
      #expect(try ear.tryReceive() == .nothingYet)
    }
  }

  @Test("a sequence can start again")
  func repeating() async throws {
    let script = try Self.script(
      #", "repeat": true, "steps": [{"raw": "020101"}, {"raw": "020102"}]"#, connectable: true)
    let air = air
    try await air.withMeter(script) { _, _ in
      let ear = try PacketSocket.connect(to: try air.air.advertisingPath(of: script.address))
      for round in 0..<6 {
        let packet = try #require(try await ear.receive())
        #expect(AdvertisingReport(decoding: packet)?.data == [2, 1, UInt8(1 + round % 2)])
      }
    }
  }

  @Test(
    "what makes no sequence is refused",
    arguments: [
      #", "steps": []"#, "", #", "steps": [{"raw": "00", "service_data": {"uuid": "181D", "data": ""}}]"#,
      #", "steps": [{"service_data": {"uuid": "00001524-1212-EFDE-1523-785FEABCD123", "data": ""}}]"#,
      #", "steps": [{"raw": "00", "count": 0}]"#, #", "slots": [], "steps": [{"raw": "00"}]"#,
    ])
  func refused(behaviour: String) {
    #expect(throws: MeterScriptError.self) { try Self.script(behaviour) }
  }

  @Test(
    "the shipped scales advertise the swing, the weight and the empty scale", arguments: ["mi-scale-1", "mi-scale-2"])
  func shipped(name: String) throws {
    let script = try ShippedScripts.load(name)
    guard case .advertise(let options) = script.behaviour else {
      Issue.record("\(name) does not advertise")
      return
    }
    #expect(options.steps.count == 4 && !options.repeats && !script.advertisement.isConnectable)
    // Legacy advertising holds 31 bytes (Core Vol 6 Part B 2.3.1).
    #expect(options.steps.allSatisfy { script.advertisement.data.count + $0.data.count <= 31 })
  }
}
