import BluetoothWire
import Testing

@testable import VirtualMeter

@Suite("TaiDoc meters")
struct TaiDocBehaviourTests {
  static func meter(_ behaviour: String = "", extra: String = "") throws -> TestMeter {
    TestMeter(
      try TestMeter.script(
        services: #"""
          {"uuid": "00001523-1212-EFDE-1523-785FEABCD123", "characteristics": [
            {"uuid": "00001524-1212-EFDE-1523-785FEABCD123", "properties": ["write", "notify"]}]}
          """#,
        extra: #"""
          , "behaviour": {"kind": "taidoc", "clock": "65301f08"\#(behaviour)}, "records": [
            {"measurement": "64300a0768000040"}, {"measurement": "65300008 61000000"}]\#(extra)
          """#))
  }

  static func command(_ code: UInt8, _ payload: [UInt8] = [0, 0, 0, 0]) -> [UInt8] {
    let head = [0x51, code] + payload + [0xA3]
    return head + [head.reduce(0, &+)]
  }

  /// What the meter notifies after a command.
  func ask(_ meter: inout TestMeter, _ request: [UInt8]) throws -> [[UInt8]] {
    #expect(try meter.ask(.writeRequest(handle: 3, value: request)) == .writeResponse)
    return try meter.drain().compactMap { pdu in
      if case .handleValueNotification(3, let value) = pdu { value } else { nil }
    }
  }

  @Test("index 0 is the newest record", arguments: [(0, "65300008", "61000000"), (1, "64300a07", "68000040")])
  func records(index: UInt8, time: String, value: String) throws {
    var meter = try Self.meter()
    #expect(try meter.ask(.writeRequest(handle: 4, value: [1, 0])) == .writeResponse)
    let hex = { (bytes: ArraySlice<UInt8>) in bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
    let times = try ask(&meter, Self.command(0x25, [index, 0, 0, 0]))
    #expect(times.map { hex($0[2..<6]) } == [time])
    let values = try ask(&meter, Self.command(0x26, [index, 0, 0, 0]))
    #expect(values.map { hex($0[2..<6]) } == [value])
    #expect(try ask(&meter, Self.command(0x26, [9, 0, 0, 0])).isEmpty)
  }

  @Test("the frames of the public descriptions are understood")
  func frames() throws {
    var meter = try Self.meter()
    #expect(try meter.ask(.writeRequest(handle: 4, value: [1, 0])) == .writeResponse)
    #expect(try ask(&meter, [0x51, 0x26, 0, 0, 0, 0, 0xA3, 0x1A]) == [[0x51, 0x26, 0x61, 0, 0, 0, 0xA5, 0x7D]])
    #expect(try ask(&meter, [0x51, 0x26, 0, 0, 0, 0, 0xA3, 0x1B]).isEmpty)
    #expect(try ask(&meter, Self.command(0x2B)).first?[2] == 2)
    #expect(try ask(&meter, Self.command(0x24)).first?[2..<4] == [0x57, 0x42])
    #expect(try ask(&meter, Self.command(0x33, [1, 2, 3, 4])).count == 1)
    #expect(try ask(&meter, Self.command(0x23)).first?[2..<6] == [1, 2, 3, 4])
  }

  @Test("a measurement that is taken meanwhile moves every index")
  func arrival() throws {
    var meter = try Self.meter(
      #", "capacity": 2, "during_transfer": [{"after_replies": 2, "measurement": "65301e0870000000"}]"#)
    #expect(try meter.ask(.writeRequest(handle: 4, value: [1, 0])) == .writeResponse)
    for expected in [0x61, 0x61, 0x70] as [UInt8] {
      #expect(try ask(&meter, Self.command(0x26)).first?[2] == expected)
    }
    #expect(try ask(&meter, Self.command(0x26, [1, 0, 0, 0])).first?[2] == 0x61)
    #expect(meter.machine.recordsLeft == 2)
  }

  @Test("command 52 erases the memory, and is counted")
  func erasing() throws {
    var meter = try Self.meter()
    #expect(try meter.ask(.writeRequest(handle: 4, value: [1, 0])) == .writeResponse)
    #expect(try ask(&meter, Self.command(0x52)).count == 1)
    #expect(meter.machine.recordsLeft == 0)
    var memory = TaiDocMemory(.init(), records: [[0, 0, 0, 0, 1, 0, 0, 0]])
    #expect(memory.erasures == 0)
    #expect(memory.answer(Self.command(0x52)).count == 1 && memory.erasures == 1 && memory.readings.isEmpty)
  }

  @Test("a meter that was switched off says nothing until the next connection")
  func off() throws {
    var meter = try Self.meter(extra: #", "disconnect_after_procedure": true"#)
    #expect(try meter.ask(.writeRequest(handle: 4, value: [1, 0])) == .writeResponse)
    meter.send(.writeRequest(handle: 3, value: Self.command(0x50)))
    let actions = meter.machine.next()
    #expect(actions.contains(.event(.procedureDone("power-off"))) && actions.disconnection == .procedureDone)
    meter.reconnect()
    #expect(try meter.ask(.writeRequest(handle: 4, value: [1, 0])) == .writeResponse)
    #expect(try ask(&meter, Self.command(0x2B)).count == 1)
  }

  @Test("frames may leave in pieces, and commands unanswered")
  func faults() throws {
    var meter = try Self.meter(#", "fragment_size": 3, "ignore": ["24"]"#)
    #expect(try meter.ask(.writeRequest(handle: 4, value: [1, 0])) == .writeResponse)
    #expect(try ask(&meter, Self.command(0x2B)).map(\.count) == [3, 3, 2])
    #expect(try ask(&meter, Self.command(0x24)).isEmpty)
  }

  @Test(
    "a script that cannot be says so",
    arguments: [
      (#", "model": "42""#, "model"), (#", "clock": "00""#, "clock"), (#", "fragment_size": 9"#, "fragment_size"),
      (#", "during_transfer": [{"measurement": "00"}]"#, "measurement"), (#", "slots": []"#, "slots"),
    ])
  func refused(behaviour: String, key: String) {
    let body = behaviour.contains("clock") ? "" : behaviour
    #expect {
      _ = try body.isEmpty ? Self.clockless(behaviour) : Self.meter(body)
    } throws: { error in
      "\(error)".contains(key)
    }
  }

  static func clockless(_ behaviour: String) throws -> TestMeter {
    TestMeter(
      try TestMeter.script(
        services: #"{"uuid": "1800", "characteristics": []}"#,
        extra: #", "behaviour": {"kind": "taidoc"\#(behaviour)}"#))
  }
}
