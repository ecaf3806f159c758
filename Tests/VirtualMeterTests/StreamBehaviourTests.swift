import BluetoothWire
import LinuxSockets
import Testing
import VirtualMeter

@Suite("Streams", .timeLimit(.minutes(60)))
struct StreamBehaviourTests {
  /// Heart rate on handle 3, a result that is indicated on handle 6.
  static func script(_ behaviour: String, extra: String = "") throws -> MeterScript {
    try TestMeter.script(
      services: #"""
        {"uuid": "180D", "characteristics": [
          {"uuid": "2A37", "properties": ["notify"]}, {"uuid": "2A5E", "properties": ["indicate"]}]}
        """#,
      extra: #", "behaviour": {"kind": "stream", "characteristic": "2A37", \#(behaviour)}\#(extra)"#)
  }

  static func value(_ byte: UInt8) -> ATTPDU { .handleValueNotification(handle: 3, value: [6, byte]) }

  @Test("values leave one a period, from the subscription on")
  func oneAPeriod() throws {
    var meter = TestMeter(try Self.script(#""values": ["0640", "0641"]"#))
    #expect(meter.machine.next(at: 500).isEmpty && meter.machine.dueMilliseconds == nil)
    #expect(try meter.ask(.writeRequest(handle: 4, value: [1, 0])) == .writeResponse)
    #expect(try meter.drain(at: 600) == [Self.value(0x40)])
    #expect(meter.machine.dueMilliseconds == 1600)
    #expect(try meter.drain(at: 1599).isEmpty)
    #expect(try meter.drain(at: 1600) == [Self.value(0x41)])
    // What was missed while the meter was kept waiting is not made up for.
    #expect(try meter.drain(at: 9000) == [Self.value(0x40)])
    #expect(meter.machine.dueMilliseconds == 10_000)
    #expect(try meter.ask(.writeRequest(handle: 4, value: [0, 0])) == .writeResponse)
    #expect(try meter.drain(at: 20_000).isEmpty && meter.machine.dueMilliseconds == nil)
    meter.reconnect()
    #expect(try meter.ask(.writeRequest(handle: 4, value: [1, 0])) == .writeResponse)
    #expect(try meter.drain(at: 0) == [Self.value(0x40)])
  }

  @Test(
    "what comes after the last value",
    arguments: [("loop", [0x40, 0x41, 0x40, 0x41]), ("hold", [0x40, 0x41, 0x41, 0x41]), ("stop", [0x40, 0x41])]
      as [(String, [UInt8])])
  func end(atEnd: String, seen: [UInt8]) throws {
    var meter = TestMeter(try Self.script(#""period_ms": 10, "values": ["0640", "0641"], "at_end": "\#(atEnd)""#))
    _ = try meter.ask(.writeRequest(handle: 4, value: [1, 0]))
    let actions = (0..<4).flatMap { meter.machine.next(at: $0 * 10) }
    #expect(try actions.pdus == seen.map(Self.value))
    #expect(actions.contains(.event(.procedureDone("stream"))) == (atEnd == "stop"))
    #expect(actions.disconnection == nil)
  }

  @Test("a value on another characteristic goes as that one can, and only to who subscribed")
  func otherCharacteristic() throws {
    let behaviour = #""period_ms": 10, "at_end": "stop", "values": ["0640", {"characteristic": "2A5E", "value": "01"}]"#
    var meter = TestMeter(try Self.script(behaviour, extra: #", "disconnect_after_procedure": true"#))
    _ = try meter.ask(.writeRequest(handle: 7, value: [2, 0]))
    _ = try meter.ask(.writeRequest(handle: 4, value: [1, 0]))
    #expect(try meter.drain(at: 0) == [Self.value(0x40)])
    let last = meter.machine.next(at: 10)
    #expect(try last.pdus == [.handleValueIndication(handle: 6, value: [1])] && last.disconnection == nil)
    let end = meter.send(.handleValueConfirmation)
    #expect(end.contains(.event(.procedureDone("stream"))) && end.disconnection == .procedureDone)
    meter.reconnect()
    _ = try meter.ask(.writeRequest(handle: 4, value: [1, 0]))
    #expect(try meter.drain(at: 0) == [Self.value(0x40)])
    let passedOver = meter.machine.next(at: 10)
    #expect(passedOver == [.event(.procedureDone("stream")), .disconnect(.procedureDone)])
  }

  @Test("over a link the client is answered between two values")
  func overALink() async throws {
    let script = try Self.script(#""period_ms": 5, "values": ["0640", "0641", "0642"], "at_end": "stop""#)
    let meter = VirtualMeter(script: script)
    let link = try meter.connect()
    #expect(try await link.ask(.writeRequest(handle: 4, value: [1, 0])) == .writeResponse)
    try await link.send(ATTPDU.readRequest(handle: 2).encoded)
    var seen: [ATTPDU] = []
    while seen.count < 4, let packet = try await link.receive() { seen.append(try ATTPDU(decoding: packet)) }
    #expect(
      seen.filter { if case .handleValueNotification = $0 { true } else { false } }
        == [0x40, 0x41, 0x42].map(Self.value))
    #expect(seen.contains { if case .readResponse = $0 { true } else { false } })
    link.close()
  }

  @Test(
    "an error says what is allowed",
    arguments: [
      (#""values": []"#, "$.behaviour.values", "at least one"), (#""period_ms": 5"#, "$.behaviour.values", "needed"),
      (#""values": ["064"]"#, "$.behaviour.values[0]", "two digits"),
      (#""values": [{"value": "06", "at": 1}]"#, "$.behaviour.values[0].at", "characteristic"),
      (#""values": [{"value": "06", "characteristic": "2A5F"}]"#, "$.behaviour", "notify or indicate"),
      (#""values": ["06"], "at_end": "explode""#, "$.behaviour.at_end", "loop, hold, stop"),
      (#""values": ["06"], "order": "oldest-first""#, "$.behaviour.order", "period_ms"),
    ])
  func errors(behaviour: String, path: String, allowed: String) {
    let error = #expect(throws: MeterScriptError.self) { try Self.script(behaviour) }
    #expect(error?.path == path && error?.message.contains(allowed) == true, "\(error.debugDescription)")
  }

  /// 2A1C, 2A35, 2A5E and 2A9D carry their time at different places behind their flags.
  @Test(
    "an unset clock zeroes the time stamp and nothing else",
    arguments: [
      ("2A1C", "06700100ffe207030a141b0002", "06700100ff0000000000000002"),
      ("2A35", "1666003c004800e407060111331d3f000000", "1666003c004800000000000000003f000000"),
      ("2A35", "1466003c0048003f000000", "1466003c0048003f000000"),
      ("2A5E", "0161004800e407060111331d", "016100480000000000000000"),
      ("2A9D", "02e02ee407060111331d", "02e02e00000000000000"),
    ])
  func unsetClock(characteristic: String, record: String, sent: String) throws {
    var meter = TestMeter(
      try TestMeter.script(
        services: #"{"uuid": "1810", "characteristics": [{"uuid": "\#(characteristic)", "properties": ["indicate"]}]}"#,
        extra: #"""
          , "behaviour": {"kind": "indicate-on-connect", "characteristic": "\#(characteristic)"},
          "records": [{"measurement": "\#(record)"}], "faults": [{"kind": "unset-clock"}]
          """#))
    _ = try meter.ask(.writeRequest(handle: 4, value: [2, 0]))
    let pdu = try #require(try meter.drain().first)
    guard case .handleValueIndication(3, let value) = pdu else {
      Issue.record("unexpected \(pdu)")
      return
    }
    #expect(value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == sent)
  }
}

extension TestMeter {
  /// Takes what the meter sends of its own at a time.
  mutating func drain(at milliseconds: Int) throws -> [ATTPDU] {
    var all: [ATTPDU] = []
    while true {
      let actions = machine.next(at: milliseconds)
      if actions.isEmpty { return all }
      all += try actions.pdus
    }
  }
}
